"""Exact arithmetic and languages, which know nothing of sorts and operators."""
