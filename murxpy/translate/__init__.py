"""Translators: they print a trace as an SMT-LIB script, as a Python program, or in Murxla's
grammar, without running a solver.
"""
