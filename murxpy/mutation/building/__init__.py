"""Expressions of a wanted sort, made of the terms of a seed."""
