"""Printing terms, values and scripts as SMT-LIB."""
