"""Ranges: sets of values of a sort, each in a form that says quickly whether a value is in it.

Kim, So, Oh, "DIVER", ICSE 2023, has
Booleans, intervals of numbers, and regular expressions. The other forms are new here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from murxpy.semantics.values import CannotSay

WIDE = 1000  # the width from which an interval has the full score, as in the paper
FIXED_TRUTH = 0.5  # the score of a formula whose truth must stay


class Range(Protocol):
    """A set of values of one sort. Ranges are immutable, and equal ones have the same hash."""

    @property
    def score(self) -> float:
        """How freely a term of this range can be replaced, up to 1."""

    def holds(self, value: Any) -> bool:
        """Return whether a value is in the range. False says nothing if the value has several forms."""


@dataclass(frozen=True, slots=True)
class Anything:
    """All values of a sort."""

    score: float = 1.0

    def holds(self, value: Any) -> bool:
        """Return True."""
        return True


ANY = Anything()


@dataclass(frozen=True, slots=True)
class Few:
    """These values alone."""

    values: tuple[Any, ...]

    @property
    def score(self) -> float:
        """Return a thousandth for each value, and a half for a formula."""
        return FIXED_TRUTH if type(self.values[0]) is bool else min(1.0, len(self.values) / WIDE)

    def holds(self, value: Any) -> bool:
        """Return whether it is one of them."""
        return value in self.values


TRUE, FALSE = Few((True,)), Few((False,))
NOTHING = Few((None,))  # the range of an argument whose present value is not known


@dataclass(frozen=True, slots=True)
class Except:
    """All values of a plain sort except these."""

    values: tuple[Any, ...]
    score: float = 1.0

    def holds(self, value: Any) -> bool:
        """Return whether it is none of them."""
        return value not in self.values


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers from `low` to `high`; None stands for infinity. An open end is not in the interval.
    Intervals of integers have no open ends.
    """

    low: Any = None
    high: Any = None
    low_open: bool = False
    high_open: bool = False

    @property
    def score(self) -> float:
        """Return 1 for an infinite interval, and a thousandth for each unit of a bounded one."""
        if self.low is None or self.high is None:
            return 1.0
        try:
            width = self.high - self.low + 1
        except CannotSay:  # between irrational ends
            return 1 / WIDE
        if width >= WIDE:
            return 1.0
        return float(width) / WIDE if isinstance(width, (int, Fraction)) else 1 / WIDE

    def holds(self, value: Any) -> bool:
        """Return whether it is between the ends."""
        low, high = self.low, self.high
        if low is not None and (value < low or (self.low_open and value == low)):
            return False
        return high is None or value < high or (value == high and not self.high_open)


@dataclass(frozen=True, slots=True)
class Bits:
    """Bit-vectors of a width from `low` to `high` whose bits at `mask` are those of `ones`."""

    width: int
    low: int
    high: int
    mask: int = 0
    ones: int = 0

    @property
    def score(self) -> float:
        """Return a thousandth for each value, at most 1."""
        free = self.width - self.mask.bit_count()
        return min(1.0, min(self.high - self.low + 1, 1 << free) / WIDE)

    def holds(self, value: Any) -> bool:
        """Return whether it is between the ends and has these bits."""
        return bool(self.low <= value <= self.high and value & self.mask == self.ones)


def integers(low: int | None, high: int | None) -> Range:
    """Return the integers from `low` to `high`."""
    return ANY if low is None and high is None else Interval(low, high)


def reals(low: Any, high: Any, low_open: bool = False, high_open: bool = False) -> Range:
    """Return the reals between two ends."""
    if low is None and high is None:
        return ANY
    return Interval(low, high, low_open and low is not None, high_open and high is not None)


def as_interval(wanted: Range) -> Interval | None:
    """Return a range of numbers as an interval; None if it is none."""
    if isinstance(wanted, Interval):
        return wanted
    if wanted is ANY:
        return Interval()
    if isinstance(wanted, Few) and len(wanted.values) == 1:
        return Interval(wanted.values[0], wanted.values[0])
    return None


def as_bits(wanted: Range, width: int) -> Bits | None:
    """Return a range of bit-vectors in the form of Bits; None if it has none."""
    if isinstance(wanted, Bits):
        return wanted
    if wanted is ANY:
        return Bits(width, 0, (1 << width) - 1)
    if isinstance(wanted, Few) and len(wanted.values) == 1:
        return Bits(width, wanted.values[0], wanted.values[0])
    return None


def bits(width: int, low: int, high: int, mask: int = 0, ones: int = 0) -> Range:
    """Return the bit-vectors from `low` to `high` with these bits; both ends are cut at the width."""
    top = (1 << width) - 1
    low, high = max(low, 0), min(high, top)
    if low == 0 and high == top and not mask:
        return ANY
    return Bits(width, low, high, mask, ones)


def ceiling(number: Any) -> int:
    """Return the least integer that is at least `number`."""
    return -int(-Fraction(number) // 1)
