"""Conversions from and to floating point: SMT-LIB 2.7, theory FloatingPoint. A function returns
None where the standard leaves the value open.
"""

from __future__ import annotations

from fractions import Fraction

from murxpy.semantics.exact.algebraic import Algebraic
from murxpy.semantics.exact.float_formats import Format, shift_rounded
from murxpy.semantics.exact.floats import is_infinite, is_nan, round_ratio
from murxpy.semantics.values import CannotSay

MAX_SHIFT = 1 << 20  # longest number, in bits, that is written out
MAX_HALVINGS = 4096  # most halvings of the interval of an algebraic number


def from_float(f: Format, mode: str, source: Format, x: int) -> int:
    """`to_fp` of a float of the format `source`."""
    if is_nan(source, x):
        return f.nan
    sign = f.zero(x & source.sign)
    if is_infinite(source, x):
        return sign | f.infinity
    negative, significand, exponent = source.finite(x)
    return f.round(mode, negative, significand, exponent) if significand else sign


def from_integer(f: Format, mode: str, number: int) -> int:
    """`to_fp` of an integer: a signed bit-vector, or an unsigned one; 0 becomes +0."""
    return f.round(mode, 1 if number < 0 else 0, abs(number), 0) if number else 0


def from_real(f: Format, mode: str, number: Fraction, exponent: int = 0) -> int:
    """`to_fp` of number * 2^exponent; 0 becomes +0."""
    if not number:
        return 0
    return round_ratio(
        f, mode, 1 if number < 0 else 0, abs(number.numerator), number.denominator, exponent
    )


def from_algebraic(f: Format, mode: str, number: Algebraic, exponent: int = 0) -> int:
    """`to_fp` of number * 2^exponent for an irrational number. The interval around it is made
    smaller until both ends round to the same float.

    Raises CannotSay if the number is too close to a place where the rounding changes.
    """
    for _ in range(MAX_HALVINGS):
        below, above = (from_real(f, mode, end, exponent) for end in (number.low, number.high))
        if below == above:
            return below
        number.refine()
    raise CannotSay("an algebraic number very close to where its rounding changes")


def to_unsigned(f: Format, mode: str, width: int, x: int) -> int | None:
    """`fp.to_ubv`: the rounded integer, or None for NaN, infinities and integers that do not fit
    into the width.
    """
    whole = _integer(f, mode, width, x)
    return whole if whole is not None and 0 <= whole < 1 << width else None


def to_signed(f: Format, mode: str, width: int, x: int) -> int | None:
    """`fp.to_sbv`: the rounded integer as bits, or None for NaN, infinities and integers that do
    not fit into the width.
    """
    whole = _integer(f, mode, width, x)
    half = 1 << (width - 1)
    return whole % (2 * half) if whole is not None and -half <= whole < half else None


def to_real(f: Format, x: int) -> Fraction | None:
    """`fp.to_real`: the exact value, or None for NaN and infinities. Raises CannotSay if the number
    has more than a million bits.
    """
    if f.magnitude(x) >= f.infinity:
        return None
    sign, significand, exponent = f.finite(x)
    if not significand:
        return Fraction(0)
    if abs(exponent) > MAX_SHIFT:
        raise CannotSay(f"a number with an exponent of {exponent}")
    signed = -significand if sign else significand
    return Fraction(signed << exponent) if exponent >= 0 else Fraction(signed, 1 << -exponent)


def nan_patterns(f: Format) -> range:
    """Return the bit patterns of NaN without the sign bit. With each sign, each of them is a
    possible `fp.to_ieee_bv` of NaN.
    """
    return range(f.infinity + 1, f.sign)


def _integer(f: Format, mode: str, width: int, x: int) -> int | None:
    """Return the rounded integer, or None for NaN, infinities and integers of more than `width` + 1
    bits.
    """
    if f.magnitude(x) >= f.infinity:
        return None
    sign, significand, exponent = f.finite(x)
    if significand.bit_length() + exponent > width + 1:
        return None
    whole = (
        significand << exponent
        if exponent >= 0
        else shift_rounded(mode, sign, significand, -exponent)
    )
    return -whole if sign else whole
