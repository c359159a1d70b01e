"""A few values of sorts that are too large to try all of their values. They sometimes decide a
quantifier or tell two functions apart.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import islice

from murxpy.logic.sorts import Sort
from murxpy.semantics.registry import Points
from murxpy.semantics.values import ArrayValue, SetValue, Value

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


_SAMPLES: dict[str, Callable[[Sort, Points], tuple[Value, ...]]] = {
    "SORT_BV": _bit_vectors,
    "SORT_FP": _floats,
    "SORT_INT": lambda sort, points: _INTEGERS,
    "SORT_REAL": lambda sort, points: (*map(Fraction, _INTEGERS), Fraction(1, 2), Fraction(-1, 3)),
    "SORT_STRING": lambda sort, points: ("", "a", "b", "ab", "0", "aa"),
    "SORT_FF": lambda sort, points: (0, 1, sort.width - 1),
    "SORT_SEQ": lambda sort, points: ((), *((value,) for value in _inner(sort, 0, points))),
    "SORT_SET": lambda sort, points: tuple(
        SetValue(frozenset(part)) for part in ((), *((v,) for v in _inner(sort, 0, points)))
    ),
    "SORT_ARRAY": lambda sort, points: tuple(map(ArrayValue, _inner(sort, 1, points))),
}
