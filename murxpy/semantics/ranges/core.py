"""Backward rules of equality and if-then-else. The arguments of connectives are Booleans, of which
all values are tried.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from murxpy.semantics.ranges.abstract import ANY, Bits, Except, Few, Interval, Range
from murxpy.semantics.ranges.backward import Question, backward, without

# Sorts whose values have one form each, so that a value that is not among others differs from them.
PLAIN = (
    "SORT_BV",
    "SORT_INT",
    "SORT_REAL",
    "SORT_FP",
    "SORT_STRING",
    "SORT_FF",
    "SORT_UNINTERPRETED",
)

without(
    "the arguments are Booleans, of which all values are tried",
    "OP_NOT",
    "OP_AND",
    "OP_OR",
    "OP_XOR",
    "OP_IMPLIES",
    "OP_IFF",
    "OP_AT_MOST",
    "OP_AT_LEAST",
    "OP_PB_LE",
    "OP_PB_GE",
    "OP_PB_EQ",
)


@backward("OP_EQUAL")
def _equal(question: Question) -> Range | None:
    others = question.others
    if question.wanted.holds(question.given) and question.given is True:
        return Few((others[0],)) if question.sorts[0].kind in PLAIN else None
    if any(left != right for left, right in pairwise(others)):
        return ANY if question.sorts[0].kind in PLAIN else None
    return _other_than(question, others[:1])


@backward("OP_DISTINCT")
def _distinct(question: Question) -> Range | None:
    others = question.others
    if question.given is True:
        return _other_than(question, others)
    if question.sorts[0].kind not in PLAIN:
        return None
    return ANY if len(set(others)) < len(others) else Few(others)


def _other_than(question: Question, others: tuple[object, ...]) -> Range | None:
    return Except(others) if question.sorts[0].kind in PLAIN else None


@backward("OP_ITE")
def _ite(question: Question) -> Range | None:
    taken = 1 if question.values[0] else 2
    return question.wanted if question.at == taken else ANY


# ----------------------------------------------------------------------
# Ranges by bisection, for operators that are monotone in an argument with finitely many values in
# an order. If the wanted range is an interval, the values of the argument that keep the result in
# it are one, too. The ends of the range are found by trying values.


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
