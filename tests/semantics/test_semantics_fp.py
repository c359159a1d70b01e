"""Floating point: against Python's binary64, against exact fractions in small formats, and laws of
rounding.
"""

from __future__ import annotations

import functools
import math
import struct
from bisect import bisect_right
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typed_terms import Logic, evaluator, value

from murxpy.logic.terms import SPECIAL
from murxpy.semantics.exact import floats as fp
from murxpy.semantics.exact import floats as fp_convert
from murxpy.semantics.exact.algebraic import Algebraic, root
from murxpy.semantics.exact.floats import Format, format_of
from murxpy.semantics.values import ROUNDING_MODES, CannotSay

DOUBLE, SINGLE, TINY, ODD = format_of(11, 53), format_of(8, 24), format_of(2, 3), format_of(3, 2)

doubles = st.floats(width=64)
modes = st.sampled_from(ROUNDING_MODES)
formats = st.sampled_from(
    [TINY, ODD, format_of(3, 3), format_of(4, 4), format_of(5, 11), SINGLE, format_of(2, 9)]
)


def bits(number: float) -> int:
    """The bits of a double."""
    return DOUBLE.canonical(struct.unpack("<Q", struct.pack("<d", number))[0])


def exact(f: Format, x: int) -> Fraction:
    """The value of finite bits, by the text of the standard rather than by `Format.finite`."""
    exponent, fraction = (x >> (f.s - 1)) % (1 << f.e), x % (1 << (f.s - 1))
    bias = (1 << (f.e - 1)) - 1
    hidden = 1 if exponent else 0
    size = (hidden + Fraction(fraction, 1 << (f.s - 1))) * Fraction(2) ** (max(exponent, 1) - bias)
    return -size if x >> (f.e + f.s - 1) else size


def finite_floats(f: Format) -> list[int]:
    """All finite floats of a small format."""
    return [sign | k for sign in (0, f.sign) for k in range(f.infinity)]


@functools.cache
def sizes_of(f: Format) -> list[Fraction]:
    """The floats that are not negative, and for infinity the power of two that an unbounded
    exponent would have.
    """
    top = f.infinity - 1
    return [exact(f, k) for k in range(f.infinity)] + [2 * exact(f, 1 + top - (1 << (f.s - 1)))]


@functools.cache
def rounded(f: Format, mode: str, number: Fraction) -> int:
    """The rounding of a number that is not 0, by search among all floats of a small format."""
    sign = f.sign if number < 0 else 0
    size = abs(number)
    top = f.infinity - 1
    sizes = sizes_of(f)
    below = bisect_right(sizes, size) - 1
    if below > top:
        return sign | (
            f.infinity if mode in ("RNE", "RNA") or mode == ("RTN" if sign else "RTP") else top
        )
    if sizes[below] == size:
        return sign | below
    near = 2 * size - sizes[below] - sizes[below + 1]
    up = {
        "RNE": near > 0 or (near == 0 and below % 2 == 1),
        "RNA": near >= 0,
        "RTP": not sign,
        "RTN": bool(sign),
        "RTZ": False,
    }[mode]
    return sign | (below + up)


@given(doubles, doubles)
def test_binary64_is_what_the_processor_says(x: float, y: float) -> None:
    a, b = bits(x), bits(y)
    assert fp.add(DOUBLE, "RNE", a, b) == bits(x + y)
    assert fp.subtract(DOUBLE, "RNE", a, b) == bits(x - y)
    assert fp.multiply(DOUBLE, "RNE", a, b) == bits(x * y)
    if y:
        assert fp.divide(DOUBLE, "RNE", a, b) == bits(x / y)
    if x >= 0:
        assert fp.square_root(DOUBLE, "RNE", a) == bits(math.sqrt(x))
    if y and not math.isinf(x):
        assert fp.remainder(DOUBLE, a, b) == bits(math.remainder(x, y))
    assert (fp.less(DOUBLE, a, b), fp.less_equal(DOUBLE, a, b), fp.equal(DOUBLE, a, b)) == (
        x < y,
        x <= y,
        x == y,
    )


@given(doubles)
def test_binary32_is_what_struct_rounds_to(x: float) -> None:
    try:
        single = struct.unpack("<I", struct.pack("<f", x))[0]
    except OverflowError:
        single = SINGLE.infinity | (SINGLE.sign if x < 0 else 0)
    assert fp_convert.from_float(SINGLE, "RNE", DOUBLE, bits(x)) == SINGLE.canonical(single)


@pytest.mark.parametrize("f", [TINY, ODD, format_of(2, 2)], ids=["2,3", "3,2", "2,2"])
def test_small_formats_exhaustively(f: Format) -> None:
    numbers = finite_floats(f)
    for mode, x, y in product(ROUNDING_MODES, numbers, numbers):
        a, b = exact(f, x), exact(f, y)
        results = [(fp.add(f, mode, x, y), a + b), (fp.multiply(f, mode, x, y), a * b)]
        if b:
            results.append((fp.divide(f, mode, x, y), a / b))
        for got, number in results:
            assert (got == rounded(f, mode, number)) if number else fp.is_zero(f, got)


@given(st.data())
def test_fma_rounds_once(data: st.DataObject) -> None:
    f, mode = format_of(3, 3), data.draw(modes)
    x, y, z = (data.draw(st.sampled_from(finite_floats(f))) for _ in range(3))
    number = exact(f, x) * exact(f, y) + exact(f, z)
    got = fp.fused(f, mode, x, y, z)
    assert (got == rounded(f, mode, number)) if number else fp.is_zero(f, got)


@given(formats, modes, st.data())
def test_the_square_root_is_correctly_rounded(f: Format, mode: str, data: st.DataObject) -> None:
    x = data.draw(st.integers(1, f.infinity - 1))
    got, number = fp.square_root(f, mode, x), exact(f, x)
    assert not got & f.sign
    # Between the neighbours, and on the side that the mode names.
    low, high = exact(f, got - 1) if got else Fraction(0), exact(f, got + 1)
    assert low**2 < number < high**2
    if mode in ("RTZ", "RTN"):
        assert exact(f, got) ** 2 <= number
    if mode == "RTP":
        assert exact(f, got) ** 2 >= number


@given(formats, modes, st.fractions(), st.fractions())
def test_rounding_is_monotone_and_keeps_floats(
    f: Format, mode: str, one: Fraction, other: Fraction
) -> None:
    low, high = sorted((one, other))
    x, y = fp_convert.from_real(f, mode, low), fp_convert.from_real(f, mode, high)
    assert fp.less_equal(f, x, y)
    for bits_ in (x, y):
        number = fp_convert.to_real(f, bits_)
        if number is not None and number:
            assert fp_convert.from_real(f, mode, number) == bits_


@given(formats, modes, st.fractions().filter(bool), st.integers(-9, 9))
def test_negation_swaps_the_directed_modes(
    f: Format, mode: str, number: Fraction, exponent: int
) -> None:
    other = {"RTP": "RTN", "RTN": "RTP"}.get(mode, mode)
    assert fp_convert.from_real(f, mode, -number, exponent) == fp.negate(
        f, fp_convert.from_real(f, other, number, exponent)
    )


@given(st.fractions().filter(bool), modes)
def test_conversion_of_reals(number: Fraction, mode: str) -> None:
    assert fp_convert.from_real(TINY, mode, number) == rounded(TINY, mode, number)


@given(modes, st.integers(2, 500).filter(lambda n: math.isqrt(n) ** 2 != n), st.booleans())
def test_conversion_of_algebraic_numbers(mode: str, square: int, negative: bool) -> None:
    irrational = root(Fraction(square), 2)
    assert isinstance(irrational, Algebraic)
    other = {"RTP": "RTN", "RTN": "RTP"}.get(mode, mode) if negative else mode
    expected = fp.square_root(DOUBLE, other, bits(float(square)))
    got = fp_convert.from_algebraic(DOUBLE, mode, -irrational if negative else irrational, 0)
    assert got == (fp.negate(DOUBLE, expected) if negative else expected)


def test_the_remainder_of_numbers_far_apart() -> None:
    huge = format_of(30, 24)
    x, y = huge.infinity - 1, huge.fraction + 2
    rest = fp.remainder(huge, x, y)
    assert abs(exact_ratio(huge, rest, y)) <= Fraction(1, 2)
    assert fp.remainder(huge, 1, x) == 1
    three, two = bits(3.0), bits(2.0)
    assert fp.remainder(DOUBLE, three, two) == bits(-1.0)
    assert fp.remainder(DOUBLE, bits(1.0), two) == bits(1.0)  # a tie, to the even quotient 0
    assert fp.remainder(DOUBLE, bits(-4.0), two) == bits(-0.0)


def exact_ratio(f: Format, x: int, y: int) -> Fraction:
    """x / y of floats whose exponents are too large to write out, but are close."""
    (_, m, p), (_, n, q) = f.finite(x), f.finite(y)
    return Fraction(m, n) * Fraction(2) ** (p - q)


def test_sums_of_numbers_far_apart() -> None:
    huge = format_of(62, 5)
    one = ((1 << 61) - 1) << 4
    top, least = huge.infinity - 1, 1
    assert fp.add(huge, "RNE", top, least) == top
    assert fp.add(huge, "RTP", top, least) == huge.infinity
    assert fp.add(huge, "RTZ", top, huge.sign | least) == top - 1
    assert fp.add(huge, "RTN", one, huge.sign | least) == one - 1
    assert fp.fused(huge, "RTP", one, one, least) == one + 1
    assert fp.fused(huge, "RNE", top, top, huge.sign | huge.infinity) == huge.sign | huge.infinity


@pytest.mark.parametrize(
    ("mode", "number", "whole"),
    [
        ("RNE", 2.5, 2.0),
        ("RNE", 3.5, 4.0),
        ("RNA", 2.5, 3.0),
        ("RTP", -0.5, -0.0),
        ("RTN", -0.5, -1.0),
        ("RTZ", -0.9, -0.0),
        ("RNE", 0.5, 0.0),
        ("RNA", -0.5, -1.0),
        ("RTP", 5e-324, 1.0),
        ("RNE", 1e300, 1e300),
    ],
)
def test_round_to_integral(mode: str, number: float, whole: float) -> None:
    assert fp.round_to_integral(DOUBLE, mode, bits(number)) == bits(whole)


def test_zeros_and_signs() -> None:
    zero, minus = bits(0.0), bits(-0.0)
    for mode in ROUNDING_MODES:
        cancelled = minus if mode == "RTN" else zero
        assert fp.add(DOUBLE, mode, bits(1.5), bits(-1.5)) == cancelled
        assert fp.add(DOUBLE, mode, zero, minus) == cancelled
        assert fp.add(DOUBLE, mode, minus, minus) == minus
        assert fp.fused(DOUBLE, mode, bits(2.0), bits(3.0), bits(-6.0)) == cancelled
        assert fp.square_root(DOUBLE, mode, minus) == minus
    assert fp.minimum(DOUBLE, zero, minus) == (zero, minus) == fp.maximum(DOUBLE, minus, zero)
    assert fp.minimum(DOUBLE, DOUBLE.nan, minus) == (minus,)
    assert fp.maximum(DOUBLE, bits(2.0), bits(-3.0)) == (bits(2.0),)
    assert fp.divide(DOUBLE, "RNE", bits(1.0), minus) == bits(-math.inf)


def test_classes() -> None:
    names = ("normal", "subnormal", "zero", "infinite", "nan", "negative", "positive")
    table = {
        1.0: "normal positive",
        -5e-324: "subnormal negative",
        -0.0: "zero negative",
        math.inf: "infinite positive",
        -math.inf: "infinite negative",
        math.nan: "nan",
        2.2250738585072014e-308: "normal positive",
    }
    for number, expected in table.items():
        found = [name for name in names if getattr(fp, f"is_{name}")(DOUBLE, bits(number))]
        assert found == expected.split()


@given(modes, st.data())
def test_integers_come_back(mode: str, data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 24))
    number = data.draw(st.integers(0, (1 << width) - 1))
    assert (
        fp_convert.to_unsigned(SINGLE, mode, width, fp_convert.from_integer(SINGLE, mode, number))
        == number
    )
    signed = number - (1 << (width - 1))
    assert fp_convert.to_signed(
        SINGLE, mode, width, fp_convert.from_integer(SINGLE, mode, signed)
    ) == signed % (1 << width)


def test_what_conversions_leave_open() -> None:
    assert fp_convert.to_unsigned(DOUBLE, "RTZ", 8, bits(255.9)) == 255
    assert fp_convert.to_unsigned(DOUBLE, "RNE", 8, bits(255.5)) is None
    assert fp_convert.to_unsigned(DOUBLE, "RTP", 8, bits(-0.5)) == 0
    assert fp_convert.to_unsigned(DOUBLE, "RNE", 8, bits(-1.0)) is None
    assert fp_convert.to_signed(DOUBLE, "RNE", 8, bits(-128.5)) == 0x80
    assert fp_convert.to_signed(DOUBLE, "RNE", 8, bits(math.inf)) is None
    assert fp_convert.to_real(DOUBLE, bits(math.nan)) is None
    with pytest.raises(CannotSay, match="exponent"):
        fp_convert.to_real(format_of(40, 5), format_of(40, 5).infinity - 1)


def test_terms_of_floating_point() -> None:
    logic = Logic()
    small, mode = logic.sort("FP", 2, 3), logic.sort("RM")
    nan = logic.val(small, 0b11110)
    assert value(nan) == 0b01110
    bits_ = logic.app("FP_TO_IEEE_BV", nan)
    assert set(evaluator().possible(bits_)) == {
        0b01101,
        0b01110,
        0b01111,
        0b11101,
        0b11110,
        0b11111,
    }
    zeros = logic.app("FP_MIN", logic.val(small, 0), logic.val(small, 0b10000))
    assert set(evaluator().possible(zeros)) == {0, 0b10000}
    assert value(logic.app("FP_IS_ZERO", zeros)) is True
    rounded_up = logic.app(
        "FP_TO_UBV",
        logic.terms.leaf(SPECIAL, ("rm.rtp",), mode),
        logic.val(small, 0b00101),
        indices=(2,),
    )
    assert value(rounded_up) == 2


def test_bits_of_a_quadruple() -> None:
    logic = Logic()
    quadruple = logic.sort("FP", 15, 113)
    assert value(logic.app("FP_TO_IEEE_BV", logic.val(quadruple, 5))) == 5
    with pytest.raises(CannotSay):
        value(logic.app("FP_TO_IEEE_BV", logic.val(quadruple, ((1 << 15) - 1 << 112) | 1)))
