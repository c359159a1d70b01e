"""Which fusion functions a campaign uses for two constants: the user's, the program's, functions
composed at random, or only those that the user names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.machine.random import Stream
from murxpy.mutation.functions.composed import LITERALS, composed
from murxpy.mutation.functions.conversions import NUMBERS, WIDTHS, rules_between
from murxpy.mutation.functions.inversions import ANY, RULES, Rule
from murxpy.mutation.functions.user_functions import user_rules
from murxpy.smtlib.tables import Tables

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
        self._own = list(user_rules(text, tables)) if text else []
        self._only = frozenset(choices.get("functions_only") or ())
        self._known: dict[tuple[Sort, Sort], list[Named]] = {}

    def between(self, first: Sort, second: Sort) -> list[Named]:
        """The functions for a term of each of two sorts, with their names. If the user has functions
        for these sorts, the program's own functions are only used by name.
        """
        found = self._known.get((first, second))
        if found is None:
            own = [(name, rule) for name, x, y, rule in self._own if (x, y) == (first, second)]
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
