"""Why seeds cannot be used: they are no SMT-LIB, or in the dialect of another solver."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.mutation.workshop import Seed, Shop
from murxpy.smtlib.reading.scripts import read_file


@functools.cache
def _catalogue() -> Catalogue:
    return build_catalogue(load_catalogue())


def fault_of(seed: Seed, dialect: str) -> str:
    """Why a solver with this dialect cannot use a seed; empty if it can."""
    try:
        Shop(_catalogue(), frozenset(), dialect).read(seed)
    except InputError as error:
        return str(error)
    return ""


def is_script(path: str) -> bool:
    """Whether a file can be read as SMT-LIB, with what any of the dialects has."""
    try:
        read_file(Path(path), _catalogue())
    except InputError:
        return False
    return True


def none_usable(sources: Mapping[str, Any], family: str) -> str:
    """Tell that no seed can be used, and why. `sources` is that part of a session's setup, `family` the
    kind of its solver.
    """
    files = sources["seeds"]
    fault = next(filter(None, _faults(sources, family)), "")
    why = fault or "the solver's answers contradict their labels"
    if len(files) == 1:
        return f"the only seed cannot be used: {why}"
    return f"none of the {len(files):,} seeds can be used{'; of the first' * bool(fault)}: {why}"


def all_faulty(sources: Mapping[str, Any], family: str) -> bool:
    """Whether no seed can be read in the dialect of the solver. This reads the seeds until one can."""
    return all(_faults(sources, family))


def _faults(sources: Mapping[str, Any], family: str) -> Iterator[str]:
    """Why each of the seeds cannot be used, in their order; empty for one that can be."""
    dialect = str(sources.get("dialect") or family)
    return (fault_of(Seed(*file), dialect) for file in sources["seeds"])
