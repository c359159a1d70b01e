"""A pass that gives calls simpler spellings: those that the wrapper lists first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from murxpy.machine.tokens import Quoted
from murxpy.passes.editing import put
from murxpy.replaying.defuse import Script
from murxpy.trace.grammar import Line

_SECTIONS = {
    "mk-term": "operators",
    "mk-sort": "sorts",
    "instantiate-sort": "sorts",
    "mk-special-value": "special-values",
    "mk-fun": "functions",
    "new": "lifecycle",
    "mk-value": "values",
    "mk-const": "constants",
    "mk-var": "variables",
    "check-sort": "self-checks",
    "check-term": "self-checks",
    "check-value": "self-checks",
    "check-eq": "self-checks",
}
_SIMPLER = 4  # simpler spellings that are tried for a line


class Spellings:
    """The spellings that a wrapper (plain data) lists."""

    def __init__(self, wrapper: Mapping[str, Any]) -> None:
        self._wrapper = wrapper

    def rank(self, line: Line) -> int:
        """The number of simpler spellings of the line's call; 0 where it names none."""
        return len(self._before(line))

    def simpler(self, lines: Script, at: int) -> Iterator[Script]:
        """Give the line at `at` a simpler spelling, the simplest first."""
        for name in self._before(lines[at])[:_SIMPLER]:
            yield put(lines, at, replace(lines[at], spelling=name))

    def _before(self, line: Line) -> list[str]:
        """The spellings that are listed before the line's own."""
        if line.spelling is None:
            return []
        for forms in self._sets(line):
            if line.spelling in forms:
                names = list(forms)
                return names[: names.index(line.spelling)]
        return []

    def _sets(self, line: Line) -> Iterator[Mapping[str, Any]]:
        """The sets of spellings that the line's may belong to. The sorts decide between them, but a
        line does not name sorts.
        """
        section = self._wrapper.get(_SECTIONS.get(line.action, "actions")) or {}
        first = line.args[0] if line.args else None
        if line.action == "mk-special-value" and isinstance(line.args[1], Quoted):
            first = line.args[1].text
        entry = section.get(line.action, section.get(first) if isinstance(first, str) else None)
        entries = [entry] if entry is not None else section.values()
        yield from (forms for forms in entries if isinstance(forms, Mapping) and "is" not in forms)
