"""Small changes of traces, from which the passes make their candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from murxpy.machine.tokens import Ref, Token
from murxpy.replaying.defuse import Script, returned, sort_of
from murxpy.trace.grammar import Line


def put(lines: Script, at: int, *new: Line) -> Script:
    """Put the lines `new` in the place of the one at `at`."""
    return (*lines[:at], *new, *lines[at + 1 :])


def with_word(line: Line, at: int, *new: Token) -> Line:
    """Put the words `new` in the place of the one at `at`."""
    return replace(line, args=[*line.args[:at], *new, *line.args[at + 1 :]])


def mapped(line: Line, names: Mapping[Ref, Ref]) -> Line:
    """Replace ids in the words of the line and in what it returned."""

    def change(tokens: list[Token]) -> list[Token]:
        return [names.get(token, token) if isinstance(token, Ref) else token for token in tokens]

    results = [(name, change(tokens)) for name, tokens in line.results]
    return replace(line, args=change(line.args), results=results)


def with_uses(lines: Script, old: Ref, new: Ref, start: int) -> Script:
    """Replace the id `old` in the words of the lines from `start` on."""
    names = {old: new}
    changed = (replace(line, args=mapped(line, names).args) for line in lines[start:])
    return (*lines[:start], *changed)


def term_sorts(lines: Script) -> dict[Ref, Ref]:
    """The sort of each term that the lines return."""
    found = ((line, sort_of(line)) for line in lines)
    return {returned(line)[0]: sort for line, sort in found if sort is not None}


def made(action: str, args: list[Token], *ids: Ref) -> Line:
    """A new line that returns the ids."""
    return Line(action, args, 0, None, None, [("return", [*ids])])
