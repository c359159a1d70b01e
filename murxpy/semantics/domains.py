"""The number of values of a sort, the values themselves, and the table that stands for a function
over a finite domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import islice, product
from math import prod
from typing import TypeVar

from murxpy.logic.sorts import SETS, Sort
from murxpy.semantics.registry import CARDINALITIES, ENUMERATIONS, Points, cardinality, enumeration
from murxpy.semantics.values import (
    ROUNDING_MODES,
    ArrayValue,
    CannotSay,
    DatatypeValue,
    FunctionValue,
    SetValue,
    Table,
    Value,
)

T = TypeVar("T", bound=Table)

LARGEST = 1 << 64  # a larger size is treated as infinite


def size_of(sort: Sort, points: Points) -> int | None:
    """Return how many values `sort` has. Return None if there are infinitely many, more than
    `LARGEST`, or if the number is unknown.
    """
    count = CARDINALITIES.get(sort.kind)
    return count(sort, points) if count is not None else None


def values_of(sort: Sort, points: Points, bound: int) -> tuple[Value, ...] | None:
    """Return all values of `sort` in a fixed order, or None if there are more than `bound` or they
    are unknown.
    """
    size = points.size(sort)
    listed = ENUMERATIONS.get(sort.kind)
    return (
        listed(sort, points) if listed is not None and size is not None and size <= bound else None
    )


@cardinality("SORT_BOOL")
def _bool_size(sort: Sort, points: Points) -> int:
    return 2


@enumeration("SORT_BOOL")
def _bools(sort: Sort, points: Points) -> tuple[Value, ...]:
    return (False, True)


@cardinality("SORT_BV")
def _bv_size(sort: Sort, points: Points) -> int | None:
    return 1 << sort.width if sort.width <= 64 else None


@enumeration("SORT_BV")
def _bvs(sort: Sort, points: Points) -> tuple[Value, ...]:
    return tuple(range(1 << sort.width))


@cardinality("SORT_RM")
def _rm_size(sort: Sort, points: Points) -> int:
    return len(ROUNDING_MODES)


@enumeration("SORT_RM")
def _rms(sort: Sort, points: Points) -> tuple[Value, ...]:
    return ROUNDING_MODES


@cardinality("SORT_UNINTERPRETED")
def _elements_size(sort: Sort, points: Points) -> int | None:
    domain = points.interpretation.domains.get(sort)
    return len(domain) if domain else None


@enumeration("SORT_UNINTERPRETED")
def _elements(sort: Sort, points: Points) -> tuple[Value, ...] | None:
    return points.interpretation.domains.get(sort)


def table_size(domain: tuple[Sort, ...], codomain: Sort, points: Points) -> int | None:
    """Return how many functions there are from the product of `domain` to `codomain`."""
    results = points.size(codomain)
    if results == 1:
        return 1
    sizes = [points.size(sort) for sort in domain]
    if results is None or any(s is None for s in sizes):
        return None
    width = prod(s for s in sizes if s is not None)
    return (
        results**width if width * results.bit_length() <= 80 and results**width <= LARGEST else None
    )


@cardinality("SORT_TUPLE")
def _tuple_size(sort: Sort, points: Points) -> int | None:
    sizes = [points.size(field) for field in sort.sorts()]
    total = prod(size for size in sizes if size is not None)
    return total if None not in sizes and total <= LARGEST else None


@enumeration("SORT_TUPLE")
def _tuples(sort: Sort, points: Points) -> tuple[Value, ...] | None:
    rows = rows_of(sort.sorts(), points)
    return None if rows is None else tuple(DatatypeValue("", row) for row in rows)


@cardinality("SORT_ARRAY")
def _array_size(sort: Sort, points: Points) -> int | None:
    return table_size((sort.sort(0),), sort.sort(1), points)


@cardinality("SORT_FUN")
def _function_size(sort: Sort, points: Points) -> int | None:
    return table_size(sort.sorts()[:-1], sort.sorts()[-1], points)


@enumeration("SORT_ARRAY")
def _arrays(sort: Sort, points: Points) -> tuple[Value, ...] | None:
    indices, elements = points.domain(sort.sort(0)), points.domain(sort.sort(1))
    if elements is not None and len(elements) == 1:
        return (ArrayValue(elements[0]),)
    if indices is None or elements is None:
        return None
    return tuple(
        _complete(ArrayValue, indices, row) for row in product(elements, repeat=len(indices))
    )


@enumeration("SORT_FUN")
def _functions(sort: Sort, points: Points) -> tuple[Value, ...] | None:
    rows, results = rows_of(sort.sorts()[:-1], points), points.domain(sort.sorts()[-1])
    if results is not None and len(results) == 1:
        return (FunctionValue(results[0]),)
    if rows is None or results is None:
        return None
    return tuple(_complete(FunctionValue, rows, row) for row in product(results, repeat=len(rows)))


def rows_of(
    sorts: tuple[Sort, ...], points: Points, bound: int | None = None
) -> tuple[tuple[Value, ...], ...] | None:
    """Return all tuples of values of `sorts`, or None if there are more than `bound` or some values
    are unknown.
    """
    domains = [points.domain(sort) for sort in sorts]
    known = [d for d in domains if d is not None]
    if len(known) < len(domains) or (bound is not None and prod(map(len, known)) > bound):
        return None
    return tuple(product(*known))


def _complete(kind: type[T], domain: tuple[Value, ...], results: Iterable[Value]) -> T:
    """Return the canonical table of a function whose value at each point of its domain is given."""
    pairs = list(zip(domain, results, strict=True))
    counts: dict[Value, int] = {}
    for _, value in pairs:
        counts[value] = counts.get(value, 0) + 1
    return kind(max(counts, key=lambda value: counts[value]), pairs)


def make_array(
    sort: Sort, default: Value, stores: Iterable[tuple[Value, Value]], points: Points
) -> ArrayValue:
    """Return the canonical array of `sort`. Of two stores at the same index the later one counts."""
    return canonical(ArrayValue(default, dict(stores).items()), (sort.sort(0),), points)


def make_function(
    sort: Sort, default: Value, entries: Iterable[tuple[tuple[Value, ...], Value]], points: Points
) -> FunctionValue:
    """Return the canonical function of `sort`. Of two entries at the same point the later one
    counts.
    """
    return canonical(FunctionValue(default, dict(entries).items()), sort.sorts()[:-1], points)


def canonical(table: T, domain: tuple[Sort, ...], points: Points) -> T:
    """Return the table that stands for all tables that are equal to it. Over a finite domain its
    default is the value at most points; of several such values it is the one that comes first.

    Raises CannotSay if more points than the bound would have to be looked at.
    """
    if not table.points:
        return table
    sizes = [points.size(sort) for sort in domain]
    if any(size is None for size in sizes):
        return table
    total = prod(size for size in sizes if size is not None)
    if 2 * len(table.points) < total:
        return table  # the default is at more than half of the points
    if len(domain) == 1 and isinstance(table, ArrayValue):
        every: tuple[Value, ...] | None = points.domain(domain[0])
    else:
        every = rows_of(domain, points)
    if every is None:
        raise CannotSay(f"a table over a domain of {total} points")
    return _complete(type(table), every, map(table.at, every))


# ----------------------------------------------------------------------
# A few values of sorts that are too large to try all of their values. Such values sometimes decide
# a quantifier or tell two functions apart.


_INTEGERS = (0, 1, -1, 2, -2, 3, 7, -8, 255, 1 << 31, -(1 << 31))
_INNER = 3  # values of the sort of a part that are used


def samples(sort: Sort, points: Points) -> tuple[Value, ...]:
    """Return all values of a small sort, some values of a large one, and none if the values are not
    known.
    """
    listed = _SAMPLES.get(sort.kind)
    return points.domain(sort) or (() if listed is None else listed(sort, points))


def _bit_vectors(sort: Sort, points: Points) -> tuple[Value, ...]:
    top = 1 << (sort.width - 1)
    return tuple(dict.fromkeys((0, 1, 2 * top - 1, top, top - 1, 2 % (2 * top), 2 * top - 2)))


def _floats(sort: Sort, points: Points) -> tuple[Value, ...]:
    """Return zeros, one, infinity, NaN and the least subnormal number."""
    exponent, significand = sort.number(0), sort.number(1)
    infinity = ((1 << exponent) - 1) << (significand - 1)
    one = ((1 << (exponent - 1)) - 1) << (significand - 1)
    return (
        0,
        1 << (exponent + significand - 1),
        one,
        infinity,
        infinity | 1 << (significand - 2),
        1,
    )


def _inner(sort: Sort, at: int, points: Points) -> tuple[Value, ...]:
    return tuple(islice(samples(sort.sort(at), points), _INNER))


def _sets(sort: Sort, points: Points) -> tuple[Value, ...]:
    return tuple(
        SetValue(frozenset(part)) for part in ((), *((v,) for v in _inner(sort, 0, points)))
    )


_SAMPLES: dict[str, Callable[[Sort, Points], tuple[Value, ...]]] = {
    "SORT_BV": _bit_vectors,
    "SORT_FP": _floats,
    "SORT_INT": lambda sort, points: _INTEGERS,
    "SORT_REAL": lambda sort, points: (*map(Fraction, _INTEGERS), Fraction(1, 2), Fraction(-1, 3)),
    "SORT_STRING": lambda sort, points: ("", "a", "b", "ab", "0", "aa"),
    "SORT_FF": lambda sort, points: (0, 1, sort.width - 1),
    "SORT_SEQ": lambda sort, points: ((), *((value,) for value in _inner(sort, 0, points))),
    **dict.fromkeys(SETS, _sets),
    "SORT_ARRAY": lambda sort, points: tuple(map(ArrayValue, _inner(sort, 1, points))),
}
