"""SMT-LIB 2.7: printing sorts, terms and declarations, and what dialects call the operators that
the standard does not have.
"""
