"""Imports all modules with meanings, which enters the meanings in the registry."""

from murxpy.semantics import datatypes, domains
from murxpy.semantics.meanings import (
    arrays,
    bags,
    bitvectors,
    core,
    fields,
    functions,
    nullables,
    numbers,
    quantifiers,
    relations,
    sequences,
    sets,
    tables,
    transcendentals,
)
from murxpy.semantics.meanings import floating_point as theory_fp
from murxpy.semantics.meanings import text as theory_strings

__all__ = [
    "arrays",
    "bags",
    "bitvectors",
    "core",
    "datatypes",
    "domains",
    "fields",
    "functions",
    "nullables",
    "numbers",
    "quantifiers",
    "relations",
    "sequences",
    "sets",
    "tables",
    "theory_fp",
    "theory_strings",
    "transcendentals",
]
