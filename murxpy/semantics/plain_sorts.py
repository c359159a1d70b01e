"""Facts about the values of a sort: whether Python's `==` is their equality, and whether there are
many.

A sort is plain if each of its values has only one form, so that `==` is equality. No value of a
plain sort contains a function that is no table, a regular language, or a table over elements that a
model may have left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from murxpy.logic.sorts import SETS, Sort
from murxpy.logic.walks import subterms
from murxpy.semantics.datatypes import fields_of
from murxpy.semantics.registry import Points

ROWS = 256  # a function over at most so many points is made a table at once

_LEAVES = frozenset(
    [
        "SORT_BOOL",
        "SORT_BV",
        "SORT_INT",
        "SORT_REAL",
        "SORT_FP",
        "SORT_RM",
        "SORT_STRING",
        "SORT_FF",
        "SORT_UNINTERPRETED",
    ]
)
_COLLECTIONS = frozenset(
    ["SORT_SET", "SORT_FINITE_SET", "SORT_BAG", "SORT_SEQ", "SORT_TUPLE", "SORT_NULLABLE"]
)
_INFINITE = frozenset(
    ["SORT_INT", "SORT_REAL", "SORT_STRING", "SORT_SEQ", "SORT_BAG", "SORT_REGLAN"]
)
# if the number of elements is not given, there are more than 2^64
_LARGE = frozenset(["SORT_BV", "SORT_FP", "SORT_FF"])

# most datatypes that a sort may contain; a parametric datatype can contain ever larger instances of
# itself
_INSTANCES = 64
_MANY = 1 << 32


def signature(sort: Sort) -> tuple[tuple[Sort, ...], Sort]:
    """Return the sorts of the arguments and the sort of the result of an array or function."""
    *domain, result = sort.sorts()
    return tuple(domain), result


def tabulated(sort: Sort, points: Points) -> bool:
    """Return whether all values of an array's or function's sort are tables. If not, some may be
    closures.
    """
    domains = [points.domain(s) for s in signature(sort)[0]]
    known = [len(d) for d in domains if d is not None]
    return len(known) == len(domains) and (sort.kind == "SORT_ARRAY" or prod(known) <= ROWS)


def plain(sort: Sort, points: Points) -> bool:
    """Return whether two values of `sort` are equal exactly if `==` says so."""
    return sort.kind in _LEAVES or _plain(sort, points)


def all_plain(sorts: Iterable[Sort], points: Points) -> bool:
    """Return whether all of `sorts` are plain."""
    return all(plain(sort, points) for sort in sorts)


def _plain(root: Sort, points: Points) -> bool:
    datatypes: dict[tuple[object, ...], None] = {}

    def parts(sort: Sort) -> Sequence[Sort]:
        if sort.kind in _LEAVES or sort.params in datatypes:
            return ()
        if sort.kind != "SORT_DT":
            return sort.sorts()
        datatypes[sort.params] = None
        constructors = sort.datatype.constructors
        return [field for one in constructors for field in fields_of(sort, one)]

    def fits(sort: Sort) -> bool:
        if sort.kind in ("SORT_ARRAY", "SORT_FUN"):
            return tabulated(sort, points)
        if sort.kind == "SORT_DT":
            return len(datatypes) <= _INSTANCES
        if sort.kind in SETS:
            return known_size(sort.sort(0), points)
        return sort.kind in _LEAVES or sort.kind in _COLLECTIONS

    return all(map(fits, subterms([root], parts)))


def known_size(sort: Sort, points: Points) -> bool:
    """Return whether the number of values of a sort is known, or known to be very large. False means
    that the facts decide nothing.
    """
    return points.size(sort) is not None or more_than(_MANY, sort, points)


def more_than(count: int, sort: Sort, points: Points) -> bool:
    """Return whether a sort is known to have more than `count` values. False means that there may be
    more.
    """
    size = points.size(sort)
    if size is not None:
        return size > count
    if sort.kind in _INFINITE or sort.kind in _LARGE or count < 1:
        return True
    if sort.kind in (*SETS, "SORT_NULLABLE"):
        return more_than(count, sort.sort(0), points)
    if sort.kind == "SORT_TUPLE":
        return any(more_than(count, field, points) for field in sort.sorts())
    if sort.kind in ("SORT_ARRAY", "SORT_FUN"):
        domain, result = signature(sort)
        wide = any(more_than(count, s, points) for s in domain) and more_than(1, result, points)
        return wide or more_than(count, result, points)
    return sort.kind == "SORT_DT" and _many_of(sort, count, points)


def _many_of(sort: Sort, count: int, points: Points) -> bool:
    """Return whether a datatype contains itself, or has a field with many values."""
    fields = [
        field
        for constructor in sort.datatype.constructors
        for field in fields_of(sort, constructor)
    ]
    if any(field.kind == "SORT_DT" and field.datatype is sort.datatype for field in fields):
        return True
    return any(
        more_than(count, field, points)
        for field in fields
        if field.kind in _INFINITE or field.kind in _LARGE
    )
