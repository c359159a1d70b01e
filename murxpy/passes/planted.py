"""A pass that replaces terms by their values under the planted model, so that what is asserted
stays true.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.values import LITERAL_KINDS
from murxpy.machine.planted_words import write_words
from murxpy.machine.tokens import Quoted, Ref, Token
from murxpy.passes.editing import made, put
from murxpy.passes.terms import sort_line
from murxpy.replaying.defuse import PLANT, Script, returned, sort_of
from murxpy.semantics.values import CannotSay
from murxpy.trace.grammar import Line, Trace
from murxpy.translate.dry import AnyReading, Silent, interpret

LONGEST = 400  # lines; to evaluate the terms of a longer trace takes longer than a replay
Values = dict[Ref, tuple[str, list[Token]]]  # the kind of sort of a term, and its value in words


class PlantedValues:
    """The values of terms under the planted model; those of the last script are remembered."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._script: Script = ()
        self._known: Values = {}

    def leaves(self, lines: Script, at: int) -> Iterator[Script]:
        """Replace the application at `at` by a literal, then by a constant, of its planted value."""
        line, sort = lines[at], sort_of(lines[at])
        if sort is None or line.action != "mk-term" or at == len(lines) - 1 or len(lines) > LONGEST:
            return
        own = returned(line)[0]
        before, found = sort_line(lines, at, sort), self._values(lines).get(own)
        if before is None or found is None:
            return
        kind, words = found
        if kind in LITERAL_KINDS:
            yield put(lines, at, *before, made("mk-value", [sort, *words], own, sort))
        constant = made("mk-const", [sort, Quoted(f"c{own.number}")], own, sort)
        yield put(lines, at, *before, constant, Line(PLANT, [own, *words], 0))

    def _values(self, lines: Script) -> Values:
        if lines is not self._script:
            plants = any(line.action == PLANT for line in lines)
            self._script, self._known = lines, self._evaluated(lines) if plants else {}
        return self._known

    def _evaluated(self, lines: Script) -> Values:
        """The values of all closed terms that have one."""
        run = Silent(self._catalogue, Trace("candidate", list(lines)))
        with suppress(InputError):
            interpret(run, AnyReading(run, run.trace))
        found: Values = {}
        planted = run.planted
        for number, entry in run.db.terms.items() if planted is not None else ():
            if not entry.term.free and planted is not None:
                sort = entry.term.sort
                with suppress(CannotSay):
                    words = write_words(planted.value(entry.term), sort, run.sorts)
                    found[Ref("t", number)] = (sort.kind, words)
        return found
