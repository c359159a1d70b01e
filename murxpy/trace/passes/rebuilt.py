"""Passes that build a script anew: narrower bit-vectors, shorter names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from murxpy.logic.sorts import Sort, components
from murxpy.logic.terms import CONSTANT, VARIABLE, Term
from murxpy.logic.typing import IllSorted
from murxpy.smtlib.rebuilding import BV, Rebuilder
from murxpy.smtlib.symbols import RESERVED
from murxpy.smtlib.tables import Tables
from murxpy.trace.passes.parts import Commands, changed, terms
from murxpy.trace.reduction import Reducer

T = TypeVar("T", Term, Sort)
_LETTERS = "abcdfghijklmnopqrstuvwxyz"  # without `e`, which z3 takes for a number
_UNINTERPRETED = "SORT_UNINTERPRETED"


def narrow(tables: Tables, reducer: Reducer[Commands]) -> None:
    """Make bit-vectors narrower: all of them at once, else those of one width."""
    while reducer.offer(_narrower(tables, reducer.best)) is not None:
        pass


def rename(tables: Tables, reducer: Reducer[Commands]) -> None:
    """Give constants, variables and sorts names of a letter: all of them, else all but one kind, else each by itself."""
    leaves, sorts = _named(reducer.best)
    whole = Rebuilder(tables, names=_short(leaves), sorts=_short(sorts, str.upper))
    if reducer.offer(_built(reducer.best, [whole])) is not None:
        return
    short = _short(leaves)
    for leaf in leaves:
        reducer.offer(_built(reducer.best, [Rebuilder(tables, names={leaf: short[leaf]})]))


def _narrower(tables: Tables, best: Commands) -> Iterator[Commands]:
    widths = sorted({part.width for term in terms(best) for part in components(term.sort) if part.kind == BV}, reverse=True)
    if not widths or widths == [1]:
        return
    ways: list[Callable[[int], int]] = [lambda w: 1, lambda w: max(1, w // 2), lambda w: max(1, w - 1)]
    for width in widths:
        ways += [partial(_one, width, other) for other in dict.fromkeys((1, 2, 4, 8, width // 2, width - 1)) if 0 < other < width]
    yield from _built(best, [Rebuilder(tables, way) for way in ways])


def _one(width: int, other: int, given: int) -> int:
    return other if given == width else given


def _built(best: Commands, rebuilders: list[Rebuilder]) -> Iterator[Commands]:
    """The script as each of them builds it, where it can be."""
    for rebuilder in rebuilders:
        try:
            yield tuple([changed(command, rebuilder.term) for command in best])
        except IllSorted:
            continue


def _named(best: Commands) -> tuple[list[Term], list[Sort]]:
    """What has a name that is ours to change: constants, functions, variables, uninterpreted sorts; in the order in which they came."""
    leaves: dict[Term, None] = {}
    sorts: dict[Sort, None] = {}
    for term in terms(best):
        if term.op in (CONSTANT, VARIABLE):
            leaves[term] = None
        sorts.update({part: None for part in components(term.sort) if part.kind == _UNINTERPRETED})
    return sorted(leaves, key=lambda leaf: leaf.serial), sorted(sorts, key=lambda sort: sort.serial)


def _short(things: list[T], style: Callable[[str], str] = str) -> dict[T, str]:
    """A letter for each thing, and with many of them a number behind it."""
    names = (f"{letter}{number or ''}" for number in range(len(things)) for letter in _LETTERS)
    return dict(zip(things, (style(name) for name in names if name not in RESERVED), strict=False))
