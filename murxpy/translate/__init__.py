"""Translators: a trace as an SMT-LIB script or as a Python program, made without running a solver."""
