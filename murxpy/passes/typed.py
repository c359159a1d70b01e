"""The sorts and terms of a trace, typed by our own rules, and their values under the planted model."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.logic.typing import Checker
from murxpy.machine.planted_words import write_words
from murxpy.machine.tokens import Ref, Token
from murxpy.replaying.defuse import PLANT, Script
from murxpy.semantics.values import CannotSay
from murxpy.trace.grammar import Trace
from murxpy.translate.dry import AnyReading, Silent, interpret

LONGEST = 400  # lines; to type the terms of a longer trace takes longer than a replay


@dataclass(frozen=True, slots=True)
class Typed:
    """What the ids of a script stand for at its end, and a checker for further terms.

    `planted` has the words of the values that closed terms have under the planted model. All tables
    are empty for a script that is longer than `LONGEST`.
    """

    checker: Checker
    sorts: dict[Ref, Sort] = field(default_factory=dict)
    terms: dict[Ref, Term] = field(default_factory=dict)
    planted: dict[Ref, list[Token]] = field(default_factory=dict)


class Types:
    """Types scripts. What was found out about the last script is remembered."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._script: Script | None = None
        self._known: Typed | None = None

    def of(self, lines: Script) -> Typed:
        """The types of a script. A line that a replay would refuse as malformed ends the typing."""
        if self._known is None or lines is not self._script:
            self._script, self._known = lines, self._typed(lines)
        return self._known

    def _typed(self, lines: Script) -> Typed:
        run = Silent(self.catalogue, Trace("candidate", list(lines)))
        if len(lines) > LONGEST:
            return Typed(run.checker)
        with suppress(InputError):
            interpret(run, AnyReading(run, run.trace))
        sorts = {Ref("s", number): entry.sort for number, entry in run.db.sorts.items()}
        terms = {Ref("t", number): entry.term for number, entry in run.db.terms.items()}
        values: dict[Ref, list[Token]] = {}
        if run.planted is not None and any(line.action == PLANT for line in lines):
            for ref, term in terms.items():
                if not term.free:
                    with suppress(CannotSay):
                        values[ref] = write_words(run.planted.value(term), term.sort, run.sorts)
        return Typed(run.checker, sorts, terms, values)
