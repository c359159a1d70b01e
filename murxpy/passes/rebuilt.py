"""Passes that build a script anew: smaller bit-vectors, formats and datatypes, shorter names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from murxpy.logic.sorts import IllSorted, Sort, components, reachable, well_founded
from murxpy.logic.terms import CONSTANT, VARIABLE, Term
from murxpy.passes.parts import Commands, changed, terms
from murxpy.passes.reduction import Reducer
from murxpy.smtlib.rebuilding import BV, DT, FP, Gone, Rebuilder
from murxpy.smtlib.syntax.symbols import RESERVED
from murxpy.smtlib.tables import Tables

T = TypeVar("T", Term, Sort)
S = TypeVar("S")
_LETTERS = "abcdfghijklmnopqrstuvwxyz"  # but for `e`, which z3 reads as a number
# cvc5 supports only Float32 and Float64, unless an option allows all formats
_FORMATS = ((2, 3), (3, 5), (5, 11), (8, 24))
_UNINTERPRETED = "SORT_UNINTERPRETED"


def narrow(tables: Tables, reducer: Reducer[Commands]) -> None:
    """Make all bit-vectors narrower, or those of one width."""
    while reducer.offer(_narrower(tables, reducer.best)) is not None:
        pass


def reformat(tables: Tables, reducer: Reducer[Commands]) -> None:
    """Give floating-point numbers smaller formats; bit-vectors of their sizes follow, or stay."""
    while reducer.offer(_reformatted(tables, reducer.best)) is not None:
        pass


def shrink_datatypes(tables: Tables, reducer: Reducer[Commands]) -> None:
    """Leave out constructors and fields of datatypes that no term needs."""
    while reducer.offer(_shrunk(tables, reducer.best)) is not None:
        pass


def rename(tables: Tables, reducer: Reducer[Commands]) -> None:
    """Name constants, variables and sorts with a letter: all at once, else one by one."""
    leaves, sorts = named(reducer.best)
    whole = Rebuilder(tables, names=_short(leaves), sorts=_short(sorts, str.upper))
    if reducer.offer(_built(reducer.best, [whole])) is not None:
        return
    short = _short(leaves)
    for leaf in leaves:
        reducer.offer(_built(reducer.best, [Rebuilder(tables, names={leaf: short[leaf]})]))


def _narrower(tables: Tables, best: Commands) -> Iterator[Commands]:
    widths = sorted({part.width for part in _sorts(best) if part.kind == BV}, reverse=True)
    if not widths or widths == [1]:
        return
    ways: list[Callable[[int], int]] = [
        lambda w: 1,
        lambda w: max(1, w // 2),
        lambda w: max(1, w - 1),
    ]
    for width in widths:
        ways += [
            partial(_one, width, other)
            for other in dict.fromkeys((1, 2, 4, 8, width // 2, width - 1))
            if 0 < other < width
        ]
    yield from _built(best, [Rebuilder(tables, way) for way in ways])


def _one(old: S, new: S, given: S) -> S:
    return new if given == old else given


def _reformatted(tables: Tables, best: Commands) -> Iterator[Commands]:
    forms = sorted(
        {(part.number(0), part.number(1)) for part in _sorts(best) if part.kind == FP}, reverse=True
    )
    for old in forms:
        e, s = old
        for new in dict.fromkeys((*_FORMATS, (e, max(2, s - 1)), (max(2, e - 1), s))):
            if new != old and new[0] <= e and new[1] <= s:
                form = partial(_one, old, new)
                # bit-vectors as wide as a part of a number, or as the whole number
                widths = {s - 1: new[1] - 1, e: new[0], e + s: sum(new)}
                ways = [
                    Rebuilder(tables, partial(_mapped, widths), form=form),
                    Rebuilder(tables, form=form),
                ]
                yield from _built(best, ways)


def _mapped(widths: Mapping[int, int], given: int) -> int:
    return widths.get(given, given)


def _shrunk(tables: Tables, best: Commands) -> Iterator[Commands]:
    """Leave out a constructor or a field, if each datatype still has a value."""
    found = list(
        dict.fromkeys(
            d for sort in _sorts(best) if sort.kind == DT for d in reachable(sort.datatype)
        )
    )
    gone: list[Gone] = [(d, c.name, "") for d in found for c in d.constructors]
    gone += [(d, c.name, name) for d in found for c in d.constructors for name, _ in c.fields]
    for one in gone:
        rebuilder = Rebuilder(tables, gone=[one])
        block = [rebuilder.datatype(d) for d in found]
        if len(well_founded(block)) == len(block):
            yield from _built(best, [rebuilder])


def _sorts(best: Commands) -> list[Sort]:
    """The sorts of a script's terms and of their parts, the oldest first."""
    found = {part: None for term in terms(best) for part in components(term.sort)}
    return sorted(found, key=lambda sort: sort.serial)


def _built(best: Commands, rebuilders: list[Rebuilder]) -> Iterator[Commands]:
    """The script as each of the rebuilders builds it, without those that find it ill-sorted."""
    for rebuilder in rebuilders:
        try:
            yield tuple([changed(command, rebuilder.term) for command in best])
        except IllSorted:
            continue


def named(best: Commands) -> tuple[list[Term], list[Sort]]:
    """The constants, functions, variables and uninterpreted sorts of a script, the oldest first."""
    leaves: dict[Term, None] = {}
    sorts: dict[Sort, None] = {}
    for term in terms(best):
        if term.op in (CONSTANT, VARIABLE):
            leaves[term] = None
        sorts.update({part: None for part in components(term.sort) if part.kind == _UNINTERPRETED})
    return sorted(leaves, key=lambda leaf: leaf.serial), sorted(sorts, key=lambda sort: sort.serial)


def _short(things: list[T], style: Callable[[str], str] = str) -> dict[T, str]:
    """A letter for each thing; with many things, a number follows the letter."""
    names = (f"{letter}{number or ''}" for number in range(len(things)) for letter in _LETTERS)
    return dict(zip(things, (style(name) for name in names if name not in RESERVED), strict=False))
