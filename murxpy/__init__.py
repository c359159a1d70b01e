"""murxpy finds bugs in SMT solvers by calling their Python APIs."""

__version__ = "0.1.0"
