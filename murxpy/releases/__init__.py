"""The releases of the solvers: which there are, and an environment for each that is used."""
