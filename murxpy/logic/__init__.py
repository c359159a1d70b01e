"""Sorts, operators and terms. Terms are immutable and hash-consed, their types are checked here, and
the operators are those of `fsm/theories`.
"""
