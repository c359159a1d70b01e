"""The order in which traces are smaller: fewer lines, fewer words, simpler words, simpler spellings, smaller seeds."""

from __future__ import annotations

from collections.abc import Callable

from murxpy.machine.tokens import FieldSort, Python, Quoted, Ref, Token
from murxpy.trace.defuse import Script
from murxpy.trace.grammar import Line

Rank = Callable[[Line], int]  # of a line's spelling, 0 for the simplest

_CHARACTER = 256  # what a character of a text counts at least


def measure(lines: Script, rank: Rank = lambda line: 0) -> tuple[int, ...]:
    """A key to sort traces by."""
    words = [token for line in lines for token in line.args]
    return (
        len(lines),
        len(words),
        sum(map(_size, words)),
        sum(map(rank, lines)),
        sum(line.seed or 0 for line in lines),
    )


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


def text(lines: Script) -> str:
    """The lines as a trace without header, with nothing of what followed them but the ids."""
    rows: list[str] = []
    for line in lines:
        rows.append(line.head())
        ids = line.result("return")
        if ids is not None:
            rows.append(f"      return {' '.join(map(str, ids))}")
    return "\n".join(rows) + "\n"
