"""Polynomials in one variable over the integers. A polynomial is the tuple of its coefficients,
with the constant first and a last one that is not zero.

Real roots are counted by Sturm's theorem: Basu, Pollack, Roy, Algorithms in Real Algebraic
Geometry, section 2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import comb, floor, gcd, lcm
from typing import Union

from murxpy.logic.walks import occurrences
from murxpy.semantics.values import CannotSay

Poly = tuple[int, ...]
Rational = tuple[Fraction, ...]
_Part = tuple[Fraction, Fraction, int, int]  # an interval, and the changes of sign at its ends


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

    def halves(part: _Part) -> tuple[_Part, ...]:
        low, high, before, after = part
        if before - after <= 1:
            return ()
        middle = (low + high) / 2
        between = changes(chain, middle)
        return (middle, high, between, after), (low, middle, before, between)

    whole = -limit, limit, changes(chain, -limit), changes(chain, limit)
    return [
        (low, high)
        for low, high, before, after in occurrences([whole], halves)
        if before - after == 1
    ]


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


# ----------------------------------------------------------------------
# Exact real algebraic numbers. A number is a polynomial with integer coefficients and without
# multiple roots, and an interval that contains one of its roots. Only irrational numbers are
# `Algebraic`; a rational number is a `Fraction`. Sums and products are roots of resultants. A
# comparison refines the intervals, and equality is decided by a common factor of the
# polynomials, so nothing is guessed. Loos, Computing in algebraic extensions, 1983.


Real = Union[Fraction, "Algebraic"]
DEGREE = 24  # largest degree of a result; above it the answer is CannotSay
# largest coefficient of a polynomial; to round its root takes a step for each bit
COEFFICIENT_BITS = 1 << 9
HASHED_BITS = 16


class Algebraic:
    """The irrational root of `poly` between `low` and `high`. Such a number can be compared with,
    added to and multiplied by others and Fractions.
    """

    __slots__ = ("_hash", "high", "low", "poly")

    def __init__(self, poly: Poly, low: Fraction, high: Fraction) -> None:
        self.poly = poly
        self.low = low
        self.high = high
        self._hash: int | None = None

    def refine(self) -> None:
        """Halve the interval. The number stays the same."""
        middle = (self.low + self.high) / 2
        if sign_at(self.poly, middle) == sign_at(self.poly, self.low):
            self.low = middle
        else:
            self.high = middle

    def within(self, width: Fraction) -> tuple[Fraction, Fraction]:
        """Return the interval after it was made no wider than `width`."""
        while self.high - self.low > width:
            self.refine()
        return self.low, self.high

    def __floor__(self) -> int:
        while floor(self.low) != floor(self.high):
            self.refine()
        return floor(self.low)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(floor(self * Fraction(1 << HASHED_BITS)))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Algebraic):
            return False
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low >= high:
            return False
        factor = common_factor(self.poly, other.poly)
        return sign_at(factor, low) * sign_at(factor, high) < 0

    def __lt__(self, other: Real | int) -> bool:
        if isinstance(other, Algebraic):
            if self == other:
                return False
            while self.low < other.high and other.low < self.high:
                self.refine()
                other.refine()
            return self.high <= other.low
        point = Fraction(other)
        if not self.low < point < self.high:
            return self.high <= point
        return sign_at(self.poly, point) != sign_at(self.poly, self.low)

    def __gt__(self, other: Real | int) -> bool:
        return other < self if isinstance(other, Algebraic) else not self < other

    def __le__(self, other: Real | int) -> bool:
        return self == other or self < other

    def __ge__(self, other: Real | int) -> bool:
        return self == other or self > other

    def __neg__(self) -> Algebraic:
        return Algebraic(
            primitive(c * (-1) ** k for k, c in enumerate(self.poly)), -self.high, -self.low
        )

    def __abs__(self) -> Algebraic:
        return -self if self < 0 else self

    def __add__(self, other: Real | int) -> Real:
        if isinstance(other, Algebraic):
            return _combined(self, other, _sum_at, lambda a, b: (a[0] + b[0], a[1] + b[1]))
        shift = Fraction(other)
        return Algebraic(primitive(_shifted(self.poly, shift)), self.low + shift, self.high + shift)

    def __mul__(self, other: Real | int) -> Real:
        if isinstance(other, Algebraic):
            return _combined(self, other, _product_at, _product_interval)
        factor = Fraction(other)
        if factor == 0:
            return Fraction(0)
        poly = primitive(c / factor**k for k, c in enumerate(self.poly))
        return Algebraic(poly, *sorted((self.low * factor, self.high * factor)))

    def inverse(self) -> Algebraic:
        """Return one divided by the number."""
        while self.low <= 0 <= self.high:
            self.refine()
        return Algebraic(primitive(reversed(self.poly)), 1 / self.high, 1 / self.low)

    def __sub__(self, other: Real | int) -> Real:
        return self + (-other)

    def __truediv__(self, other: Real | int) -> Real:
        return self * (other.inverse() if isinstance(other, Algebraic) else 1 / Fraction(other))

    def __rsub__(self, other: Fraction | int) -> Real:
        return -self + other

    def __rtruediv__(self, other: Fraction | int) -> Real:
        return self.inverse() * other

    __radd__ = __add__
    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"Algebraic({self.poly}, {self.low}, {self.high})"


def number(poly: Iterable[int | Fraction], low: Fraction, high: Fraction) -> Real:
    """Return the only root of a polynomial in (low, high]. The root may be rational. Raises
    ValueError if there is no or more than one root.
    """
    known = square_free(primitive(poly))
    chain = sturm_chain(known)
    if (
        low > high
        or len(known) < 2
        or (changes(chain, low) - changes(chain, high) != 1 and low != high)
    ):
        raise ValueError(f"no isolating interval of {known}: {low}, {high}")
    if sign_at(known, high) == 0:
        return high
    while sign_at(known, low) == 0:  # a root at the lower end is outside of the interval
        middle = (low + high) / 2
        if changes(chain, middle) - changes(chain, high) == 1:
            low = middle
        elif sign_at(known, middle) == 0:
            return middle
        else:
            high = middle
    return _rational(Algebraic(known, low, high))


def _rational(value: Algebraic) -> Real:
    """Return the same number, as a Fraction if it is rational: its denominator then divides the
    leading coefficient.
    """
    leading = value.poly[-1]
    low, high = value.within(Fraction(1, 2 * leading))
    for top in range(floor(low * leading), floor(high * leading) + 1):
        candidate = Fraction(top, leading)
        # the interval may have been halved exactly at the number
        if low < candidate <= high and sign_at(value.poly, candidate) == 0:
            return candidate
    return value


def roots(poly: Iterable[int | Fraction]) -> list[Real]:
    """Return the real roots of a polynomial in order, each of them once."""
    known = square_free(primitive(poly))
    return [number(known, low, high) for low, high in isolated(known)]


def root(value: Real, degree: int) -> Real:
    """Return the `degree`-th root of a number that is not negative. Raises CannotSay if the degree
    is too high.
    """
    if isinstance(value, Fraction):
        return _rational_root(value, degree)
    if (len(value.poly) - 1) * degree > DEGREE:
        raise CannotSay("an algebraic number of too high a degree")
    spread: list[int | Fraction] = [0] * ((len(value.poly) - 1) * degree + 1)
    spread[::degree] = list(value.poly)
    positive = [r for r in roots(spread) if r > 0]
    return next(r for r in positive if power(r, degree) == value)


def _rational_root(value: Fraction, degree: int) -> Real:
    top, bottom = _integer_root(value.numerator, degree), _integer_root(value.denominator, degree)
    exact = Fraction(top, bottom)
    if exact**degree == value:
        return exact
    if degree > DEGREE:
        raise CannotSay("an algebraic number of too high a degree")
    # The quotient of the rounded roots differs from the root by less than one in numerator and
    # denominator.
    poly = _bounded(primitive((-value, *[Fraction(0)] * (degree - 1), Fraction(1))))
    return Algebraic(poly, Fraction(top, bottom + 1), Fraction(top + 1, bottom))


def _bounded(poly: Poly) -> Poly:
    """Return the polynomial. Raises CannotSay if its coefficients are so large that to work with its
    roots takes long.
    """
    if max(abs(c).bit_length() for c in poly) > COEFFICIENT_BITS:
        raise CannotSay(
            f"an algebraic number with coefficients of more than {COEFFICIENT_BITS} bits"
        )
    return poly


def _integer_root(value: int, degree: int) -> int:
    """Return the greatest integer whose power is at most `value`, by bisection."""
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= value else (low, middle)
    return low


def power(value: Real, exponent: int) -> Real:
    """Return a power with a positive exponent, by squaring."""
    result: Real = Fraction(1)
    while exponent:
        if exponent & 1:
            result = result * value
        value = value * value if exponent > 1 else value
        exponent >>= 1
    return result


def _shifted(poly: Poly, shift: Fraction) -> list[Fraction]:
    """Return the polynomial whose roots are those of `poly` plus `shift`."""
    result = [Fraction(0)] * len(poly)
    for k, coefficient in enumerate(poly):
        for j in range(k + 1):
            result[j] += coefficient * comb(k, j) * (-shift) ** (k - j)
    return result


def _sum_at(left: Poly, right: Poly, point: Fraction) -> Fraction:
    """Return the resultant of left(y) and right(point - y) in y."""
    turned = [c * (-1) ** k for k, c in enumerate(right)]
    return resultant([Fraction(c) for c in left], _trimmed(_shifted(tuple(turned), point)))


def _product_at(left: Poly, right: Poly, point: Fraction) -> Fraction:
    """Return the resultant of left(y) and y^n right(point / y) in y."""
    turned = [c * point**k for k, c in enumerate(right)]
    return resultant([Fraction(c) for c in left], _trimmed([Fraction(c) for c in reversed(turned)]))


def _trimmed(poly: list[Fraction]) -> list[Fraction]:
    while poly and poly[-1] == 0:
        poly.pop()
    return poly


Interval = tuple[Fraction, Fraction]


def _product_interval(left: Interval, right: Interval) -> Interval:
    ends = [a * b for a in left for b in right]
    return min(ends), max(ends)


def _combined(
    left: Algebraic,
    right: Algebraic,
    at: Callable[[Poly, Poly, Fraction], Fraction],
    interval: Callable[[Interval, Interval], Interval],
) -> Real:
    degree = (len(left.poly) - 1) * (len(right.poly) - 1)
    if degree > DEGREE:
        raise CannotSay("an algebraic number of too high a degree")
    points = [Fraction(k) for k in range(1, degree + 2)]
    values = [(x, at(left.poly, right.poly, x)) for x in points]
    poly = _bounded(square_free(primitive(interpolated(values))))
    chain = sturm_chain(poly)
    while True:
        low, high = interval((left.low, left.high), (right.low, right.high))
        if sign_at(poly, low) and changes(chain, low) - changes(chain, high) == 1:
            return number(poly, low, high)
        left.refine()
        right.refine()
