"""What a value is, by sort. All are immutable and hashable; two values of one sort are equal just when SMT-LIB's `=` says so.

BOOL `bool`; BV `int` in 0..2^w-1; INT `int`; REAL `Fraction` or an algebraic number; FP `int`, the IEEE bits, with one NaN; RM one of
`ROUNDING_MODES`; STRING `str` of code points; FF `int` in 0..p-1; SEQ `tuple`; the others are the classes below.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

Value = Hashable

ROUNDING_MODES = ("RNE", "RNA", "RTP", "RTN", "RTZ")


class CannotSay(Exception):
    """The value cannot be known, or not within the bounds; the message says why."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an uninterpreted sort; another name is another element."""

    name: str


@dataclass(frozen=True, slots=True)
class DatatypeValue:
    """A constructor applied to values; a tuple is one whose constructor is empty."""

    constructor: str
    fields: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A total function as a default and the points where it differs from it."""

    default: Value
    points: frozenset[tuple[Value, Value]]

    def at(self, point: Value) -> Value:
        """The value at a point."""
        return next((value for known, value in self.points if known == point), self.default)


@dataclass(frozen=True, slots=True)
class ArrayValue(Table):
    """An array. Over a finite index sort the default is canonical only where whoever makes it sees to that."""


@dataclass(frozen=True, slots=True)
class FunctionValue(Table):
    """A function; a point is the tuple of its arguments."""


@dataclass(frozen=True, slots=True)
class SetValue:
    """A set of `members`, or of everything but those."""

    members: frozenset[Value]
    complement: bool = False


@dataclass(frozen=True, slots=True)
class BagValue:
    """A bag: its elements with their counts, which are positive."""

    counts: frozenset[tuple[Value, int]]
