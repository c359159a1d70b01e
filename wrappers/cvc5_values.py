"""Values of cvc5 as plain data."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import cvc5
from cvc5 import Kind

# a symbol of cvc5's own, which has no separate kind until release 1.1
SKOLEM = getattr(Kind, "SKOLEM", Kind.INTERNAL_KIND)

_MODES = {
    "ROUND_NEAREST_TIES_TO_EVEN": "rne",
    "ROUND_NEAREST_TIES_TO_AWAY": "rna",
    "ROUND_TOWARD_POSITIVE": "rtp",
    "ROUND_TOWARD_NEGATIVE": "rtn",
    "ROUND_TOWARD_ZERO": "rtz",
}


def read_value(term: Any) -> tuple[Any, ...] | None:
    """A value of a standard sort as plain data; None for any other term."""
    found = term.getSort()
    for is_sort, is_value, read in _READERS:
        if getattr(found, is_sort)():
            return read(term) if getattr(term, is_value)() else None
    return None


def _read_fp(term: Any) -> tuple[Any, ...]:
    exponent, significand, bits = term.getFloatingPointValue()
    return (
        "fp",
        exponent,
        significand,
        None if term.isFloatingPointNaN() else int(bits.getBitVectorValue(2), 2),
    )


def _read_bv(term: Any) -> tuple[Any, ...]:
    return ("bv", term.getSort().getBitVectorSize(), int(term.getBitVectorValue(2), 2))


def _read_real(term: Any) -> tuple[Any, ...]:
    value = Fraction(term.getRealValue())
    return ("real", value.numerator, value.denominator)


def _read_ff(term: Any) -> tuple[Any, ...]:
    size = int(term.getSort().getFiniteFieldSize())
    return ("ff", size, int(term.getFiniteFieldValue()) % size)


_READERS: list[tuple[str, str, Any]] = [
    ("isBoolean", "isBooleanValue", lambda t: ("bool", t.getBooleanValue())),
    ("isBitVector", "isBitVectorValue", _read_bv),
    ("isInteger", "isIntegerValue", lambda t: ("int", int(t.getIntegerValue()))),
    ("isReal", "isRealValue", _read_real),
    ("isFloatingPoint", "isFloatingPointValue", _read_fp),
    (
        "isRoundingMode",
        "isRoundingModeValue",
        lambda t: ("rm", _MODES[t.getRoundingModeValue().name]),
    ),
    ("isString", "isStringValue", lambda t: ("string", t.getStringValue())),
]
if hasattr(cvc5.Sort, "isFiniteField"):
    _READERS.append(("isFiniteField", "isFiniteFieldValue", _read_ff))
