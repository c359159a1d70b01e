"""Fusion functions: shipped, composed at random, and those of a user, with the laws that they keep."""
