"""Misuse: calls that break one precondition on purpose, and stress on the lives of objects. What
must hold is in docs/contract.md.
"""
