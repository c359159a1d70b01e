"""Conversions from and to floating point: SMT-LIB 2.7, theory FloatingPoint. Where None is given,
the standard leaves the value open.
"""

from __future__ import annotations

from fractions import Fraction

from murxpy.semantics.exact.algebraic import Algebraic
from murxpy.semantics.exact.float_formats import Format, shift_rounded
from murxpy.semantics.exact.floats import is_infinite, is_nan, round_ratio
from murxpy.semantics.values import CannotSay

MAX_SHIFT = 1 << 20  # bits of a number that we still write out
MAX_HALVINGS = 4096  # of the interval of an algebraic number


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
    """`to_fp` of number * 2^exponent, with an irrational number: of an interval of it whose ends
    round to one float.

    Raises CannotSay where the number is too close to where floats change to tell.
    """
    for _ in range(MAX_HALVINGS):
        below, above = (from_real(f, mode, end, exponent) for end in (number.low, number.high))
        if below == above:
            return below
        number.refine()
    raise CannotSay("an algebraic number very close to where its rounding changes")


def to_unsigned(f: Format, mode: str, width: int, x: int) -> int | None:
    """`fp.to_ubv`: the rounded integer; None of NaN, infinities and integers that the width does
    not have.
    """
    whole = _integer(f, mode, width, x)
    return whole if whole is not None and 0 <= whole < 1 << width else None


def to_signed(f: Format, mode: str, width: int, x: int) -> int | None:
    """`fp.to_sbv`: the rounded integer as bits; None of NaN, infinities and integers that the width
    does not have.
    """
    whole = _integer(f, mode, width, x)
    half = 1 << (width - 1)
    return whole % (2 * half) if whole is not None and -half <= whole < half else None


def to_real(f: Format, x: int) -> Fraction | None:
    """`fp.to_real`: exact; None of NaN and infinities. Raises CannotSay where the number has more
    than a million bits.
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
    """The bit patterns of NaN without those that have a sign: each, with and without sign, is an
    `fp.to_ieee_bv` of NaN.
    """
    return range(f.infinity + 1, f.sign)


def _integer(f: Format, mode: str, width: int, x: int) -> int | None:
    """The rounded integer; None of NaN, infinities and integers of more than `width` + 1 bits."""
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
