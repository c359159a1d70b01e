"""Making a term fit a place: values of a range are drawn, and a term with another value is wrapped so
that its value is the drawn one.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.machine.random import Stream
from murxpy.mutation.diving.conditions import Conditions
from murxpy.semantics.exact.float_formats import format_of
from murxpy.semantics.ranges.abstract import Bits, Except, Few, Interval, Range
from murxpy.semantics.ranges.floats import Floats, at_rank
from murxpy.semantics.ranges.languages import Having, Words
from murxpy.smtlib.tables import Tables

NEAR = 16  # how far a drawn number is from the present one or an end, at most
_AT_END = 0.4  # the chance of an end of an interval


def drawn(wanted: Range, present: Any, stream: Stream) -> Any:
    """A random value of a range; `present` is in it, and stands for ranges that have no draw."""
    draw = _DRAWS.get(type(wanted))
    found = present if draw is None else draw(wanted, present, stream)
    return found if wanted.holds(found) else present


def _few(wanted: Few, present: Any, stream: Stream) -> Any:
    return stream.choose(wanted.values)


def _except(wanted: Except, present: Any, stream: Stream) -> Any:
    return present + stream.between(-NEAR, NEAR) if isinstance(present, Fraction) else present


def _interval(wanted: Interval, present: Any, stream: Stream) -> Any:
    low, high = wanted.low, wanted.high
    if low is not None and low == high:
        return low
    ends = [end for end in (low, high) if end is not None]
    if ends and stream.chance(_AT_END):
        return stream.choose(ends)
    if type(present) is not int:
        # halves are between open ends that are near
        return present + Fraction(stream.between(-NEAR, NEAR), stream.choose((1, 2, 64)))
    first = max(present - NEAR, floor(low)) if low is not None else present - NEAR
    last = min(present + NEAR, floor(high)) if high is not None else present + NEAR
    return stream.between(first, last)


def _bits(wanted: Bits, present: int, stream: Stream) -> int:
    if stream.chance(_AT_END):
        return stream.choose((wanted.low, wanted.high))
    value = wanted.low + stream.below(wanted.high - wanted.low + 1)
    return value & ~wanted.mask | wanted.ones


def _floats(wanted: Floats, present: int, stream: Stream) -> int:
    place = wanted.low + stream.below(wanted.high - wanted.low + 1)
    ends = stream.chance(_AT_END)
    return at_rank(
        format_of(wanted.e, wanted.s), stream.choose((wanted.low, wanted.high)) if ends else place
    )


def _words(wanted: Words, present: str, stream: Stream) -> str:
    cut, letter = stream.between(0, len(present)), stream.choose("ab0")
    return stream.choose(
        ("", present[:cut], present[cut:], present[:cut] + letter + present[cut:], letter * 3)
    )


_DRAWS: dict[type, Callable[..., Any]] = {
    Few: _few,
    Except: _except,
    Interval: _interval,
    Bits: _bits,
    Floats: _floats,
    Words: _words,
}


class Wrapping:
    """Wraps a term so that it has a wanted value in the model."""

    def __init__(self, tables: Tables, stream: Stream, conditions: Conditions) -> None:
        self._tables = tables
        self._stream = stream
        self._conditions = conditions

    def wrapped(self, term: Term, value: Any, goal: Any) -> Term | None:
        """A term around `term`, whose value in the model is `value`, with the value `goal`; None if
        the sort has no such term.
        """
        wrap = _WRAPS.get(term.sort.kind)
        return None if wrap is None else wrap(self, term, value, goal)

    def language(self, term: Term, wanted: Having) -> Term | None:
        """A regular language with a word more, or without it."""
        word = self._conditions.literal(wanted.word, self._tables.string)
        if word is None:
            return None
        alone = self._tables.apply("OP_STR_TO_RE", word)
        if wanted.truth:
            return self._tables.apply("OP_RE_UNION", term, alone)
        return self._tables.apply("OP_RE_INTER", term, self._tables.apply("OP_RE_COMP", alone))

    def guarded(self, old: Term, new: Term, condition: Term, truth: bool) -> Term:
        """A term with both, of which the condition selects the old one in the model."""
        ways = (old, new) if truth else (new, old)
        return self._tables.apply("OP_ITE", condition, *ways)

    def _apply(self, kind: str, term: Term, *values: Any, sort: Sort | None = None) -> Term | None:
        others = [self._conditions.literal(value, sort or term.sort) for value in values]
        known = [other for other in others if other is not None]
        if len(known) < len(others):
            return None
        return self._tables.apply(kind, term, *known)

    def _bool(self, term: Term, value: bool, goal: bool) -> Term:
        return self._tables.apply("OP_NOT", term)

    def _number(self, term: Term, value: Any, goal: Any) -> Term | None:
        theory = term.sort.kind.removeprefix("SORT_")
        if goal == -value and self._stream.chance(0.5):
            return self._tables.apply(f"OP_{theory}_NEG", term)
        if self._stream.chance(0.5):
            return self._apply(f"OP_{theory}_SUB", term, value - goal)
        return self._apply(f"OP_{theory}_ADD", term, goal - value)

    def _bit_vector(self, term: Term, value: int, goal: int) -> Term | None:
        top = (1 << term.sort.width) - 1
        if value == goal ^ top and self._stream.chance(0.5):
            return self._tables.apply("OP_BV_NOT", term)
        if self._stream.chance(0.5):
            return self._apply("OP_BV_XOR", term, value ^ goal)
        return self._apply("OP_BV_ADD", term, goal - value & top)

    def _field(self, term: Term, value: int, goal: int) -> Term | None:
        return self._apply("OP_FINITE_FIELD_ADD", term, (goal - value) % term.sort.width)

    def _text(self, term: Term, value: str, goal: str) -> Term | None:
        """Concatenation where the value is part of the goal; else the whole value is replaced."""
        at = goal.find(value)
        if at < 0:
            return self._apply("OP_STR_REPLACE", term, value, goal)
        before = self._conditions.literal(goal[:at], term.sort)
        after = self._conditions.literal(goal[at + len(value) :], term.sort)
        if before is None or after is None:
            return None
        parts = [part for part in (before, term, after) if part is term or part.indices != ("",)]
        return self._tables.apply("OP_STR_CONCAT", *parts) if len(parts) > 1 else term

    def _sequence(self, term: Term, value: Any, goal: Any) -> Term | None:
        return self._apply("OP_SEQ_REPLACE", term, value, goal)

    def _array(self, term: Term, value: Any, goal: Any) -> Term | None:
        """Stores at the indices at which the arrays differ."""
        index, element = term.sort.sorts()
        if getattr(value, "default", None) != getattr(goal, "default", None):
            return None
        points = dict.fromkeys(point for point, _ in (*value.items(), *goal.items()))
        found: Term | None = term
        for point in points:
            if found is None:
                return None
            if value.at(point) == goal.at(point):
                continue
            at = self._conditions.literal(point, index)
            stored = self._conditions.literal(goal.at(point), element)
            if at is None or stored is None:
                return None
            found = self._tables.apply("OP_ARRAY_STORE", found, at, stored)
        return found


_WRAPS: dict[str, Callable[[Wrapping, Term, Any, Any], Term | None]] = {
    "SORT_BOOL": Wrapping._bool,
    "SORT_INT": Wrapping._number,
    "SORT_REAL": Wrapping._number,
    "SORT_BV": Wrapping._bit_vector,
    "SORT_FF": Wrapping._field,
    "SORT_STRING": Wrapping._text,
    "SORT_SEQ": Wrapping._sequence,
    "SORT_ARRAY": Wrapping._array,
}
