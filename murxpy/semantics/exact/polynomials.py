"""Polynomials in one variable over the integers. A polynomial is the tuple of its coefficients,
with the constant first and a last one that is not zero.

Real roots are counted by Sturm's theorem: Basu, Pollack, Roy, Algorithms in Real Algebraic
Geometry, section 2.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm

Poly = tuple[int, ...]
Rational = tuple[Fraction, ...]


def primitive(coefficients: Iterable[int | Fraction]) -> Poly:
    """Return the polynomial with the same roots whose coefficients are integers without a common
    factor, and whose last coefficient is positive.
    """
    known = [Fraction(c) for c in coefficients]
    while known and known[-1] == 0:
        known.pop()
    if not known:
        return ()
    scale = lcm(*(c.denominator for c in known))
    numbers = [int(c * scale) for c in known]
    factor = gcd(*numbers) * (1 if numbers[-1] > 0 else -1)
    return tuple(n // factor for n in numbers)


def sign_at(poly: Poly, point: Fraction) -> int:
    """Return the sign at a point: -1, 0 or 1. All calculations are in integers."""
    top, bottom, power, result = point.numerator, point.denominator, 1, 0
    for coefficient in reversed(poly):
        result = result * top + coefficient * power
        power *= bottom
    return (result > 0) - (result < 0)


def derivative(poly: Poly) -> Poly:
    """Return the derivative."""
    return tuple(k * c for k, c in enumerate(poly))[1:]


def divided(
    left: Sequence[int | Fraction], right: Sequence[int | Fraction]
) -> tuple[list[Fraction], list[Fraction]]:
    """Return quotient and remainder over the rationals."""
    rest = [Fraction(c) for c in left]
    quotient = [Fraction(0)] * max(0, len(left) - len(right) + 1)
    while len(rest) >= len(right):
        factor = rest[-1] / right[-1]
        shift = len(rest) - len(right)
        quotient[shift] = factor
        for k, coefficient in enumerate(right):
            rest[shift + k] -= factor * coefficient
        rest.pop()
    while rest and rest[-1] == 0:
        rest.pop()
    return quotient, rest


def common_factor(left: Poly, right: Poly) -> Poly:
    """Return the greatest common divisor, made primitive."""
    while right:
        left, right = right, primitive(divided(left, right)[1])
    return primitive(left)


def square_free(poly: Poly) -> Poly:
    """Return the polynomial that has the same roots, each of them once."""
    factor = common_factor(poly, derivative(poly))
    return primitive(divided(poly, factor)[0]) if len(factor) > 1 else primitive(poly)


def sturm_chain(poly: Poly) -> list[Poly]:
    """Return the chain of Sturm's theorem for a polynomial without multiple roots."""
    chain = [poly, derivative(poly)]
    while len(chain[-1]) > 1:
        rest = [-c for c in divided(chain[-2], chain[-1])[1]]
        if not rest:
            break
        small = primitive(rest)
        chain.append(small if rest[-1] > 0 else tuple(-c for c in small))
    return chain


def changes(chain: list[Poly], point: Fraction) -> int:
    """Return how often the sign changes along the chain at a point."""
    signs = [s for s in (sign_at(p, point) for p in chain) if s]
    return sum(a != b for a, b in pairwise(signs))


def isolated(poly: Poly) -> list[tuple[Fraction, Fraction]]:
    """Return intervals (low, high], in order, that contain one root each, of a polynomial without
    multiple roots.
    """
    if len(poly) < 2:
        return []
    chain = sturm_chain(poly)
    # Cauchy's bound: all roots are within it
    limit = 1 + max(Fraction(abs(c), abs(poly[-1])) for c in poly[:-1])
    found = []
    work = [(-limit, limit, changes(chain, -limit), changes(chain, limit))]
    while work:
        low, high, before, after = work.pop()
        if before - after == 1:
            found.append((low, high))
        elif before > after:
            middle = (low + high) / 2
            between = changes(chain, middle)
            work += [(middle, high, between, after), (low, middle, before, between)]
    return found


def resultant(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    """Return the resultant of two polynomials, by Euclid's algorithm."""
    result = Fraction(1)
    a, b = list(left), list(right)
    while True:
        if not a or not b:
            return Fraction(0)
        if len(b) == 1:
            return result * b[0] ** (len(a) - 1)
        if len(a) < len(b):
            result *= (-1) ** ((len(a) - 1) * (len(b) - 1))
            a, b = b, a
            continue
        rest = divided(a, b)[1]
        result *= (-1) ** ((len(a) - 1) * (len(b) - 1)) * b[-1] ** (len(a) - max(1, len(rest)))
        a, b = b, rest


def interpolated(points: Sequence[tuple[Fraction, Fraction]]) -> Rational:
    """Return the polynomial of least degree through the points, by Newton's divided differences."""
    places = [x for x, _ in points]
    table = [y for _, y in points]
    for level in range(1, len(points)):
        for k in range(len(points) - 1, level - 1, -1):
            table[k] = (table[k] - table[k - 1]) / (places[k] - places[k - level])
    result = [Fraction(0)]
    for place, coefficient in zip(reversed(places), reversed(table), strict=True):
        shifted = [Fraction(0), *result]
        result = [s - place * r for s, r in zip(shifted, [*result, Fraction(0)], strict=True)]
        result[0] += coefficient
    return tuple(result)
