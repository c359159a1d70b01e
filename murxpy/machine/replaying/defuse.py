"""Which lines of a trace depend on which: by the ids that they return and use, and by levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from murxpy.machine.checks.registry import BEFORE, MAKING
from murxpy.machine.tokens import Ref
from murxpy.machine.trace.grammar import Line

Script = tuple[Line, ...]  # the lines of a trace; no line is ever changed in place

MAKERS = MAKING
PLANT = "plant"  # the action that gives a term or a sort its value in the planted model
_RESETS = ("reset", "reset-assertions")


def returned(line: Line) -> list[Ref]:
    """The ids of sorts, terms and other objects that the line returned."""
    return [
        token
        for token in line.result("return") or ()
        if isinstance(token, Ref) and token.letter in "stx"
    ]


def used(line: Line) -> list[Ref]:
    """The ids of sorts, terms and other objects in the words of the line."""
    return [token for token in line.args if isinstance(token, Ref) and token.letter in "stx"]


def sort_of(line: Line) -> Ref | None:
    """The sort of the term that the line returned; None where it returned none, or a sort."""
    ids = returned(line)
    return ids[1] if len(ids) == 2 and ids[0].letter == "t" and ids[1].letter == "s" else None


def definitions(lines: Sequence[Line]) -> dict[Ref, int]:
    """For each id, the index of the first line that returned it."""
    found: dict[Ref, int] = {}
    for index, line in enumerate(lines):
        for ref in returned(line):
            found.setdefault(ref, index)
    return found


def closed(lines: Sequence[Line]) -> Script:
    """Leave out the lines that need an id, a solver or a level that no line before them gives."""
    kept: list[Line] = []
    known: set[Ref] = set()
    started, level = False, 0
    for line in lines:
        if started is (line.action in BEFORE) or any(ref not in known for ref in used(line)):
            continue
        if line.action == "pop":
            if not level:
                continue
            line = _popping(line, level)
        level = _level(line, level)
        if line.action in ("new", "delete"):
            started = line.action == "new"
            known.clear()
        if line.action == "del":
            known.difference_update(used(line))
        known.update(returned(line))
        kept.append(line)
    return tuple(kept)


def _popping(line: Line, level: int) -> Line:
    """Let a `pop` line pop at most `level` levels."""
    count = line.args[0] if line.args else None
    return line if not isinstance(count, int) or count <= level else replace(line, args=[level])


def _level(line: Line, level: int) -> int:
    """The number of levels after the line."""
    count = line.args[0] if line.args and isinstance(line.args[0], int) else 0
    if line.action in ("new", *_RESETS):
        return 0
    return (
        level + count if line.action == "push" else level - count if line.action == "pop" else level
    )


def collected(lines: Sequence[Line]) -> Script:
    """Leave out lines that make objects, or plant values for them, that no other line uses. The
    last line stays.
    """
    first = definitions(lines)
    needed: set[Ref] = set()
    kept: list[Line] = []
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        wanted = any(
            ref in needed and (ref.letter == "t" or first[ref] == index) for ref in returned(line)
        )
        if line.action == PLANT and used(line) and index < len(lines) - 1:
            kept += [line] if any(ref in needed for ref in used(line)) else []
            continue
        if wanted or line.action not in MAKERS or index == len(lines) - 1:
            kept.append(line)
            needed.update(used(line))
    return tuple(reversed(kept))


def matching_pops(lines: Sequence[Line], at: int) -> list[int]:
    """The lines that pop a level which the `push` line at index `at` pushed."""
    level = 0
    for line in lines[:at]:
        level = _level(line, level)
    own = (level, _level(lines[at], level))
    level = own[1]
    found = []
    for index in range(at + 1, len(lines)):
        after = _level(lines[index], level)
        if lines[index].action == "pop" and after < own[1]:
            found.append(index)
        level = after
        if level <= own[0]:
            break
    return found
