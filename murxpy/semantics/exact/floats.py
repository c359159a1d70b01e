"""Floating-point arithmetic on bits: exact, and rounded once. SMT-LIB 2.7, theory FloatingPoint;
IEEE 754-2019.

Floats are ints as `float_formats` has them, with one NaN. Rounding modes are those of
`values.ROUNDING_MODES`.
"""

from __future__ import annotations

from math import isqrt

from murxpy.semantics.exact.float_formats import Format, shift_rounded

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
