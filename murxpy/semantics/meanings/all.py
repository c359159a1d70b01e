"""Imports all modules with meanings, which enters the meanings in the registry."""

from murxpy.semantics import datatypes, domains
from murxpy.semantics.meanings import (
    bags,
    bitvectors,
    core,
    functions,
    numbers,
    relations,
    sequences,
    sets,
    tables,
)
from murxpy.semantics.meanings import floating_point as theory_fp
from murxpy.semantics.meanings import text as theory_strings

__all__ = [
    "bags",
    "bitvectors",
    "core",
    "datatypes",
    "domains",
    "functions",
    "numbers",
    "relations",
    "sequences",
    "sets",
    "tables",
    "theory_fp",
    "theory_strings",
]
