"""All modules that hold meanings; importing this one enters them."""

from murxpy.semantics import (
    bags,
    bitvectors,
    core,
    domains,
    fields,
    relations,
    sequences,
    sets,
    theory_fp,
    theory_strings,
)

__all__ = [
    "bags",
    "bitvectors",
    "core",
    "domains",
    "fields",
    "relations",
    "sequences",
    "sets",
    "theory_fp",
    "theory_strings",
]
