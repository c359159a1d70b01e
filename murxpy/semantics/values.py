"""The values of each sort, as Python objects. All are immutable and hashable. Two values of a plain
sort are equal exactly if SMT-LIB's `=` says so.

BOOL `bool`; BV `int` in 0..2^w-1; INT `int`; REAL `Fraction` or an algebraic number; FP `int`, the
IEEE bits, with one NaN; RM one of `ROUNDING_MODES`; STRING `str` of code points; FF `int` in
0..p-1; SEQ `tuple`; the others are the classes below. Values of a sort that is not plain (`plain`),
such as functions over a domain too large for a table, have several forms. Only `equality` compares
them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term

Value = Hashable

ROUNDING_MODES = ("RNE", "RNA", "RTP", "RTN", "RTZ")


MAX_LENGTH = 1 << 22  # longest string or sequence


class CannotSay(Exception):
    """The value is not known, or not within the bounds. The message says why."""


def check_length(length: int) -> None:
    """Raise CannotSay for a string or sequence that is too long. A word that is doubled forty times
    would fill the memory.
    """
    if length > MAX_LENGTH:
        raise CannotSay(f"a word of more than {MAX_LENGTH} letters")


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an uninterpreted sort. Elements with different names are different."""

    name: str


@dataclass(frozen=True, slots=True)
class DatatypeValue:
    """A constructor applied to values. A tuple has an empty constructor."""

    constructor: str
    fields: tuple[Value, ...] = ()


class Table:
    """A total function: a default, and the points at which the value differs from it.

    A pair whose value is the default is left out. Over a finite domain, tables with different
    defaults can be the same function; `domains.canonical` chooses one of them.
    """

    __slots__ = ("_hash", "_index", "default", "points")

    def __init__(self, default: Value, points: Iterable[tuple[Value, Value]] = ()) -> None:
        index = {point: value for point, value in points if value != default}
        self.default = default
        self.points = frozenset(index.items())
        self._index = index
        self._hash = hash((default, self.points))

    def at(self, point: Value) -> Value:
        """Return the value at a point."""
        return self._index.get(point, self.default)

    def names(self, point: Value) -> bool:
        """Return whether a point is among those at which the value differs from the default."""
        return point in self._index

    def items(self) -> Iterable[tuple[Value, Value]]:
        """Return the points at which the value differs from the default, in the order in which they
        were given.
        """
        return self._index.items()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if (
            not isinstance(other, Table)
            or type(self) is not type(other)
            or self._hash != other._hash
        ):
            return False
        return self.default == other.default and self.points == other.points

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.default!r}, {self._index!r})"


class ArrayValue(Table):
    """An array."""

    __slots__ = ()


class FunctionValue(Table):
    """A function. A point is the tuple of its arguments."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class SetValue:
    """A set of `members`, or of everything except them."""

    members: frozenset[Value]
    complement: bool = False


@dataclass(frozen=True, slots=True)
class BagValue:
    """A bag: its elements with their counts, which are positive."""

    counts: frozenset[tuple[Value, int]]


def in_order(values: Iterable[Value]) -> list[Value]:
    """Return values in an order that depends on the values alone, and not on how Python hashes
    them.
    """
    return sorted(values, key=_text)


def _text(value: Any) -> str:
    if isinstance(value, (SetValue, BagValue)):
        parts = value.members if isinstance(value, SetValue) else value.counts
        return f"{getattr(value, 'complement', '')}{{{', '.join(sorted(map(_text, parts)))}}}"
    if isinstance(value, Table):
        return f"{_text(value.default)}{sorted(f'{_text(point)}: {_text(at)}' for point, at in value.items())}"
    if isinstance(value, DatatypeValue):
        return f"{value.constructor}{_text(value.fields)}"
    return f"({', '.join(map(_text, value))})" if isinstance(value, tuple) else repr(value)


# ----------------------------------------------------------------------
# Interpretations: what a model says of constants, functions, uninterpreted sorts, and the
# points that the standard leaves open.


@dataclass
class Interpretation:
    """A model's choices for everything that the theories do not fix.

    `constants` are the values of constants, and of functions as FunctionValue. `partial` says by
    operator what the model makes of points that the standard leaves open, such as division by zero.
    `domains` are all elements of each uninterpreted sort. `universes` are the values of
    `set.universe` by sort, if these are not all elements; None means that the value is unknown.
    """

    constants: dict[Term, Value] = field(default_factory=dict)
    partial: dict[str, FunctionValue] = field(default_factory=dict)
    domains: dict[Sort, tuple[Element, ...]] = field(default_factory=dict)
    universes: dict[Sort, Value | None] = field(default_factory=dict)
