"""Exact arithmetic, and languages of strings. Nothing here knows sorts or operators."""
