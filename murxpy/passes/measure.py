"""The order of traces: fewer lines, terms, applications, constants and words; plainer operators,
simpler words, simpler spellings, smaller seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from murxpy.machine.replaying.defuse import Script, returned, sort_of
from murxpy.machine.tokens import FieldSort, Python, Quoted, Ref, Token
from murxpy.machine.trace.grammar import Line

Rank = Callable[[Line], int]  # how many simpler choices there are for the line; 0: none

_CHARACTER = 256  # the least size of a character of a text
_KEPT = 50_000  # lines that are remembered


@dataclass(frozen=True, slots=True)
class _Known:
    """The sizes of a line, and its text. The entry keeps the line, so that no other line gets its
    address.
    """

    line: Line
    sizes: tuple[int, ...]
    rows: str


class Measure:
    """Sizes and texts of traces. Lines are never changed in place, so each is looked at once.

    `rank` counts the simpler spellings of a line's call, and `plainer` the plainer operators.
    """

    def __init__(self, rank: Rank = lambda line: 0, plainer: Rank = lambda line: 0) -> None:
        self._rank, self._plainer = rank, plainer
        self._lines: dict[int, _Known] = {}

    def key(self, script: Script) -> tuple[int, ...]:
        """A key to sort traces by."""
        sizes = [self._known(line).sizes for line in script]
        return (len(script), *map(sum, zip(*sizes, strict=True)))

    def text(self, script: Script) -> str:
        """The lines as a trace without header, each with the ids that it returned and no more."""
        return "".join([self._known(line).rows for line in script])

    def _known(self, line: Line) -> _Known:
        known = self._lines.get(id(line))
        if known is None:
            if len(self._lines) > _KEPT:
                self._lines.clear()
            sizes = (
                *_kinds(line),
                len(line.args),
                self._plainer(line),
                sum(map(_size, [*line.args, *returned(line)])),
                self._rank(line),
                line.seed or 0,
            )
            known = self._lines[id(line)] = _Known(line, sizes, _rows(line))
        return known


def text(script: Script) -> str:
    """The lines as a trace without header, each with the ids that it returned and no more."""
    return "".join(map(_rows, script))


def _kinds(line: Line) -> tuple[int, int, int]:
    """Whether the line makes a term, whether that is an application, and whether it is a constant or
    a variable.
    """
    action = line.action
    makes = sort_of(line) is not None
    return makes, makes and action == "mk-term", makes and action in ("mk-const", "mk-var")


def _size(token: Token) -> int:
    if isinstance(token, Ref):
        return token.number
    if isinstance(token, bool):
        return int(token)
    if isinstance(token, int):
        return 2 * abs(token) + (token < 0)
    if isinstance(token, Quoted):
        return sum(_CHARACTER + min(ord(char), _CHARACTER) for char in token.text)
    return len(str(token)) if isinstance(token, (Python, FieldSort)) else 0


def _rows(line: Line) -> str:
    ids = line.result("return")
    row = line.head()
    return f"{row}\n" if ids is None else f"{row}\n      return {' '.join(map(str, ids))}\n"
