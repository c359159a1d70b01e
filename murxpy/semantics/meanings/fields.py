"""Finite fields of prime order, as in cvc5 and z3. A value is an integer modulo p."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from murxpy.logic.sorts import Sort
from murxpy.semantics.registry import Points, Site, cardinality, enumeration, prepared, special
from murxpy.semantics.values import Value


@prepared("OP_FINITE_FIELD_NEG")
def _negate(site: Site) -> Callable[[int], int]:
    order = site.sort.width
    return lambda x: -x % order


@prepared("OP_FINITE_FIELD_ADD", whole=True)
def _add(site: Site) -> Callable[..., int]:
    order = site.sort.width
    return lambda *values: sum(values) % order


@prepared("OP_FINITE_FIELD_MULT", whole=True)
def _multiply(site: Site) -> Callable[..., int]:
    order = site.sort.width
    return lambda *values: prod(values) % order


@prepared("OP_FINITE_FIELD_BITSUM")
def _bitsum(site: Site) -> Callable[..., int]:
    """Return x0 + 2 x1 + 4 x2 + ..."""
    order = site.sort.width
    return lambda *values: sum(x << k for k, x in enumerate(values)) % order


@special("SORT_FF")
def _special(sort: Sort, name: str, points: Points) -> int:
    return {"ff.zero": 0, "ff.one": 1 % sort.width, "ff.negone": sort.width - 1}[name]


@cardinality("SORT_FF")
def _size(sort: Sort, points: Points) -> int | None:
    return sort.width if sort.width <= 1 << 64 else None


@enumeration("SORT_FF")
def _elements(sort: Sort, points: Points) -> tuple[Value, ...]:
    return tuple(range(sort.width))
