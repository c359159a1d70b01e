"""Judging: other solvers answer the same checks, and where answers differ, it is found out who is
wrong.
"""
