"""Ranges by bisection, for operators that are monotone in an argument with finitely many values in
an order.

If the wanted range is an interval, the values of the argument that keep the result in it are one,
too. Its ends are found by trying values.
"""

from __future__ import annotations

from collections.abc import Callable

from murxpy.semantics.ranges.abstract import ANY, Bits, Few, Interval, Range


def convex(wanted: Range) -> bool:
    """Return whether a range is an interval in the order of its sort."""
    if isinstance(wanted, Bits):
        return not wanted.mask
    return wanted is ANY or isinstance(wanted, Interval) or one_value(wanted)


def one_value(wanted: Range) -> bool:
    """Return whether a range has one value."""
    return isinstance(wanted, Few) and len(wanted.values) == 1


def stretch(keeps: Callable[[int], bool], present: int, low: int, high: int) -> tuple[int, int]:
    """Return the interval around `present` in which `keeps` holds. Between `present` and each of the
    ends `low` and `high`, it changes at most once.
    """
    return _end(keeps, present, low), _end(keeps, present, high)


def _end(keeps: Callable[[int], bool], fine: int, end: int) -> int:
    if keeps(end):
        return end
    while abs(end - fine) > 1:
        middle = (fine + end) // 2
        if keeps(middle):
            fine = middle
        else:
            end = middle
    return fine
