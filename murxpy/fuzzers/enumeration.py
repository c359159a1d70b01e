"""What the user wants of an enumeration, and its part of the setup of a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from murxpy.data import load_catalogue
from murxpy.data.grammars import load_grammar
from murxpy.enumeration.checking import check_grammar
from murxpy.enumeration.grammar import Grammar
from murxpy.logic.catalogue import build_catalogue

# The grammars of the thesis without floats, whose scripts take four tenths of the time of all eight.
QUICK = ("core", "arrays", "bitvectors", "ints", "reals", "realints", "strings")


@dataclass(frozen=True, slots=True)
class Enumerated:
    """The scripts of `grammars`, which are names or files: of each grammar `take` scripts, from
    index `at` on. A run tests `block` of them, each check within `check_ms` milliseconds of a usual
    machine. With `simplify`, the terms of scripts go through the solver's simplifier, and no script
    is answered.
    """

    grammars: tuple[str, ...]
    take: int
    at: int = 0
    block: int = 100
    check_ms: float = 50.0
    simplify: bool = False


def enumeration_setup(wanted: Enumerated) -> dict[str, Any]:
    """The part `enumeration` of a session's setup, as plain data. Raises InputError for a grammar
    that is unknown or not well-sorted.
    """
    return {
        "grammars": [checked(name).plain for name in wanted.grammars],
        "at": str(wanted.at),
        "take": wanted.take,
        "block": wanted.block,
        "check-ms": wanted.check_ms,
        **({"simplify": True} if wanted.simplify else {}),
    }


def checked(name: str) -> Grammar:
    """A grammar, shipped or the user's, after its check. Raises InputError."""
    grammar = Grammar(load_grammar(name))
    check_grammar(grammar, build_catalogue(load_catalogue()))
    return grammar


def parse_enumerated(data: Mapping[str, Any]) -> Enumerated:
    """The `Enumerated` that was recorded as `data`. Raises KeyError or TypeError for other data."""
    return Enumerated(**{**data, "grammars": tuple(data["grammars"]), "at": int(data["at"])})
