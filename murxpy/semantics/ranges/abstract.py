"""Ranges: sets of values of a sort, each in a form that says quickly whether a value is in it.

Kim, So, Oh, "DIVER", ICSE 2023, has
Booleans, intervals of numbers, and regular expressions. The other forms are new here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from murxpy.logic.sorts import Sort
from murxpy.logic.values import MAX_CODE_POINT
from murxpy.logic.walks import subterms
from murxpy.semantics.exact import regex
from murxpy.semantics.exact.floats import Format, format_of
from murxpy.semantics.exact.regex import Regex
from murxpy.semantics.values import ArrayValue, CannotSay, DatatypeValue, SetValue, Value

WIDE = 1000  # the width from which an interval has the full score, as in the paper
FIXED_TRUTH = 0.5  # the score of a formula whose truth must stay


class Range(Protocol):
    """A set of values of one sort. Ranges are immutable, and equal ones have the same hash."""

    @property
    def score(self) -> float:
        """The score for replacing a term of this range, from 0 to 1; a wider range scores higher."""

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
        """Return whether the value differs from all of them."""
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
        return min(WIDE, self.high - self.low + 1, 1 << free) / WIDE

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
    """Return a range of numbers as an interval; None if the range is no interval."""
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


# ----------------------------------------------------------------------
# Ranges of floats: an interval in the order of their bit patterns, and whether NaN is in the
# range. The rank of a float is its place in this order: -infinity is first, -0 is before +0,
# +infinity is last. Nearly all operators are monotone in it, as long as nothing is NaN.


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
        return min(WIDE, max(1, self.high - self.low + 1 + self.nan)) / WIDE

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


# ----------------------------------------------------------------------
# Ranges of values that have parts: arrays by index, sequences by position and length, datatypes
# by constructor and field, sets by member.


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


# ----------------------------------------------------------------------
# Ranges of strings, which are regular languages, and ranges of regular languages. The
# interesting languages of a place, such as the strings between two others, or those with a
# given part at a place, are regular, and so are the strings that can stand between two others
# in a word of a regular language.


LONGEST = 64  # letters of a string whose parts a range lists
MOST = 400  # parts of a string that a range lists, at most


@dataclass(frozen=True, slots=True)
class Words:
    """The strings of a regular language."""

    language: Regex

    @property
    def score(self) -> float:
        """Return 1 for a language with words of any length, as in the paper."""
        return 1.0 if endless(self.language) else 1 / WIDE

    def holds(self, value: Any) -> bool:
        """Return whether the language has this string."""
        try:
            return regex.matches(value, self.language)
        except CannotSay:
            return False


@dataclass(frozen=True, slots=True)
class Having:
    """The regular languages that have a word, or those that do not have it."""

    word: str
    truth: bool
    score: float = 1.0

    def holds(self, value: Any) -> bool:
        """Return whether a language has the word, or does not have it."""
        try:
            return regex.matches(self.word, value) is self.truth
        except CannotSay:
            return False


def words(language: Regex) -> Range:
    """Return the strings of a language."""
    return ANY if language is regex.ALL else Words(language)


def language_of(wanted: Range) -> Regex | None:
    """Return a range of strings as a language; None if it is no such range."""
    if wanted is ANY:
        return regex.ALL
    if isinstance(wanted, Words):
        return wanted.language
    if isinstance(wanted, (Few, Except)):
        listed = regex.union(regex.word(str(value)) for value in wanted.values)
        return listed if isinstance(wanted, Few) else regex.complement(listed)
    return None


def endless(language: Regex) -> bool:
    """Return whether an expression has a part for words of any length."""
    return any(
        node.kind == regex.NOT or (node.kind == regex.LOOP and node.data[1] is None)
        for node in subterms([language], lambda one: one.parts)
    )


def mirrored(language: Regex) -> Regex:
    """Return the language of the words read from right to left."""
    kind = language.kind
    if kind == regex.WORD:
        return regex.word(str(language.data)[::-1])
    parts = [mirrored(part) for part in language.parts]
    if kind == regex.CONCAT:
        return regex.concat(reversed(parts))
    if kind == regex.UNION:
        return regex.union(parts)
    if kind == regex.INTER:
        return regex.inter(parts)
    if kind == regex.NOT:
        return regex.complement(parts[0])
    return regex.loop(parts[0], *language.data) if kind == regex.LOOP else language


def between(language: Regex, before: str, behind: str) -> Regex:
    """Return the strings w so that `before` w `behind` is in the language. Raises CannotSay."""
    for letter in before:
        language = regex.derivative(language, ord(letter))
    if behind:
        language = mirrored(language)
        for letter in reversed(behind):
            language = regex.derivative(language, ord(letter))
        language = mirrored(language)
    return language


def of_length(low: int | None, high: int | None) -> Regex:
    """Return the words of these lengths."""
    return regex.loop(regex.ALLCHAR, max(low or 0, 0), high)


def around(part: Regex) -> Regex:
    """Return the words that contain a word of a language."""
    return regex.concat([regex.ALL, part, regex.ALL])


def before(text: str, itself: bool) -> Regex:
    """Return the words that come before `text` in the order of a dictionary."""
    ways = [regex.word(text)] if itself else []
    for at, letter in enumerate(text):
        ways.append(regex.word(text[:at]))
        if letter != "\0":
            lower = regex.characters(((0, ord(letter) - 1),))
            ways.append(regex.concat([regex.word(text[:at]), lower, regex.ALL]))
    return regex.union(ways)


def parts(text: str) -> Regex | None:
    """Return the parts of a text; None if these are too many."""
    if len(text) ** 2 > MOST:
        return None
    ends = range(len(text) + 1)
    return any_of(text[first:last] for first in ends for last in ends[first:])


def any_of(texts: Iterable[str]) -> Regex:
    """Return the language of these words."""
    return regex.union([regex.word(text) for text in dict.fromkeys(texts)])


def letters(low: int, high: int | None) -> Regex:
    """Return the words of one character between two code points."""
    last = MAX_CODE_POINT if high is None else min(high, MAX_CODE_POINT)
    return regex.characters(((max(low, 0), last),)) if max(low, 0) <= last else regex.NONE
