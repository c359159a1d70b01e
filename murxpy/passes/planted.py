"""A pass that replaces terms by their values under the planted model, so that what is asserted
stays true.
"""

from __future__ import annotations

from collections.abc import Iterator

from murxpy.logic.values import LITERAL_KINDS
from murxpy.machine.tokens import Quoted
from murxpy.passes.editing import made, put
from murxpy.passes.terms import sort_line
from murxpy.passes.typed import Types
from murxpy.replaying.defuse import PLANT, Script, returned, sort_of
from murxpy.trace.grammar import Line


class PlantedValues:
    """Replaces terms by their values under the planted model."""

    def __init__(self, types: Types) -> None:
        self._types = types

    def leaves(self, lines: Script, at: int) -> Iterator[Script]:
        """Replace the application or constant at `at` by a literal, then an application by a
        constant, of its planted value.
        """
        line, sort = lines[at], sort_of(lines[at])
        if sort is None or line.action not in ("mk-term", "mk-const") or at == len(lines) - 1:
            return
        own, typed = returned(line)[0], self._types.of(lines)
        before, words = sort_line(lines, at, sort), typed.planted.get(own)
        if before is None or words is None:
            return
        if typed.terms[own].sort.kind in LITERAL_KINDS:
            yield put(lines, at, *before, made("mk-value", [sort, *words], own, sort))
        if line.action == "mk-term":
            constant = made("mk-const", [sort, Quoted(f"c{own.number}")], own, sort)
            yield put(lines, at, *before, constant, Line(PLANT, [own, *words], 0))
