"""Compares a newer release with an older one: what the newer one broke, and what only the older one
decides.
"""
