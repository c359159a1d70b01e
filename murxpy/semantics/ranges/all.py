"""Enters all backward rules."""

from murxpy.semantics.ranges import bitvectors, core, numbers

__all__ = ["bitvectors", "core", "numbers"]
