"""The interface to all solvers: wrappers, whose YAML files say how calls are spelled."""
