"""Passes that leave out lines: parts of any size, all lines of a kind, scopes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from murxpy.machine.tokens import Ref
from murxpy.passes.editing import mapped
from murxpy.replaying.defuse import MAKERS, Script, closed, collected, matching_pops, used
from murxpy.trace.grammar import Line

_THEORY = re.compile(r"(?:OP|SORT)_([A-Z]+)_?")
_KEPT = ("new", *MAKERS)  # actions whose lines may be needed by later ones
_PARTNERS = 4  # lines that are tried together with one that cannot be left out alone


def slices(lines: Script) -> Iterator[Script]:
    """Keep what the last line needs; then leave out only the objects that no line needs."""
    if not lines:
        return
    yield collected(closed([*(line for line in lines[:-1] if line.action in _KEPT), lines[-1]]))
    yield collected(lines)


def without(lines: Script, low: int, high: int) -> Script:
    """Leave out the lines from `low` up to `high`, and those that depend on them."""
    return closed([*lines[:low], *lines[high:]])


def doing(lines: Script) -> list[int]:
    """The lines that may be left out and make no object; the last line stays."""
    return [at for at, line in enumerate(lines[:-1]) if line.action not in _KEPT]


def without_doing(lines: Script, low: int, high: int) -> Script:
    """Leave out a part of the lines that make no object, and the objects that only they use."""
    dropped = set(doing(lines)[low:high])
    return collected(closed([line for at, line in enumerate(lines) if at not in dropped]))


def kind(line: Line) -> str:
    """The operator, the kind of sort or the option that the line names, else its action."""
    first = line.args[0] if line.args else None
    named = isinstance(first, str) and (
        first.startswith(("OP_", "SORT_")) or line.action == "set-option"
    )
    return str(first) if named else line.action


def without_kind(lines: Script, at: int) -> Iterator[Script]:
    """Leave out all lines of the same kind as the line at `at`, if that is the last of them."""
    name = kind(lines[at])
    if all(kind(line) != name for line in lines[at + 1 :]):
        yield closed([line for line in lines if kind(line) != name])


def without_theories(lines: Script) -> Iterator[Script]:
    """Leave out all lines of an action, or of a theory; the largest groups come first."""
    named = [(line, (line.action, theory(line))) for line in lines]
    groups = dict.fromkeys(group for _, names in named[:-1] for group in names if group)
    for group in sorted(groups, key=lambda group: -sum(group in names for _, names in named)):
        if group not in _KEPT:
            kept = [line for line, names in named[:-1] if group not in names]
            yield closed([*kept, lines[-1]])


def theory(line: Line) -> str:
    """The theory of the line's operator or sort, such as `BV`; empty where it has none."""
    first = line.args[0] if line.args and line.action in ("mk-sort", "mk-term") else None
    match = _THEORY.match(first) if isinstance(first, str) else None
    return match[1] if match else ""


def without_scope(lines: Script, at: int) -> Iterator[Script]:
    """Leave out the scope that the line at `at` opens; then its push and pops alone."""
    if lines[at].action != "push":
        return
    pops = matching_pops(lines, at)
    if pops:
        yield without(lines, at, pops[-1] + 1)
    yield closed([line for index, line in enumerate(lines) if index not in (at, *pops)])


def without_pair(lines: Script, at: int) -> Iterator[Script]:
    """Leave out the line at `at` together with an earlier one that uses the same id."""
    shared = set(used(lines[at]))
    if lines[at].action in MAKERS:
        return
    partners = [
        index
        for index in range(at - 1, -1, -1)
        if lines[index].action not in MAKERS and shared & set(used(lines[index]))
    ]
    for index in partners[:_PARTNERS]:
        yield closed([line for other, line in enumerate(lines) if other not in (index, at)])


def renumbered(lines: Script) -> Script:
    """Number the ids from 1."""
    names: dict[Ref, Ref] = {}
    counts = {"s": 0, "t": 0, "x": 0}
    for line in lines:
        for token in line.result("return") or ():
            if isinstance(token, Ref) and token.letter in counts and token not in names:
                counts[token.letter] += 1
                names[token] = Ref(token.letter, counts[token.letter])
    return tuple(mapped(line, names) for line in lines)
