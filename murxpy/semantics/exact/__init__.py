"""Exact arithmetic, and languages of strings. The modules of this package know neither sorts nor
operators.
"""
