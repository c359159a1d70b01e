"""Reading literals for contract mode: every way to read a literal gives the same value. The file
imports only z3 and the standard library.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import z3

_SAID_CODE = re.compile(r"FPVal\((-?\d+)(?:/(\d+))?, ")


def reread(obj: Any) -> str | None:
    """None, or the way to read the literal `obj` that gives another value than the others. None for
    a term that is no literal.
    """
    name = type(obj).__name__
    if name == "SeqRef" and not obj.is_string_value():
        return None
    check = _SAID.get(name)
    return None if check is None else check(obj)


def _said_other(obj: Any, ways: dict[str, Callable[[], Any]], value: Any) -> str | None:
    for how, read in ways.items():
        found = read()
        if found != value:
            return f"{type(obj).__name__}.{how} is not the value of the literal; {found!r:.60} for {value!r:.60}"
    return None


def _said_int(obj: Any) -> str | None:
    value = int(z3.simplify(obj + 0).sexpr().replace("(- ", "-").rstrip(")"))
    ways: dict[str, Callable[[], Any]] = {
        "as_long": obj.as_long,
        "as_string": lambda: int(obj.as_string()),
        "py_value": obj.py_value,
    }
    if value >= 0:
        ways["as_binary_string"] = lambda: int(obj.as_binary_string(), 2)
    return _said_other(obj, ways, value)


def _said_rational(obj: Any) -> str | None:
    value = Fraction(obj.numerator_as_long(), obj.denominator_as_long())
    ways = {"as_string": lambda: Fraction(obj.as_string()), "as_fraction": obj.as_fraction}
    return _said_other(obj, ways, value)


def _said_bits(obj: Any) -> str | None:
    text = obj.sexpr()
    value = int(text[2:], 16 if text.startswith("#x") else 2)
    signed = value - (1 << obj.size()) if value >> (obj.size() - 1) else value
    ways = {
        "as_long": obj.as_long,
        "as_string": lambda: int(obj.as_string()),
        "py_value": obj.py_value,
        "as_binary_string": lambda: int(obj.as_binary_string(), 2),
    }
    return _said_other(obj, ways, value) or _said_other(
        obj, {"as_signed_long": obj.as_signed_long}, signed
    )


def _said_bool(obj: Any) -> str | None:
    if not (z3.is_true(obj) or z3.is_false(obj)):
        return None
    return _said_other(obj, {"py_value": obj.py_value}, z3.is_true(obj))


def _said_text(obj: Any) -> str | None:
    """The Python value of a string has as many characters as the string, and makes the same string
    again.
    """
    value, length = obj.py_value(), z3.simplify(z3.Length(obj)).as_long()
    again = z3.StringVal(obj.as_string(), obj.ctx)
    if not again.eq(obj):
        return f"the literal made from SeqRef.as_string is another; {value!a:.60}"
    return (
        None
        if len(value) == length
        else f"SeqRef.py_value is not the value of the literal; {value!a:.60} of length {length}"
    )


def _said_float(obj: Any) -> str | None:
    """The Python value of a floating-point literal that fits a double, and the fraction in its
    text, are its value.
    """
    ebits, sbits = obj.sort().ebits(), obj.sort().sbits()
    if obj.isNaN() or ebits > 11 or sbits > 53:
        return None
    bits = z3.simplify(z3.fpToIEEEBV(obj, obj.ctx)).as_long()
    value = _said_double(bits, ebits, sbits)
    found = obj.py_value()
    if not isinstance(found, float) or struct.pack(">d", found) != struct.pack(">d", value):
        return f"FPNumRef.py_value is not the value of the literal; {found!r:.60} for {value!r}"
    code = _SAID_CODE.match(obj.as_string())
    if code is not None and (
        math.isinf(value) or Fraction(int(code[1]), int(code[2] or 1)) != Fraction(value)
    ):
        return f"FPNumRef.as_string is not the value of the literal; {obj.as_string()!r:.60} for {value!r}"
    return None


def _said_double(bits: int, ebits: int, sbits: int) -> float:
    fraction, sign = bits & ((1 << (sbits - 1)) - 1), -1.0 if bits >> (ebits + sbits - 1) else 1.0
    exponent = (bits >> (sbits - 1)) & ((1 << ebits) - 1)
    if exponent == (1 << ebits) - 1:
        return sign * math.inf
    bias = (1 << (ebits - 1)) - 1
    if exponent == 0:
        return sign * math.ldexp(fraction, 2 - bias - sbits)
    return sign * math.ldexp(fraction + (1 << (sbits - 1)), exponent - bias - sbits + 1)


def _said_domain(obj: Any) -> str | None:
    return _said_other(obj, {"as_string": lambda: int(obj.as_string())}, obj.as_long())


_SAID: dict[str, Callable[[Any], str | None]] = {
    "IntNumRef": _said_int,
    "RatNumRef": _said_rational,
    "BitVecNumRef": _said_bits,
    "BoolRef": _said_bool,
    "SeqRef": _said_text,
    "FPNumRef": _said_float,
    "FiniteDomainNumRef": _said_domain,
}
