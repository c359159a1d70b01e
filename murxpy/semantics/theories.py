"""All modules that hold meanings; importing this one enters them."""

from murxpy.semantics import (
    arrays,
    bags,
    bitvectors,
    core,
    datatypes,
    domains,
    fields,
    functions,
    numbers,
    quantifiers,
    relations,
    sequences,
    sets,
    theory_fp,
    theory_strings,
    transcendentals,
)

__all__ = [
    "arrays",
    "bags",
    "bitvectors",
    "core",
    "datatypes",
    "domains",
    "fields",
    "functions",
    "numbers",
    "quantifiers",
    "relations",
    "sequences",
    "sets",
    "theory_fp",
    "theory_strings",
    "transcendentals",
]
