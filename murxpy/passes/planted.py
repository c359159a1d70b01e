"""Smaller traces with a planted model: what a term is under it takes the term's place, so that what
is asserted stays true.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.values import LITERAL_KINDS
from murxpy.machine.planted_words import write_words
from murxpy.machine.tokens import Quoted, Ref, Token
from murxpy.passes.terms import sort_line
from murxpy.replaying.defuse import PLANT, Script, returned, sort_of
from murxpy.semantics.values import CannotSay
from murxpy.trace.grammar import Line, Trace
from murxpy.translate.dry import AnyReading, Silent, interpret

LONGEST = 400  # lines of a trace whose terms are evaluated; it takes about as long as a replay


class PlantedValues:
    """The values of a script's terms under its planted model; those of the script that was looked
    at last are kept.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._script: Script = ()
        self._words: dict[Ref, tuple[str, list[Token]]] = {}

    def leaves(self, lines: Script, at: int) -> Iterator[Script]:
        """With a literal, and with a constant, of the planted value in place of the application at
        `at`.
        """
        line, sort = lines[at], sort_of(lines[at])
        if sort is None or line.action != "mk-term" or at == len(lines) - 1 or len(lines) > LONGEST:
            return
        before, found = sort_line(lines, at, sort), self._values(lines).get(returned(line)[0])
        if before is None or found is None:
            return
        kind, words = found
        ids: list[tuple[str, list[Token]]] = [("return", [returned(line)[0], sort])]
        if kind in LITERAL_KINDS:
            yield (
                *lines[:at],
                *before,
                Line("mk-value", [sort, *words], 0, None, None, ids),
                *lines[at + 1 :],
            )
        constant = Line(
            "mk-const", [sort, Quoted(f"c{returned(line)[0].number}")], 0, None, None, ids
        )
        yield (
            *lines[:at],
            *before,
            constant,
            Line(PLANT, [returned(line)[0], *words], 0),
            *lines[at + 1 :],
        )

    def _values(self, lines: Script) -> dict[Ref, tuple[str, list[Token]]]:
        if lines is not self._script:
            self._script, self._words = (
                lines,
                self._evaluated(lines) if any(line.action == PLANT for line in lines) else {},
            )
        return self._words

    def _evaluated(self, lines: Script) -> dict[Ref, tuple[str, list[Token]]]:
        """The kind of sort, and the words of the value, of each closed term that has one."""
        run = Silent(self._catalogue, Trace("candidate", list(lines)))
        with suppress(InputError):
            interpret(run, AnyReading(run, run.trace))
        found: dict[Ref, tuple[str, list[Token]]] = {}
        for number, entry in run.db.terms.items() if run.planted is not None else ():
            if not entry.term.free:
                with suppress(CannotSay):
                    value = run.planted.value(entry.term) if run.planted is not None else None
                    found[Ref("t", number)] = (
                        entry.term.sort.kind,
                        write_words(value, entry.term.sort, run.sorts),
                    )
        return found
