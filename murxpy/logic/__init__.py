"""Sorts, operators and terms: immutable, hash-consed, typed by our own checker; loaded from
`fsm/theories`.
"""
