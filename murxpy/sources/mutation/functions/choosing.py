"""Chooses the fusion functions that a campaign uses for two constants: the user's, the program's,
functions composed at random, or only those that the user names.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.machine.random import Stream
from murxpy.smtlib.building import Tables
from murxpy.sources.mutation.functions.composed import LITERALS, composed
from murxpy.sources.mutation.functions.inversions import (
    ANY,
    NUMBERS,
    RULES,
    WIDTHS,
    Maker,
    Rule,
    rules_between,
    swapped,
)
from murxpy.sources.mutation.functions.user import UserFunction, read_any, user_rules
from murxpy.sources.mutation.tieable import NUMBER

BUILT_IN = tuple(
    dict.fromkeys(name for rules in (*RULES.values(), NUMBERS, WIDTHS, ANY) for name in rules)
)
_COMPOSED = 0.5  # the share of composed functions, if the user asks for them

Named = tuple[str, Rule]


class Functions:
    """The fusion functions of one run. `choices` are the settings of the fuzzer."""

    def __init__(self, tables: Tables, stream: Stream, choices: Mapping[str, Any]) -> None:
        self._stream = stream
        links = int(choices.get("generate") or 0)
        self._composed = composed(links) if links else None
        text = str(choices.get("functions") or "")
        own = read_any(text, "functions", tables) if text else []
        self._own = list(user_rules(own))
        self._only = frozenset(choices.get("functions_only") or ())
        self._known: dict[tuple[Sort, Sort], list[Named]] = {}

    def between(self, first: Sort, second: Sort) -> list[Named]:
        """The functions for a term of each of two sorts, with their names. If the user has functions
        for these sorts, the program's own functions are only used by name.
        """
        found = self._known.get((first, second))
        if found is None:
            own = [(name, rule) for name, x, y, rule in self._own if (x, y) == (first, second)]
            if first is not second:
                own += [
                    (name, swapped(rule))
                    for name, x, y, rule in self._own
                    if (y, x) == (first, second)
                ]
            program = list(rules_between(first, second).items())
            found = own or program
            if self._only:
                found = [named for named in (*own, *program) if named[0] in self._only]
            self._known[first, second] = found
        return found

    def draw(self, first: Sort, second: Sort) -> Named:
        """A function for a term of each of two sorts that have functions."""
        if (
            self._composed is not None
            and first is second
            and not any(x is first for _, x, _, _ in self._own)
            and first.kind in LITERALS
            and first.kind in RULES
            and self._stream.chance(_COMPOSED)
        ):
            return "composed", self._composed
        return self._stream.choose(self.between(first, second))


class _Symbolic(Maker):
    """A maker that uses given constants in place of random literals."""

    def __init__(self, tables: Tables, constants: Sequence[Term]) -> None:
        super().__init__(tables, Stream(0))
        self.nonzero = lambda term: True
        self._constants = list(constants)

    def number(self, sort: Sort) -> Term:
        return self._constants.pop(0)

    def text(self) -> Term:
        return self._constants.pop(0)


def built_in(tables: Tables, function: UserFunction) -> str | None:
    """The name of the program's function that is the same as the user's; None if there is none."""
    x, y = (tables.constant(name, sort) for name, sort in zip("xy", function.sorts, strict=True))
    used = function.used(_Symbolic(tables, ()), x, y, {})
    for name, rule in rules_between(*function.sorts).items():
        try:
            known = rule(_Symbolic(tables, function.constants), x, y)
        except IndexError:  # it needs more literals than the user's function declares
            continue
        z = tables.constant("z", known.value.sort)
        if known.value is not used.value or known.also or function.guard is not None:
            continue
        if known.first(z) is used.first(z) and known.second(z) is used.second(z):
            return name
    return None


_KINDS = {
    "Bool": "SORT_BOOL",
    "Int": "SORT_INT",
    "Real": "SORT_REAL",
    "String": "SORT_STRING",
    "Seq": "SORT_SEQ",
    "BitVec": "SORT_BV",
    "FloatingPoint": "SORT_FP",
    "Array": "SORT_ARRAY",
}


def serve(only: Collection[str], sort: str) -> bool:
    """Whether functions of these names can tie two constants of a sort, which is written as in
    SMT-LIB. No names mean all functions. Of the user's own functions the names do not tell.
    """
    head = next((word for word in sort.split() if word not in ("(", "_")), "")
    names = {*RULES.get(_KINDS.get(head, ""), {}), *ANY}
    return not only or any(name in names or name not in BUILT_IN for name in only)


def convert(only: Collection[str], group: str) -> bool:
    """Whether functions of these names can tie two constants of different sorts of a group."""
    names = NUMBERS if group == NUMBER else WIDTHS
    return not only or any(name in names or name not in BUILT_IN for name in only)
