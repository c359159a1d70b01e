"""The process that runs a solver. This package imports only the standard library."""
