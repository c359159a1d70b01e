"""Backward rules of floating point, by bisection over the order of floats.

With a fixed rounding mode, an operator is monotone in a float as long as the results are no NaN. The
ends of a part in which it is monotone are infinities, zeros, and the bounds of a sign.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from murxpy.semantics.exact.floats import to_real
from murxpy.semantics.ranges.abstract import (
    Bits,
    Except,
    Few,
    Floats,
    Interval,
    Range,
    at_rank,
    bits,
    floats,
    form_of,
    is_nan,
    rank,
)
from murxpy.semantics.ranges.backward import Question, backward, without
from murxpy.semantics.ranges.core import convex, stretch

without(
    "the remainder moves up and down with both arguments",
    "OP_FP_REM",
)
without("the exponent is an argument, too, and is seldom used", "OP_FP_TO_FP_FROM_INT_REAL")
without("a float is put together of parts, each with its own place in the order", "OP_FP_FP")


def _interval(wanted: Range) -> bool:
    return convex(wanted) or isinstance(wanted, Floats)


def result_sign(question: Question, value: Any) -> int:
    """Return the sign bit of a result that is a signed number, and 0 of any other result."""
    if question.kind != "OP_FP_TO_SBV":
        return 0
    return int(value) >> (question.sort.width - 1)


def part(question: Question, low: int, high: int, nan: bool = False) -> Range | None:
    """Return the interval around the present value, in a part of the order in which the operator is
    monotone and gives no NaN. With `nan`, NaN is in the range, too, if it keeps the result.
    """
    sort = question.sorts[question.at]
    form, here = form_of(sort), rank(sort, question.present)
    if not low <= here <= high or not _interval(question.wanted):
        return None

    sign = result_sign(question, question.given)

    def keeps(place: int) -> bool:
        value = at_rank(form, place)
        return question.keeps(value) and result_sign(question, question.apply(value)) == sign

    first, last = stretch(keeps, here, low, high)
    return floats(sort, first, last, nan and question.keeps(form.nan))


def ends(question: Question) -> tuple[int, int]:
    """Return the places of the infinities."""
    form = form_of(question.sorts[question.at])
    return -form.infinity - 1, form.infinity


def whole(question: Question, infinities: bool = True) -> Range | None:
    """Return the interval on all floats. Where an infinity gives NaN, only finite floats count."""
    sort = question.sorts[question.at]
    if is_nan(sort, question.present):
        return None
    low, high = ends(question)
    return part(question, low + (not infinities), high - (not infinities))


def one_sign(question: Question) -> Range | None:
    """Return the interval on the finite floats of the present sign without zero."""
    sort = question.sorts[question.at]
    if is_nan(sort, question.present):
        return None
    low, high = ends(question)
    return (
        part(question, 1, high - 1)
        if rank(sort, question.present) > 0
        else part(question, low + 1, -2)
    )


def _special(question: Question, *places: int) -> bool:
    """Return whether one of these arguments is NaN or infinite."""
    found = False
    for at in places:
        sort, value = question.sorts[at], question.values[at]
        found = found or value & form_of(sort).infinity == form_of(sort).infinity
    return found


@backward("OP_FP_SQRT", "OP_FP_RTI", "OP_FP_TO_FP_FROM_FP")
def _rounded(question: Question) -> Range | None:
    """The square root of a negative number is NaN; -0 has a root."""
    if question.kind == "OP_FP_SQRT":
        return (
            None
            if is_nan(question.sorts[1], question.present)
            else part(question, -1, ends(question)[1])
        )
    return whole(question)


@backward("OP_FP_NEG")
def _neg(question: Question) -> Range | None:
    return whole(question)


@backward("OP_FP_ABS")
def _abs(question: Question) -> Range | None:
    sort = question.sorts[0]
    if is_nan(sort, question.present):
        return None
    low, high = ends(question)
    if rank(sort, question.present) >= 0:
        return part(question, 0, high)
    return part(question, low, -1)


@backward("OP_FP_ADD", "OP_FP_SUB")
def _add(question: Question) -> Range | None:
    other = 3 - question.at
    return None if _special(question, other) else whole(question)


@backward("OP_FP_MUL", "OP_FP_DIV")
def _product(question: Question) -> Range | None:
    """By a finite number other than 0. A quotient is monotone in the divisor as long as its sign
    stays.
    """
    other = 3 - question.at
    if _special(question, other):
        return None
    if question.kind == "OP_FP_DIV" and question.at == 2:
        return one_sign(question)
    zero = question.values[other] in (0, form_of(question.sort).sign)
    return one_sign(question) if zero else whole(question)


@backward("OP_FP_FMA")
def _fused(question: Question) -> Range | None:
    others = [at for at in (1, 2, 3) if at != question.at]
    if _special(question, *others):
        return None
    if question.at == 3:
        return whole(question)
    zero = question.values[3 - question.at] in (0, form_of(question.sort).sign)
    return None if zero else whole(question, infinities=False)


@backward("OP_FP_MIN", "OP_FP_MAX")
def _extremum(question: Question) -> Range | None:
    """Zeros of different sign have an open result, so the interval must not have them in it."""
    if _special(question, 1 - question.at):
        return None
    return one_sign(question)


@backward("OP_FP_LEQ", "OP_FP_LT", "OP_FP_GEQ", "OP_FP_GT")
def _order(question: Question) -> Range | None:
    """Of a false comparison, NaN is a value, too."""
    if len(question.values) != 2 or is_nan(question.sorts[0], question.others[0]):
        return None
    if is_nan(question.sorts[0], question.present):
        return None
    return part(question, *ends(question), nan=True)


@backward("OP_FP_EQ")
def _equal(question: Question) -> Range | None:
    """Both zeros are equal."""
    sort = question.sorts[0]
    if len(question.values) != 2 or is_nan(sort, question.present):
        return None
    form, other = form_of(sort), question.others[0]
    if is_nan(sort, other):
        return floats(sort, *ends(question), nan=True)
    same: tuple[int, ...] = (0, form.sign) if other in (0, form.sign) else (other,)
    return Few(same) if question.given else Except(same)


@backward(
    "OP_FP_IS_NORMAL",
    "OP_FP_IS_SUBNORMAL",
    "OP_FP_IS_ZERO",
    "OP_FP_IS_INF",
    "OP_FP_IS_NAN",
    "OP_FP_IS_NEG",
    "OP_FP_IS_POS",
)
def _class(question: Question) -> Range | None:
    """The classes of floats of one sign are zero, subnormal, normal, infinite, in this order. An answer
    stays the same in one of them, and in those beside it that have the same answer.
    """
    sort = question.sorts[0]
    form = form_of(sort)
    if is_nan(sort, question.present):
        return None
    _, high = ends(question)
    bounds = [0, 1, form.fraction + 1, high, high + 1]
    spans = [(first, last - 1) for first, last in pairwise(bounds)]
    spans = [(-last - 1, -first - 1) for first, last in reversed(spans)] + spans
    spans = [(first, last) for first, last in spans if first <= last]
    here = rank(sort, question.present)
    fine = [question.keeps(at_rank(form, first)) for first, _ in spans]
    at = next(k for k, (first, last) in enumerate(spans) if first <= here <= last)
    begin = end = at
    while begin and fine[begin - 1]:
        begin -= 1
    while end + 1 < len(spans) and fine[end + 1]:
        end += 1
    return floats(sort, spans[begin][0], spans[end][1], question.keeps(form.nan))


@backward("OP_FP_TO_FP_FROM_BV")
def _from_bits(question: Question) -> Range | None:
    """Bits without the sign are in the order of the floats."""
    form = form_of(question.sort)
    if question.present & form.sign or not _interval(question.wanted):
        return None
    if form.magnitude(question.present) > form.infinity:
        return bits(question.sorts[0].width, form.infinity + 1, form.sign - 1)
    first, last = stretch(question.keeps, question.present, 0, form.infinity)
    return bits(question.sorts[0].width, first, last)


@backward("OP_FP_TO_FP_FROM_UBV", "OP_FP_TO_FP_FROM_SBV")
def _from_integer(question: Question) -> Range | None:
    if not _interval(question.wanted):
        return None
    width = question.sorts[1].width
    half, size = 1 << (width - 1), 1 << width
    if question.kind == "OP_FP_TO_FP_FROM_UBV":
        low, high = 0, size - 1
    else:
        low, high = (half, size - 1) if question.present >= half else (0, half - 1)
    return bits(width, *stretch(question.keeps, question.present, low, high))


@backward("OP_FP_TO_FP_FROM_REAL")
def _from_real(question: Question) -> Range | None:
    """The reals between two floats of the range round to floats of the range."""
    number, wanted, form = question.present, question.wanted, form_of(question.sort)
    if (
        not isinstance(number, Fraction)
        or not _interval(wanted)
        or is_nan(question.sort, question.given)
    ):
        return None
    places = [rank(question.sort, question.given)] * 2
    if isinstance(wanted, Floats):
        places = [max(wanted.low, 1 - form.infinity - 1), min(wanted.high, form.infinity - 1)]
    if places[0] > places[1]:
        return None
    low, high = (to_real(form, at_rank(form, place)) for place in places)
    if low is None or high is None or low > high:
        return None
    # -0 is no result of a real
    fine = question.keeps(low) and question.keeps(high)
    return Interval(low, high) if fine else None


@backward("OP_FP_TO_UBV", "OP_FP_TO_SBV", "OP_FP_TO_REAL", "OP_FP_TO_IEEE_BV")
def _to_number(question: Question) -> Range | None:
    """Beyond the numbers of the result, the value is open; those floats are left out. Signed numbers are
    in the order of the wanted range as long as their sign stays.
    """
    sort = question.sorts[question.at]
    low, high = ends(question)
    if is_nan(sort, question.present) or not _interval(question.wanted):
        return None
    if isinstance(question.wanted, Bits) and question.wanted.mask:
        return None
    positive = rank(sort, question.present) >= 0
    return part(question, 0, high) if positive else part(question, low, -1)
