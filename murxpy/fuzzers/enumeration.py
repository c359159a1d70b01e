"""What the user wants of an enumeration, and its part of the setup of a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from murxpy.data import load_catalogue
from murxpy.data.grammars import load_grammar
from murxpy.data.pools import load_pool
from murxpy.enumeration.calls import calls_grammar
from murxpy.enumeration.checking import check_grammar
from murxpy.enumeration.grammar import Grammar
from murxpy.enumeration.operators import with_operators
from murxpy.errors import InputError
from murxpy.logic.catalogue import build_catalogue

# The grammars of the thesis without floats, whose scripts take four tenths of the time of all eight.
QUICK = ("core", "arrays", "bitvectors", "ints", "reals", "realints", "strings")


@dataclass(frozen=True, slots=True)
class Enumerated:
    """The scripts of `grammars`, which are names or files: of each grammar `take` scripts, from
    index `at` on. A run tests `block` of them, each check within `check_ms` milliseconds of a usual
    machine. With `simplify`, the terms of scripts go through the solver's simplifier, and no script
    is answered. With `calls`, `grammars` are pools, of which all sequences of up to so many calls are
    made. With `canonical`, only one of each kind of twins is tested.
    """

    grammars: tuple[str, ...]
    take: int
    at: int = 0
    block: int = 100
    check_ms: float = 50.0
    simplify: bool = False
    calls: int = 0
    canonical: bool = False

    def loaded(self) -> list[Grammar]:
        """The grammars, after their check. Raises InputError."""
        if self.calls:
            return [sequences(name, self.calls) for name in self.grammars]
        return all_checked(self.grammars)


def enumeration_setup(wanted: Enumerated) -> dict[str, Any]:
    """The part `enumeration` of a session's setup, as plain data. Raises InputError for a grammar
    that is unknown or not well-sorted.
    """
    setup = {
        "grammars": [grammar.plain for grammar in wanted.loaded()],
        "at": str(wanted.at),
        "take": wanted.take,
        "block": wanted.block,
        "check-ms": wanted.check_ms,
    }
    if wanted.simplify:
        setup["simplify"] = True
    if wanted.canonical:
        setup["canonical"] = build_catalogue(load_catalogue()).commuting()
    return setup


def checked(name: str) -> Grammar:
    """A grammar, shipped or the user's, after its check. Raises InputError."""
    catalogue = build_catalogue(load_catalogue())
    grammar = Grammar(with_operators(load_grammar(name), catalogue))
    check_grammar(grammar, catalogue)
    return grammar


def all_checked(names: Sequence[str]) -> list[Grammar]:
    """Grammars, each after its check. Raises InputError, also where two have one name, by which their
    scripts are counted.
    """
    found: dict[str, Grammar] = {}
    for name in names:
        grammar = checked(name)
        if grammar.name in found:
            raise InputError(
                f"another grammar, of {found[grammar.name].file}, is called {grammar.name}, too: expected each "
                "name once",
                file=grammar.file,
            )
        found[grammar.name] = grammar
    return list(found.values())


def sequences(pool: str, most: int) -> Grammar:
    """The sequences of up to `most` calls over a pool, shipped or the user's. Raises InputError."""
    return Grammar(calls_grammar(load_pool(pool), most, build_catalogue(load_catalogue())))


def of_calls(wanted: Enumerated, pool: str, most: int, first: int | None) -> Enumerated:
    """All sequences of up to `most` calls over a pool, or the `first` of them, each in a run of its own.
    Raises InputError.
    """
    number = sequences(pool, most).up_to(most + 1)
    take = min(first or number, number)
    return replace(wanted, grammars=(pool,), take=take, at=0, block=1, calls=most)
