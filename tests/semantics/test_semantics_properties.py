"""Laws that the meanings keep, on random values: of bit-vectors, integers, reals, algebraic
numbers, arrays.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typed_terms import Logic, evaluator, value

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.semantics.exact.algebraic import Algebraic, number, power, root, roots, sign_at
from murxpy.semantics.values import CannotSay

LOGIC = Logic()
APP = LOGIC.app
WIDTHS = st.integers(1, 9) | st.sampled_from((16, 31, 32, 33, 64, 65))
FRACTIONS = st.fractions(min_value=-50, max_value=50, max_denominator=12)


def law(left: Term, right: Term, constants: dict[Term, Any]) -> None:
    """Both sides have one value."""
    judge = evaluator(constants)
    assert judge.value(left) == judge.value(right), (left, right, constants)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Sort, Term, Term, dict[Term, Any]]:
    """Two constants of one bit-vector sort and their values."""
    width = draw(WIDTHS)
    edge = st.sampled_from((0, 1, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1))
    numbers = edge | st.integers(0, (1 << width) - 1)
    sort = LOGIC.bv(width)
    x, y = LOGIC.const("x", sort), LOGIC.const("y", sort)
    return sort, x, y, {x: draw(numbers), y: draw(numbers)}


@given(pairs())
def test_bitwise_laws(given_: Any) -> None:
    _, x, y, constants = given_
    law(
        APP("BV_NOT", APP("BV_AND", x, y)),
        APP("BV_OR", APP("BV_NOT", x), APP("BV_NOT", y)),
        constants,
    )
    law(APP("BV_NAND", x, y), APP("BV_NOT", APP("BV_AND", x, y)), constants)
    law(APP("BV_NOR", x, y), APP("BV_NOT", APP("BV_OR", x, y)), constants)
    law(APP("BV_XNOR", x, y), APP("BV_NOT", APP("BV_XOR", x, y)), constants)
    law(APP("BV_SUB", x, y), APP("BV_ADD", x, APP("BV_NEG", y)), constants)


@given(pairs())
def test_quotient_and_remainder_of_bit_vectors(given_: Any) -> None:
    _, x, y, constants = given_
    for quotient, rest in (("BV_UDIV", "BV_UREM"), ("BV_SDIV", "BV_SREM")):
        law(APP("BV_ADD", APP("BV_MULT", APP(quotient, x, y), y), APP(rest, x, y)), x, constants)


@given(pairs())
def test_signed_operators_by_unsigned_ones(given_: Any) -> None:
    """The definitions of the theory, by the sign bits."""
    sort, x, y, constants = given_
    top = sort.width - 1
    negative = {t: APP("BV_BIT", t, indices=(top,)) for t in (x, y)}
    absolute = {t: APP("ITE", negative[t], APP("BV_NEG", t), t) for t in (x, y)}
    quotient = APP("BV_UDIV", absolute[x], absolute[y])
    law(
        APP("BV_SDIV", x, y),
        APP("ITE", APP("XOR", negative[x], negative[y]), APP("BV_NEG", quotient), quotient),
        constants,
    )
    rest = APP("BV_UREM", absolute[x], absolute[y])
    law(APP("BV_SREM", x, y), APP("ITE", negative[x], APP("BV_NEG", rest), rest), constants)
    smaller = APP("ITE", APP("EQUAL", negative[x], negative[y]), APP("BV_ULT", x, y), negative[x])
    law(APP("BV_SLT", x, y), smaller, constants)
    law(APP("BV_SGE", x, y), APP("NOT", APP("BV_SLT", x, y)), constants)


@given(pairs())
def test_comparisons_agree_with_integers(given_: Any) -> None:
    _, x, y, constants = given_
    for to_int, names in (
        ("BV_UBV_TO_INT", ("ULT", "ULE", "UGT", "UGE")),
        ("BV_SBV_TO_INT", ("SLT", "SLE", "SGT", "SGE")),
    ):
        for name, plain in zip(names, ("LT", "LTE", "GT", "GTE"), strict=True):
            law(
                APP(f"BV_{name}", x, y),
                APP(f"INT_{plain}", APP(to_int, x), APP(to_int, y)),
                constants,
            )


@given(pairs())
def test_overflow_predicates_say_that_the_integers_differ(given_: Any) -> None:
    _, x, y, constants = given_
    for sign, to_int in (("U", "BV_UBV_TO_INT"), ("S", "BV_SBV_TO_INT")):
        for name, bv, plain in (
            ("ADDO", "BV_ADD", "INT_ADD"),
            ("SUBO", "BV_SUB", "INT_SUB"),
            ("MULO", "BV_MULT", "INT_MUL"),
        ):
            exact = APP(plain, APP(to_int, x), APP(to_int, y))
            law(
                APP(f"BV_{sign}{name}", x, y),
                APP("DISTINCT", APP(to_int, APP(bv, x, y)), exact),
                constants,
            )


@given(pairs(), st.integers(0, 200))
def test_rotations_and_extensions(given_: Any, by: int) -> None:
    sort, x, _, constants = given_
    by %= 2 * sort.width + 1
    left = APP("BV_ROTATE_LEFT", x, indices=(by,))
    law(APP("BV_ROTATE_RIGHT", left, indices=(by,)), x, constants)
    law(
        APP("BV_SBV_TO_INT", APP("BV_SIGN_EXTEND", x, indices=(by,))),
        APP("BV_SBV_TO_INT", x),
        constants,
    )
    law(
        APP("BV_UBV_TO_INT", APP("BV_ZERO_EXTEND", x, indices=(by,))),
        APP("BV_UBV_TO_INT", x),
        constants,
    )
    law(APP("BV_REPEAT", x, indices=(3,)), APP("BV_CONCAT", x, x, x), constants)
    law(APP("INT_TO_BV", APP("BV_SBV_TO_INT", x), indices=(sort.width,)), x, constants)


@given(st.integers(-200, 200), st.integers(-20, 20).filter(bool))
def test_integer_division(left: int, right: int) -> None:
    x, y = LOGIC.const("m", LOGIC.int), LOGIC.const("n", LOGIC.int)
    constants: dict[Term, Any] = {x: left, y: right}
    rest = APP("INT_MOD", x, y)
    law(APP("INT_ADD", APP("INT_MUL", y, APP("INT_DIV", x, y)), rest), x, constants)
    assert 0 <= int(str(value(rest, constants))) < abs(right)


@given(FRACTIONS)
def test_floor(number_: Fraction) -> None:
    x = LOGIC.const("r", LOGIC.real)
    floor = APP("REAL_TO_INT", x)
    assert value(floor, {x: number_}) == math.floor(number_)
    law(APP("REAL_IS_INT", x), APP("EQUAL", APP("INT_TO_REAL", floor), x), {x: number_})


# -- algebraic numbers


@given(st.lists(st.integers(-20, 20), min_size=2, max_size=6).filter(lambda c: c[-1] != 0))
@settings(deadline=None)
def test_roots_are_roots_in_order(coefficients: list[int]) -> None:
    found = roots(coefficients)
    assert all(a < b and not b < a and a != b for a, b in pairwise(found))
    for one in found:
        total: Any = Fraction(0)
        if isinstance(one, Fraction):
            total = sum(c * one**k for k, c in enumerate(coefficients))
            assert total == 0
        else:
            assert sign_at(one.poly, one.low) * sign_at(one.poly, one.high) < 0


@given(st.integers(2, 30), st.integers(2, 30), FRACTIONS)
@settings(deadline=None, max_examples=15)
def test_arithmetic_of_square_roots(left: int, right: int, shift: Fraction) -> None:
    a, b = root(Fraction(left), 2), root(Fraction(right), 2)
    assert a * a == left
    assert a * b == root(Fraction(left * right), 2)
    assert (a + b) * (a - b) == left - right
    assert (a + shift) - shift == a and hash((a + shift) - shift) == hash(a)
    assert a / b * b == a
    assert (a < b) == (left < right) and (a <= b) == (left <= right)
    assert math.floor(a) == math.isqrt(left)
    assert abs(-a) == a


def test_rational_roots_are_fractions() -> None:
    assert root(Fraction(9, 4), 2) == Fraction(3, 2)
    assert isinstance(root(Fraction(2), 2), Algebraic)
    assert number((-3, 2), Fraction(1), Fraction(2)) == Fraction(3, 2)
    assert number((-2, 0, 1), Fraction(0), Fraction(2)) == root(Fraction(2), 2)
    assert power(root(Fraction(5), 3), 3) == 5
    with pytest.raises(ValueError, match="isolating"):
        number((-2, 0, 1), Fraction(-2), Fraction(2))


def test_degrees_are_bounded() -> None:
    a = root(Fraction(2), 5)
    with pytest.raises(CannotSay):
        (a + root(Fraction(3), 5)) * 2 + root(Fraction(7), 3)


def test_the_golden_ratio_as_a_value() -> None:
    """x = 1 + 1/x, by the operators, at an irrational value."""
    x = LOGIC.const("phi", LOGIC.real)
    one = LOGIC.val(LOGIC.real, Fraction(1))
    term = APP("EQUAL", x, APP("REAL_ADD", one, APP("REAL_DIV", one, x)))
    below, first_shown = roots((-1, -1, 1))
    assert value(term, {x: first_shown}) is True and value(term, {x: below}) is True
    assert value(term, {x: root(Fraction(2), 2)}) is False
    assert value(APP("REAL_TO_INT", x), {x: first_shown}) == 1
    assert value(APP("REAL_IS_INT", x), {x: first_shown}) is False
    assert value(APP("REAL_GT", APP("REAL_NEG", x), one), {x: first_shown}) is False


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), max_size=8),
    st.integers(0, 1),
    st.integers(0, 1),
)
def test_arrays_are_equal_just_where_their_elements_are(
    stores: list[tuple[int, int]], first: int, second: int
) -> None:
    index, element = LOGIC.bv(2), LOGIC.bv(1)
    sort = LOGIC.sort("ARRAY", index, element)
    arrays = [APP("CONST_ARRAY", LOGIC.val(element, d), wanted=sort) for d in (first, second)]
    for at, stored in stores:
        arrays = [
            APP("ARRAY_STORE", a, LOGIC.val(index, at), LOGIC.val(element, stored)) for a in arrays
        ]
    judge = evaluator()
    elements = [
        [judge.value(APP("ARRAY_SELECT", a, LOGIC.val(index, k))) for k in range(4)] for a in arrays
    ]
    assert judge.value(APP("EQUAL", *arrays)) is (elements[0] == elements[1])
