"""Formats of IEEE 754: what the bits of a number mean, and the rounding with which every operation
ends.

A finite number is a sign and an integer significand times a power of two. All operations compute
with these, so their results are exact until `Format.round`. Source: IEEE 754-2019; SMT-LIB 2.7,
theory FloatingPoint.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

from murxpy.semantics.exact.algebraic import Algebraic
from murxpy.semantics.values import CannotSay

# sign (1 is negative), significand and exponent of (-1)^sign * significand * 2^exponent
Finite = tuple[int, int, int]


class Format:
    """A format with `e` bits of exponent and `s` bits of significand, the hidden bit included. Both
    widths are at least 2.

    A float is an int of e + s bits: sign, biased exponent, fraction. `lowest` is the binary
    exponent of the least subnormal number.
    """

    __slots__ = ("e", "fraction", "infinity", "lowest", "nan", "s", "sign")

    def __init__(self, e: int, s: int) -> None:
        self.e = e
        self.s = s
        self.sign = 1 << (e + s - 1)
        self.fraction = (1 << (s - 1)) - 1
        self.infinity = ((1 << e) - 1) << (s - 1)
        self.nan = self.infinity | (1 << (s - 2))
        self.lowest = 3 - (1 << (e - 1)) - s

    def magnitude(self, bits: int) -> int:
        """Return the bits without the sign. The magnitudes of zero are 0, those of NaN are greater
        than `infinity`, and others have the order of their numbers.
        """
        return bits & (self.sign - 1)

    def canonical(self, bits: int) -> int:
        """Return the bits, with the one NaN in place of every NaN."""
        return self.nan if self.magnitude(bits) > self.infinity else bits

    def zero(self, sign: int) -> int:
        """Return the zero with a sign."""
        return self.sign if sign else 0

    def finite(self, bits: int) -> Finite:
        """Return the number that finite bits mean. A zero has the significand 0."""
        exponent = self.magnitude(bits) >> (self.s - 1)
        sign = 1 if bits & self.sign else 0
        if exponent == 0:
            return sign, bits & self.fraction, self.lowest
        return sign, (bits & self.fraction) | (self.fraction + 1), self.lowest + exponent - 1

    def round(self, mode: str, sign: int, significand: int, exponent: int) -> int:
        """Return the float to which (-1)^sign * significand * 2^exponent is rounded; the
        significand is above 0.
        """
        shift = max(significand.bit_length() - self.s, self.lowest - exponent)
        kept = (
            significand << -shift if shift <= 0 else shift_rounded(mode, sign, significand, shift)
        )
        # If the significand overflows, or a subnormal number becomes normal, the addition carries
        # into the exponent, which is right.
        bits = ((exponent + shift - self.lowest) << (self.s - 1)) + kept if kept else 0
        if bits >= self.infinity:
            bits = self.infinity if away(mode, sign) else self.infinity - 1
        return bits | self.sign if sign else bits


@lru_cache(maxsize=1024)
def format_of(e: int, s: int) -> Format:
    """Return the format. Each is made once."""
    return Format(e, s)


def away(mode: str, sign: int) -> bool:
    """Return whether a number beyond the greatest float of this sign is rounded to infinity."""
    return mode in ("RNE", "RNA") or mode == ("RTN" if sign else "RTP")


def shift_rounded(mode: str, sign: int, significand: int, shift: int) -> int:
    """Return `significand` / 2^shift as an integer, rounded by `mode`, which depends on the sign;
    the shift is above 0.
    """
    # The result is below a quarter, so that each mode rounds it in the same way, however small it is.
    if shift > significand.bit_length() + 1:
        kept, half, rest = 0, 0, significand
    else:
        kept = significand >> shift
        half = significand >> (shift - 1) & 1
        rest = significand & ((1 << (shift - 1)) - 1)
    if mode == "RNE":
        return kept + (1 if half and (rest or kept & 1) else 0)
    if mode == "RNA":
        return kept + half
    if mode == "RTZ" or not (half or rest):
        return kept
    return kept + (1 if (mode == "RTN") == bool(sign) else 0)


# ----------------------------------------------------------------------
# Floating-point arithmetic on bits: exact, and rounded once. SMT-LIB 2.7, theory FloatingPoint;
# IEEE 754-2019. Floats are ints as `float_formats` has them, with one NaN. Rounding modes are
# those of `values.ROUNDING_MODES`.


GUARD = 3  # bits beyond the precision; of what is below them, it only matters whether it is zero


def absolute(f: Format, x: int) -> int:
    """`fp.abs`."""
    return f.magnitude(x)


def negate(f: Format, x: int) -> int:
    """`fp.neg`; NaN stays NaN."""
    return x if is_nan(f, x) else x ^ f.sign


def add(f: Format, mode: str, x: int, y: int) -> int:
    """`fp.add`."""
    if is_nan(f, x) or is_nan(f, y):
        return f.nan
    if is_infinite(f, x):
        return f.nan if is_infinite(f, y) and x != y else x
    if is_infinite(f, y):
        return y
    return _sum(f, mode, f.finite(x), f.finite(y))


def subtract(f: Format, mode: str, x: int, y: int) -> int:
    """`fp.sub`."""
    return add(f, mode, x, negate(f, y))


def multiply(f: Format, mode: str, x: int, y: int) -> int:
    """`fp.mul`."""
    if is_nan(f, x) or is_nan(f, y):
        return f.nan
    sign = 1 if (x ^ y) & f.sign else 0
    if is_infinite(f, x) or is_infinite(f, y):
        return f.nan if is_zero(f, x) or is_zero(f, y) else f.zero(sign) | f.infinity
    (_, m, p), (_, n, q) = f.finite(x), f.finite(y)
    return f.round(mode, sign, m * n, p + q) if m and n else f.zero(sign)


def divide(f: Format, mode: str, x: int, y: int) -> int:
    """`fp.div`; a number by zero is infinite, zero by zero is NaN."""
    if is_nan(f, x) or is_nan(f, y):
        return f.nan
    sign = 1 if (x ^ y) & f.sign else 0
    if is_infinite(f, x):
        return f.nan if is_infinite(f, y) else f.zero(sign) | f.infinity
    if is_zero(f, y):
        return f.nan if is_zero(f, x) else f.zero(sign) | f.infinity
    if is_infinite(f, y) or is_zero(f, x):
        return f.zero(sign)
    (_, m, p), (_, n, q) = f.finite(x), f.finite(y)
    return round_ratio(f, mode, sign, m, n, p - q)


def fused(f: Format, mode: str, x: int, y: int, z: int) -> int:
    """`fp.fma`: x * y + z, rounded once."""
    if is_nan(f, x) or is_nan(f, y) or is_nan(f, z):
        return f.nan
    sign = 1 if (x ^ y) & f.sign else 0
    if is_infinite(f, x) or is_infinite(f, y):
        product = f.zero(sign) | f.infinity
        mixed = is_infinite(f, z) and z != product
        return f.nan if mixed or is_zero(f, x) or is_zero(f, y) else product
    if is_infinite(f, z):
        return z
    (_, m, p), (_, n, q) = f.finite(x), f.finite(y)
    return _sum(f, mode, (sign, m * n, p + q), f.finite(z))


def square_root(f: Format, mode: str, x: int) -> int:
    """`fp.sqrt`; that of -0 is -0, that of other negative numbers NaN."""
    if is_nan(f, x) or is_zero(f, x):
        return x
    if x & f.sign:
        return f.nan
    if is_infinite(f, x):
        return x
    _, m, q = f.finite(x)
    shift = max(0, 2 * (f.s + GUARD) - m.bit_length())
    shift += (q - shift) & 1
    m, q = m << shift, q - shift
    root = isqrt(m)
    return f.round(mode, 0, root << 1 | (root * root != m), q // 2 - 1)


def remainder(f: Format, x: int, y: int) -> int:
    """`fp.rem`: x - y * n, where n is the integer nearest to x / y, and the even one of two such
    integers. A zero has the sign of x.
    """
    if is_nan(f, x) or is_nan(f, y) or is_infinite(f, x) or is_zero(f, y):
        return f.nan
    if is_infinite(f, y) or is_zero(f, x):
        return x
    (sign, m, p), (_, n, q) = f.finite(x), f.finite(y)
    low = min(p, q)
    # |y| > 2 |x|, and their exponents are too far apart to write both as integers
    if q - low > f.s + 1:
        return x
    n <<= q - low
    # The power is computed modulo twice the divisor, so that the parity of the quotient is known,
    # and no shift is as long as the exponents are apart.
    rest = m * pow(2, p - low, 2 * n) % (2 * n)
    odd, rest = divmod(rest, n)
    if 2 * rest > n or (2 * rest == n and odd):
        rest, sign = n - rest, 1 - sign
    return f.round("RNE", sign, rest, low) if rest else x & f.sign


def round_to_integral(f: Format, mode: str, x: int) -> int:
    """`fp.roundToIntegral`; a zero has the sign of x."""
    if is_nan(f, x) or is_infinite(f, x):
        return x
    sign, m, q = f.finite(x)
    if q >= 0 or m == 0:
        return x
    whole = shift_rounded(mode, sign, m, -q)
    return f.round(mode, sign, whole, 0) if whole else f.zero(sign)


def minimum(f: Format, x: int, y: int) -> tuple[int, ...]:
    """`fp.min`: the values that the standard allows. There are two for zeros of different sign."""
    return _extreme(f, x, y, less(f, x, y))


def maximum(f: Format, x: int, y: int) -> tuple[int, ...]:
    """`fp.max`: the values that the standard allows. There are two for zeros of different sign."""
    return _extreme(f, x, y, less(f, y, x))


def _extreme(f: Format, x: int, y: int, first: bool) -> tuple[int, ...]:
    if is_nan(f, x) or is_nan(f, y):
        return (y if is_nan(f, x) else x,)
    if x != y and is_zero(f, x) and is_zero(f, y):
        return 0, f.sign
    return (x if first else y,)


def less(f: Format, x: int, y: int) -> bool:
    """`fp.lt`."""
    return not (is_nan(f, x) or is_nan(f, y)) and _order(f, x) < _order(f, y)


def less_equal(f: Format, x: int, y: int) -> bool:
    """`fp.leq`."""
    return not (is_nan(f, x) or is_nan(f, y)) and _order(f, x) <= _order(f, y)


def greater(f: Format, x: int, y: int) -> bool:
    """`fp.gt`."""
    return less(f, y, x)


def greater_equal(f: Format, x: int, y: int) -> bool:
    """`fp.geq`."""
    return less_equal(f, y, x)


def equal(f: Format, x: int, y: int) -> bool:
    """`fp.eq`: zeros of both signs are equal, and NaN is not equal to itself."""
    return not (is_nan(f, x) or is_nan(f, y)) and _order(f, x) == _order(f, y)


def is_normal(f: Format, x: int) -> bool:
    """`fp.isNormal`."""
    return f.fraction < f.magnitude(x) < f.infinity


def is_subnormal(f: Format, x: int) -> bool:
    """`fp.isSubnormal`."""
    return 0 < f.magnitude(x) <= f.fraction


def is_zero(f: Format, x: int) -> bool:
    """`fp.isZero`."""
    return f.magnitude(x) == 0


def is_infinite(f: Format, x: int) -> bool:
    """`fp.isInfinite`."""
    return f.magnitude(x) == f.infinity


def is_nan(f: Format, x: int) -> bool:
    """`fp.isNaN`."""
    return f.magnitude(x) > f.infinity


def is_negative(f: Format, x: int) -> bool:
    """`fp.isNegative`: true of -0, false of NaN."""
    return bool(x & f.sign) and not is_nan(f, x)


def is_positive(f: Format, x: int) -> bool:
    """`fp.isPositive`: true of +0, false of NaN."""
    return not x & f.sign and not is_nan(f, x)


def round_ratio(
    f: Format, mode: str, sign: int, numerator: int, denominator: int, exponent: int
) -> int:
    """(-1)^sign * numerator / denominator * 2^exponent, rounded; numerator and denominator > 0."""
    shift = max(0, f.s + GUARD + denominator.bit_length() - numerator.bit_length())
    quotient, rest = divmod(numerator << shift, denominator)
    return f.round(mode, sign, quotient << 1 | (rest != 0), exponent - shift - 1)


def _order(f: Format, x: int) -> int:
    return -f.magnitude(x) if x & f.sign else x


def _sum(f: Format, mode: str, one: tuple[int, int, int], other: tuple[int, int, int]) -> int:
    """Return the rounded sum of two finite numbers. A sum of zero is +0, or -0 if rounding is
    toward negative; if both were zeros of the same sign, it has that sign.
    """
    if one[2] < other[2]:
        one, other = other, one
    (sign, m, p), (sign2, n, q) = one, other
    # the smaller number only matters by not being zero
    if m and n.bit_length() + q < p - f.s - GUARD:
        m, p = m << (f.s + GUARD), p - f.s - GUARD
        n, q = (1 if n else 0), p
    if m == 0:
        p = q
    total = (-m if sign else m) * (1 << (p - q)) + (-n if sign2 else n)
    if total:
        return f.round(mode, 1 if total < 0 else 0, abs(total), q)
    both = m == n == 0 and sign == sign2
    return f.zero(sign if both else int(mode == "RTN"))


# ----------------------------------------------------------------------
# Conversions from and to floating point: SMT-LIB 2.7, theory FloatingPoint. A function returns
# None where the standard leaves the value open.


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
