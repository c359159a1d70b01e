"""Everything about the language SMT-LIB 2.7: commands and scripts, reading them, and printing them
in the dialect of a solver.
"""
