"""Small changes of traces, from which the passes make their candidates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any

from murxpy.machine.replaying.defuse import (
    MAKERS,
    Script,
    closed,
    collected,
    matching_pops,
    returned,
    sort_of,
    used,
)
from murxpy.machine.tokens import Quoted, Ref, Token
from murxpy.machine.trace.grammar import Line


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


# ----------------------------------------------------------------------
# Passes that leave out lines: parts of any size, all lines of a kind, scopes.


_THEORY = re.compile(r"(?:OP|SORT)_([A-Z]+)_?")
_KEPT = ("new", *MAKERS)  # actions whose lines may be needed by later ones
_PARTNERS = 4  # lines that are tried together with one that cannot be left out alone


def slices(lines: Script) -> Iterator[Script]:
    """Keep what the last line needs; then leave out only the objects that no line needs."""
    if not lines:
        return
    yield collected(closed([*_building(lines), lines[-1]]))
    yield collected(lines)


def _building(lines: Script) -> list[Line]:
    """The lines that make objects, and those that the last line needs: public callables give objects, too."""
    needed = set(used(lines[-1]))
    kept = []
    for line in reversed(lines[:-1]):
        wanted = any(ref in needed for ref in returned(line))
        if wanted or line.action in _KEPT:
            kept.append(line)
        if wanted:
            needed.update(used(line))
    return kept[::-1]


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
    """Renumber the ids of a trace from 1."""
    names: dict[Ref, Ref] = {}
    counts = {"s": 0, "t": 0, "x": 0}
    for line in lines:
        for token in line.result("return") or ():
            if isinstance(token, Ref) and token.letter in counts and token not in names:
                counts[token.letter] += 1
                names[token] = Ref(token.letter, counts[token.letter])
    return tuple(mapped(line, names) for line in lines)


# ----------------------------------------------------------------------
# A pass that gives calls simpler spellings: those that the wrapper lists first.


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


def _sort_kind(lines: Script, line: Line) -> str:
    """The kind of the sort that the line's first word names; empty where it names none."""
    sort = line.args[0] if line.args else None
    if not isinstance(sort, Ref) or sort.letter != "s":
        return ""
    made = (one for one in lines if any(sort in words for _, words in one.results))
    words = (word for one in made for word in one.args if isinstance(word, str))
    return next((word for word in words if word.startswith("SORT_")), "")


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

    def all_simpler(self, lines: Script, at: int) -> Iterator[Script]:
        """Give the line at `at` each simpler spelling that its sort has, the simplest first."""
        line = lines[at]
        section = self._wrapper.get(_SECTIONS.get(line.action, "actions")) or {}
        kind = _sort_kind(lines, line)
        own = next((section[key] for key in (kind, kind[5:], "any") if key in section), None)
        names = self._before(line, [own] if kind and own is not None else None)
        for name in names:
            yield put(lines, at, replace(line, spelling=name))

    def _before(self, line: Line, sets: Iterable[Any] | None = None) -> list[str]:
        """The spellings that are listed before the line's own in the first of the sets that has it."""
        if line.spelling is None:
            return []
        for forms in self._sets(line) if sets is None else sets:
            if isinstance(forms, Mapping) and line.spelling in forms:
                return list(takewhile(lambda name: name != line.spelling, forms))
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
