"""Integers, reals, and conversions between them: SMT-LIB 2.7, theories Ints, Reals and Reals_Ints.

A real is a Fraction or an `Algebraic`. Division rounds so that the remainder is not negative
(Boute, TOPLAS 1992). The standard leaves open what `div`, `mod` and `/` by zero give, but it is the
same for the same dividend.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor, prod
from operator import add, ge, gt, le, lt, mul, neg, sub, truediv

from murxpy.logic.sorts import Sort
from murxpy.semantics.exact.algebraic import Algebraic, Real, power, root
from murxpy.semantics.registry import (
    Points,
    Site,
    cardinality,
    enumeration,
    meaning,
    prepared,
    special,
)
from murxpy.semantics.values import CannotSay, Value

MAX_BITS = 1 << 18  # longest product, quotient or power, in bits
BY_ZERO = "divisor 0: any number, the same for the same dividend"
NO_POWER = "0 to 0 or a negative, an integer to a negative, a negative to a fraction: any number"


def _direct(kind: str, function: Callable[..., Value]) -> None:
    """Enter a meaning that depends on the values of its arguments alone."""

    @prepared(kind)
    def prepare(site: Site) -> Callable[..., Value]:
        return function


def _product(left: int, right: int) -> int:
    value = left * right
    if value.bit_length() > MAX_BITS:  # the squares of a longer number would fill the memory
        raise CannotSay(f"an integer of more than {MAX_BITS} bits")
    return value


def _short(calculate: Callable[[Real, Real], Real]) -> Callable[[Real, Real], Real]:
    """Return the same operation for numbers that are not too long. The function raises CannotSay for
    others.
    """

    def short(left: Real, right: Real) -> Real:
        value = calculate(left, right)
        if (
            isinstance(value, Fraction)
            and max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS
        ):
            raise CannotSay(f"a fraction of more than {MAX_BITS} bits")
        return value

    return short


_direct("OP_INT_ADD", add)
_direct("OP_INT_SUB", sub)
_direct("OP_INT_MUL", _product)
_direct("OP_REAL_ADD", _short(add))
_direct("OP_REAL_SUB", _short(sub))
_direct("OP_REAL_MUL", _short(mul))
_quotient = _short(truediv)
for _theory in ("INT", "REAL"):
    for _name, _function in (
        ("NEG", neg),
        ("ABS", abs),
        ("LT", lt),
        ("LTE", le),
        ("GT", gt),
        ("GTE", ge),
    ):
        _direct(f"OP_{_theory}_{_name}", _function)


def quotient(left: int, right: int) -> int:
    """`div` by a divisor that is not zero."""
    return left // right if right > 0 else -(left // -right)


def remainder(left: int, right: int) -> int:
    """`mod` by a divisor that is not zero."""
    return left % abs(right)


@meaning("OP_INT_DIV", open=BY_ZERO)
def _div(site: Site, left: int, right: int) -> Value:
    return quotient(left, right) if right else site.open((left, right))


@meaning("OP_INT_MOD", open=BY_ZERO)
def _mod(site: Site, left: int, right: int) -> Value:
    return remainder(left, right) if right else site.open((left, right))


@meaning("OP_INT_REM", open=BY_ZERO)
def _rem(site: Site, left: int, right: int) -> Value:
    """`rem` of z3, in which the sign of the divisor decides the sign of the result."""
    if right == 0:
        return site.open((left, right))
    return remainder(left, right) if right > 0 else -remainder(left, right)


@meaning("OP_REAL_DIV", open=BY_ZERO)
def _divide(site: Site, left: Real, right: Real) -> Value:
    return _quotient(left, right) if right != 0 else site.open((left, right))


_direct("OP_INT_DIV_TOTAL", lambda left, right: quotient(left, right) if right else 0)
_direct("OP_INT_MOD_TOTAL", lambda left, right: remainder(left, right) if right else left)
_direct(
    "OP_REAL_DIV_TOTAL", lambda left, right: _quotient(left, right) if right != 0 else Fraction(0)
)
_direct("OP_INT_TO_REAL", Fraction)
_direct("OP_REAL_TO_INT", floor)
_direct("OP_REAL_IS_INT", lambda value: isinstance(value, Fraction) and value.denominator == 1)


@meaning("OP_INT_IS_DIV")
def _divisible(site: Site, value: int) -> bool:
    return value % int(site.indices[0]) == 0


def _bounded(base_bits: int, exponent: int) -> None:
    if base_bits * exponent > MAX_BITS:
        raise CannotSay(f"a power of more than {MAX_BITS} bits")


@meaning("OP_INT_POW", open=NO_POWER)
def _int_pow(site: Site, base: int, exponent: int) -> Value:
    if exponent < 0 or base == exponent == 0:
        return site.open((base, exponent))
    if abs(base) > 1:
        _bounded(base.bit_length(), exponent)
        return int(base**exponent)
    return base ** (2 - exponent % 2) if exponent else 1  # the base is 0, 1 or -1 here


@meaning("OP_REAL_POW", open=NO_POWER)
def _real_pow(site: Site, base: Real, exponent: Real) -> Value:
    if isinstance(exponent, Algebraic):
        raise CannotSay("a power with an irrational exponent")
    if (base == 0 and exponent <= 0) or (base < 0 and exponent.denominator != 1):
        return site.open((base, exponent))
    size = (
        64
        if isinstance(base, Algebraic)
        else max(base.numerator.bit_length(), base.denominator.bit_length())
    )
    _bounded(size, abs(exponent.numerator))
    value = power(base, abs(exponent.numerator))
    if exponent.denominator > 1:
        value = root(value, exponent.denominator)
    return value if exponent >= 0 else 1 / value


@meaning("OP_INT_POW2")
def _pow2(site: Site, exponent: int) -> int:
    """`int.pow2` of cvc5, which is 0 for a negative exponent."""
    _bounded(1, exponent)
    return 1 << exponent if exponent >= 0 else 0


# cvc5 gives 0 for numbers without a logarithm
_direct("OP_INT_LOG2", lambda value: value.bit_length() - 1 if value > 0 else 0)


@prepared("OP_INT_IAND")
def _iand(site: Site) -> Callable[[int, int], int]:
    return lambda left, right: _piand(site, int(site.indices[0]), left, right)


@meaning("OP_INT_PIAND")
def _piand(site: Site, width: int, left: int, right: int) -> int:
    """`piand` of cvc5: as many low bits as the first argument says, or 0 if it is negative."""
    both = left & right
    if both >= 0 and width >= both.bit_length():
        return both
    _bounded(1, width)
    return both & ((1 << width) - 1) if width > 0 else 0


# ----------------------------------------------------------------------
# Transcendental functions. Their values are known at the few points where they are algebraic, and
# for all square roots. By the theorem of Lindemann and Weierstrass, exp, sin, cos and tan of any
# algebraic number except 0 are transcendental, and so are the angles.


# Of each function, the arguments at which it has a rational value, with that value. The square root
# has many such arguments and is not listed.
EXACT = {
    "OP_TRANS_EXP": {0: 1},
    "OP_TRANS_SINE": {0: 0},
    "OP_TRANS_COSINE": {0: 1},
    "OP_TRANS_TANGENT": {0: 0},
    "OP_TRANS_SECANT": {0: 1},
    "OP_TRANS_ARCSINE": {0: 0},
    "OP_TRANS_ARCCOSINE": {1: 0},
    "OP_TRANS_ARCTANGENT": {0: 0},
    "OP_TRANS_ARCSECANT": {1: 0},
    "OP_TRANS_COSECANT": {},
    "OP_TRANS_COTANGENT": {},
    "OP_TRANS_ARCCOSECANT": {},
    "OP_TRANS_ARCCOTANGENT": {},
    "OP_TRANS_SINH": {0: 0},
    "OP_TRANS_COSH": {0: 1},
    "OP_TRANS_TANH": {0: 0},
    "OP_TRANS_ARSINH": {0: 0},
    "OP_TRANS_ARCOSH": {1: 0},
    "OP_TRANS_ARTANH": {0: 0},
}


@meaning(*EXACT)
def _exact(site: Site, value: Real) -> Value:
    for point, result in EXACT[site.kind].items():
        if value == point:
            return Fraction(result)
    raise CannotSay(f"{site.kind} of {value}")


@meaning("OP_TRANS_PI", "OP_TRANS_EULER")
def _number(site: Site) -> Value:
    raise CannotSay(f"{site.kind} is transcendental")


@meaning("OP_TRANS_SQRT", open="a negative number: any real")
def _sqrt(site: Site, value: Real) -> Value:
    return root(value, 2) if value >= 0 else site.open((value,))


# ----------------------------------------------------------------------
# Finite fields of prime order, as in cvc5 and z3. A value is an integer modulo p.


@prepared("OP_FINITE_FIELD_NEG")
def _negate(site: Site) -> Callable[[int], int]:
    order = site.sort.width
    return lambda x: -x % order


@prepared("OP_FINITE_FIELD_ADD", whole=True)
def _add(site: Site) -> Callable[..., int]:
    order = site.sort.width
    return lambda *values: sum(values) % order


@prepared("OP_FINITE_FIELD_MULT", whole=True)
def _multiply(site: Site) -> Callable[..., int]:
    order = site.sort.width
    return lambda *values: prod(values) % order


@prepared("OP_FINITE_FIELD_BITSUM")
def _bitsum(site: Site) -> Callable[..., int]:
    """Return x0 + 2 x1 + 4 x2 + ..."""
    order = site.sort.width
    return lambda *values: sum(x << k for k, x in enumerate(values)) % order


@special("SORT_FF")
def _special(sort: Sort, name: str, points: Points) -> int:
    return {"ff.zero": 0, "ff.one": 1 % sort.width, "ff.negone": sort.width - 1}[name]


@cardinality("SORT_FF")
def _size(sort: Sort, points: Points) -> int | None:
    return sort.width if sort.width <= 1 << 64 else None


@enumeration("SORT_FF")
def _elements(sort: Sort, points: Points) -> tuple[Value, ...]:
    return tuple(range(sort.width))
