"""Core: Booleans, equality, if-then-else, and z3's cardinality and pseudo-Boolean constraints. SMT-LIB 2.7, theory Core."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations, pairwise
from operator import eq, ge, le
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.semantics.closures import alike, holds_opaque, opaque, told_apart
from murxpy.semantics.registry import Points, Site, Unknown, meaning, prepared
from murxpy.semantics.values import CannotSay

# Sorts whose values are equal just when Python says so.
_PLAIN = frozenset(["SORT_BOOL", "SORT_BV", "SORT_INT", "SORT_REAL", "SORT_FP", "SORT_RM", "SORT_STRING", "SORT_FF", "SORT_UNINTERPRETED"])


def equal(left: Any, right: Any) -> bool:
    """SMT-LIB's equality of two values of one sort. Raises CannotSay where one holds a function that is no table."""
    if left == right:
        return True
    if hasattr(left, "same"):
        return bool(left.same(right))
    if alike(left, right):
        return True
    if (holds_opaque(left) or holds_opaque(right)) and not told_apart(left, right):
        raise CannotSay("equality of functions over a large domain")
    return False


def _equal_at_known_elements(left: Any, right: Any) -> bool:
    """Equality of arrays by an uninterpreted sort whose elements the model does not list: defaults may have no index.

    Raises CannotSay where only these differ.
    """
    if equal(left, right):
        return True
    if opaque(left) or opaque(right):
        return False
    if all(left.at(point) == right.at(point) for point, _ in (*left.items(), *right.items())):
        raise CannotSay("equality of arrays by a sort whose elements are not known")
    return False


def equality(sort: Sort, points: Points) -> Callable[[Any, Any], bool]:
    """The equality of a sort's values."""
    if sort.kind == "SORT_ARRAY" and sort.sort(0).kind == "SORT_UNINTERPRETED" and points.size(sort.sort(0)) is None:
        return _equal_at_known_elements
    return eq if sort.kind in _PLAIN else equal


def unknown_of(values: Iterable[Any]) -> Unknown | None:
    """An Unknown among `values`, rather one that hangs on an open point; None where there is none."""
    found = [v for v in values if type(v) is Unknown]
    return next((u for u in found if u.key is not None), found[0]) if found else None


@prepared("OP_EQUAL", "OP_IFF", whole=True)
def _equal(site: Site) -> Callable[..., bool]:
    same = equality(site.sorts[0], site.points)
    if len(site.sorts) == 2:
        return same
    return lambda *values: all(same(a, b) for a, b in pairwise(values))


@prepared("OP_DISTINCT", whole=True)
def _distinct(site: Site) -> Callable[..., bool]:
    same = equality(site.sorts[0], site.points)
    if site.sorts[0].kind in _PLAIN:
        return lambda *values: len(set(values)) == len(values)
    return lambda *values: not any(same(a, b) for a, b in combinations(values, 2))


@prepared("OP_NOT")
def _not(site: Site) -> Callable[[bool], bool]:
    return lambda value: not value


@prepared("OP_XOR")
def _xor(site: Site) -> Callable[[bool, bool], bool]:
    return lambda left, right: left != right


@meaning("OP_AND", whole=True, lazy=True)
def _and(site: Site, *values: Any) -> Any:
    if False in values:
        return False
    return unknown_of(values) or True


@meaning("OP_OR", whole=True, lazy=True)
def _or(site: Site, *values: Any) -> Any:
    if True in values:
        return True
    return unknown_of(values) or False


@meaning("OP_IMPLIES", whole=True, lazy=True)
def _implies(site: Site, *values: Any) -> Any:
    if False in values[:-1] or values[-1] is True:
        return True
    return unknown_of(values) or False


@meaning("OP_ITE", lazy=True)
def _ite(site: Site, condition: Any, yes: Any, no: Any) -> Any:
    if type(condition) is not Unknown:
        return yes if condition else no
    if type(yes) is not Unknown and type(no) is not Unknown and yes == no:
        return yes
    return unknown_of((condition, yes, no)) or condition


def _counting(kind: str, compare: Callable[[int, int], bool], weighted: bool) -> None:
    @prepared(kind, whole=True)
    def prepare(site: Site) -> Callable[..., bool]:
        bound = site.indices[0]
        if not weighted:
            return lambda *values: compare(sum(values), bound)
        weights = site.indices[1:]
        return lambda *values: compare(sum(w for w, v in zip(weights, values, strict=True) if v), bound)


_counting("OP_AT_MOST", le, False)
_counting("OP_AT_LEAST", ge, False)
_counting("OP_PB_LE", le, True)
_counting("OP_PB_GE", ge, True)
_counting("OP_PB_EQ", eq, True)
