"""All modules that hold meanings; importing this one enters them."""

from murxpy.semantics import bitvectors, core, domains

__all__ = ["bitvectors", "core", "domains"]
