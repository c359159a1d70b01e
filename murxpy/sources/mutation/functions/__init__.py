"""Fusion functions: those of the program, those that are composed at random, and those of a user,
with their laws.
"""
