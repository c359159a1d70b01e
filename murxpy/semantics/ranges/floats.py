"""Ranges of floats: an interval in the order of their bit patterns, and whether NaN is in the range.

The rank of a float is its place in this order: -infinity is first, -0 is before +0, +infinity is
last. Nearly all operators are monotone in it, as long as nothing is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.semantics.exact.float_formats import Format, format_of
from murxpy.semantics.ranges.abstract import WIDE, Range


@dataclass(frozen=True, slots=True)
class Floats:
    """Floats of a format with a rank from `low` to `high`, and NaN if `nan` is set."""

    e: int
    s: int
    low: int
    high: int
    nan: bool

    @property
    def score(self) -> float:
        """Return a thousandth for each value, at most 1."""
        return min(1.0, max(1, self.high - self.low + 1 + self.nan) / WIDE)

    def holds(self, value: Any) -> bool:
        """Return whether a float is in the range."""
        form = format_of(self.e, self.s)
        if form.magnitude(value) > form.infinity:
            return self.nan
        return self.low <= rank_in(form, value) <= self.high


def rank_in(form: Format, bits: int) -> int:
    """Return the place of a float in the order, counted from +0; -0 has the place -1."""
    return bits if not bits & form.sign else -form.magnitude(bits) - 1


def at_rank(form: Format, place: int) -> int:
    """Return the float at a place of the order."""
    return place if place >= 0 else form.sign | (-place - 1)


def rank(sort: Sort, bits: int) -> int:
    """Return the place of a float of a sort in the order."""
    return rank_in(form_of(sort), bits)


def is_nan(sort: Sort, bits: int) -> bool:
    """Return whether a float is NaN."""
    form = form_of(sort)
    return form.magnitude(bits) > form.infinity


def form_of(sort: Sort) -> Format:
    """Return the format of a sort of floats."""
    return format_of(sort.number(0), sort.number(1))


def floats(sort: Sort, low: int, high: int, nan: bool = False) -> Range:
    """Return the floats between two places of the order, and NaN."""
    return Floats(sort.number(0), sort.number(1), low, high, nan)
