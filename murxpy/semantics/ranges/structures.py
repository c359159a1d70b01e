"""Ranges of values that have parts: arrays by index, sequences by position and length, datatypes by
constructor and field, sets by member.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from murxpy.semantics.ranges.abstract import Range
from murxpy.semantics.values import ArrayValue, DatatypeValue, SetValue, Value


@dataclass(frozen=True, slots=True)
class Cell:
    """Arrays that are tables, whose value at an index of a plain sort is in a range."""

    index: Value
    inner: Range
    score: float = 1.0

    def holds(self, value: Any) -> bool:
        """Return whether the array has such a value there."""
        return isinstance(value, ArrayValue) and self.inner.holds(value.at(self.index))


@dataclass(frozen=True, slots=True)
class Element:
    """Sequences that have an element at a position, in a range."""

    position: int
    inner: Range
    score: float = 1.0

    def holds(self, value: Any) -> bool:
        """Return whether the sequence has such an element there."""
        return 0 <= self.position < len(value) and self.inner.holds(value[self.position])


@dataclass(frozen=True, slots=True)
class Lengths:
    """Sequences with a length in a range."""

    inner: Range
    score: float = 1.0

    def holds(self, value: Any) -> bool:
        """Return whether the sequence has such a length."""
        return self.inner.holds(len(value))


@dataclass(frozen=True, slots=True)
class Shapes:
    """Values of a datatype of these constructors."""

    constructors: tuple[str, ...]
    score: float = 1.0

    def holds(self, value: Any) -> bool:
        """Return whether the value has one of the constructors."""
        return isinstance(value, DatatypeValue) and value.constructor in self.constructors


@dataclass(frozen=True, slots=True)
class Field:
    """Values of a datatype of one constructor, or tuples, with a field in a range."""

    constructor: str
    position: int
    inner: Range
    score: float = 1.0

    def holds(self, value: Any) -> bool:
        """Return whether the value has such a field."""
        return (
            isinstance(value, DatatypeValue)
            and value.constructor == self.constructor
            and self.inner.holds(value.fields[self.position])
        )


@dataclass(frozen=True, slots=True)
class Member:
    """Sets that have an element of a plain sort, or that do not have it."""

    element: Value
    truth: bool
    score: float = 1.0

    def holds(self, value: Any) -> bool:
        """Return whether the set has the element, or does not have it."""
        return isinstance(value, SetValue) and (
            ((self.element in value.members) != value.complement) is self.truth
        )
