"""What kind of literal a value is: zero, negative, extreme, power of two, empty, long, special, or
none of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from murxpy.logic.sorts import Sort

# What the literals of a sort are to cover; the classifiers below may give more.
EXPECTED = {
    "SORT_BOOL": ("true", "false"),
    "SORT_BV": (
        "zero",
        "one",
        "all ones",
        "least signed",
        "greatest signed",
        "power of two",
        "negative",
        "random",
    ),
    "SORT_INT": ("zero", "one", "negative", "power of two", "near power of two", "long", "random"),
    "SORT_REAL": ("zero", "one", "negative", "integer", "fraction", "long", "random"),
    "SORT_FP": (
        "zero",
        "negative zero",
        "negative",
        "infinity",
        "NaN",
        "subnormal",
        "least subnormal",
        "least normal",
        "greatest normal",
        "random",
    ),
    "SORT_FF": ("zero", "one", "greatest", "random"),
    "SORT_STRING": (
        "empty",
        "one character",
        "long",
        "special",
        "beyond ASCII",
        "digits",
        "random",
    ),
}

LONG_NUMBER = 64  # bits
LONG_TEXT = 8  # characters


def classes(sort: Sort, value: Any) -> list[str]:
    """The classes of a literal of `sort`; `random` where there is no other."""
    classify = _CLASSIFIERS.get(sort.kind)
    return (list(classify(sort, value)) or ["random"]) if classify else ["any"]


def _bool(sort: Sort, value: bool) -> Iterator[str]:
    yield "true" if value else "false"


def _bv(sort: Sort, value: int) -> Iterator[str]:
    half = 1 << (sort.width - 1)
    named = {
        0: "zero",
        1: "one",
        2 * half - 1: "all ones",
        half: "least signed",
        half - 1: "greatest signed",
    }
    if value in named:
        yield named[value]
    if value > 1 and _power_of_two(value):
        yield "power of two"
    if value >= half:
        yield "negative"


def _int(sort: Sort, value: int) -> Iterator[str]:
    size = abs(value)
    if value in (0, 1):
        yield "zero" if value == 0 else "one"
    if value < 0:
        yield "negative"
    if size > 1 and _power_of_two(size):
        yield "power of two"
    elif size > 4 and (_power_of_two(size - 1) or _power_of_two(size + 1)):
        yield "near power of two"
    if size.bit_length() > LONG_NUMBER:
        yield "long"


def _real(sort: Sort, value: Fraction) -> Iterator[str]:
    if value in (0, 1):
        yield "zero" if value == 0 else "one"
    if value < 0:
        yield "negative"
    whole = value.denominator == 1
    if max(abs(value.numerator), value.denominator).bit_length() > LONG_NUMBER:
        yield "long"
    elif value > 1 or not whole:
        yield "integer" if whole else "fraction" if value.denominator < 10 else "random"


def _fp(sort: Sort, value: int) -> Iterator[str]:
    exponent, fraction = sort.number(0), sort.number(1) - 1
    high, low = (value >> fraction) & ((1 << exponent) - 1), value & ((1 << fraction) - 1)
    negative, top = bool(value >> (exponent + fraction)), (1 << exponent) - 1
    if high == top:
        yield "NaN" if low else "infinity"
        return
    if negative:
        yield "negative" if high or low else "negative zero"
    elif not high and not low:
        yield "zero"
    if high == 0 and low:
        yield "least subnormal" if low == 1 else "subnormal"
    elif (high, low) in ((1, 0), (top - 1, (1 << fraction) - 1)):
        yield "least normal" if low == 0 else "greatest normal"
    elif high:
        yield "random"


def _ff(sort: Sort, value: int) -> Iterator[str]:
    named = {0: "zero", 1: "one", sort.width - 1: "greatest"}
    if value in named:
        yield named[value]


def _string(sort: Sort, value: str) -> Iterator[str]:
    if len(value) < 2:
        yield "one character" if value else "empty"
    if len(value) > LONG_TEXT:
        yield "long"
    if value.isascii() and value.isdigit():
        yield "digits"
    if any(c < " " or c in "\"\\'|\x7f" for c in value):
        yield "special"
    if not value.isascii():
        yield "beyond ASCII"


def _power_of_two(value: int) -> bool:
    return value & (value - 1) == 0


_CLASSIFIERS: dict[str, Callable[[Sort, Any], Iterator[str]]] = {
    "SORT_BOOL": _bool,
    "SORT_BV": _bv,
    "SORT_INT": _int,
    "SORT_REAL": _real,
    "SORT_FP": _fp,
    "SORT_FF": _ff,
    "SORT_STRING": _string,
}
