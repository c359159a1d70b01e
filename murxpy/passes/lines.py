"""Leaving out lines: the slice that the last line needs, parts of any size, all lines of one kind,
scopes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from murxpy.machine.tokens import Ref
from murxpy.passes.terms import mapped
from murxpy.replaying.defuse import MAKERS, Script, closed, collected, matching_pops, used
from murxpy.trace.grammar import Line

_THEORY = re.compile(r"(?:OP|SORT)_([A-Z]+)_?")
_PARTNERS = 4  # lines that are tried together with one that does not go alone


def slices(lines: Script) -> Iterator[Script]:
    """What is left when only the last line counts; then when all lines count that make no object."""
    ends = [line for line in lines[:-1] if line.action == "new"]
    yield collected(
        closed([*(line for line in lines[:-1] if line.action in MAKERS or line in ends), lines[-1]])
    )
    yield collected(lines)


def without(lines: Script, low: int, high: int) -> Script:
    """The lines but those from `low` up to `high`, and those that depend on them."""
    return closed([*lines[:low], *lines[high:]])


def kind(line: Line) -> str:
    """What a line does: its operator or sort kind, its option, else its action."""
    first = line.args[0] if line.args else None
    named = isinstance(first, str) and (
        first.startswith(("OP_", "SORT_")) or line.action == "set-option"
    )
    return str(first) if named else line.action


def without_kind(lines: Script, at: int) -> Iterator[Script]:
    """Without all lines of the kind of the line at `at`, offered where that kind comes last."""
    name = kind(lines[at])
    if all(kind(line) != name for line in lines[at + 1 :]):
        yield closed([line for line in lines if kind(line) != name])


def without_theories(lines: Script) -> Iterator[Script]:
    """Without all options, without all of each other sort of action, without all sorts and
    operators of each theory.
    """
    groups = dict.fromkeys(
        group for line in lines[:-1] for group in (line.action, theory(line)) if group
    )
    for group in sorted(
        groups, key=lambda group: -sum(group in (line.action, theory(line)) for line in lines)
    ):
        if group not in ("new", *MAKERS):
            yield closed(
                [line for line in lines[:-1] if group not in (line.action, theory(line))]
                + [lines[-1]]
            )


def theory(line: Line) -> str:
    """What the names of the sorts and operators of the line's theory begin with: `BV`, `FP`; empty
    where it is of none.
    """
    first = line.args[0] if line.args else None
    match = (
        _THEORY.match(first)
        if isinstance(first, str) and line.action in ("mk-sort", "mk-term")
        else None
    )
    return match[1] if match else ""


def without_scope(lines: Script, at: int) -> Iterator[Script]:
    """Without the scope that the line at `at` opens: with all that is in it, then its push and pops
    alone.
    """
    if lines[at].action != "push":
        return
    pops = matching_pops(lines, at)
    if pops:
        yield closed([*lines[:at], *lines[pops[-1] + 1 :]])
    yield closed([line for index, line in enumerate(lines) if index != at and index not in pops])


def without_pair(lines: Script, at: int) -> Iterator[Script]:
    """Without the line at `at` and one more before it that uses the same id, where neither goes
    alone.
    """
    wanted = set(used(lines[at]))
    if lines[at].action in MAKERS:
        return
    partners = [
        index
        for index in range(at - 1, -1, -1)
        if lines[index].action not in MAKERS and wanted & set(used(lines[index]))
    ]
    for index in partners[:_PARTNERS]:
        yield closed([line for other, line in enumerate(lines) if other not in (index, at)])


def renumbered(lines: Script) -> Script:
    """The same lines with ids that count from 1."""
    names: dict[Ref, Ref] = {}
    counts = {"s": 0, "t": 0, "x": 0}
    for line in lines:
        for token in line.result("return") or ():
            if isinstance(token, Ref) and token.letter in counts and token not in names:
                counts[token.letter] += 1
                names[token] = Ref(token.letter, counts[token.letter])
    return tuple(mapped(line, names) for line in lines)
