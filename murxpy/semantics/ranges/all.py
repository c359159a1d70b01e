"""Enters all backward rules."""

from murxpy.semantics.ranges import bitvectors, collections, core, floating_point, numbers, text

__all__ = ["bitvectors", "collections", "core", "floating_point", "numbers", "text"]
