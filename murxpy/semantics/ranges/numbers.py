"""Backward rules of integers and reals.

Rounded up, the ends of an interval are integers; the ends for reals are exact. The published rules
of `*` and `/` are wrong for a product of the other factors that is negative or zero, and do not
round.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import floor, prod
from typing import Any

from murxpy.semantics.exact.algebraic import Algebraic
from murxpy.semantics.meanings.numbers import remainder
from murxpy.semantics.ranges.abstract import (
    ANY,
    Except,
    Interval,
    Range,
    as_interval,
    ceiling,
    integers,
    reals,
)
from murxpy.semantics.ranges.backward import Question, backward, without

without(
    "a power is no monotone function of its base, nor of its exponent",
    "OP_INT_POW",
    "OP_REAL_POW",
    "OP_INT_POW2",
)
without(
    "each bit of the result depends on two numbers of any length", "OP_INT_IAND", "OP_INT_PIAND"
)
without("the sign of the remainder is that of the divisor", "OP_INT_REM")


def shifted(wanted: Range, by: Any, flipped: bool = False) -> Range | None:
    """Return the range of x where x + by is wanted, or by - x if `flipped`."""
    if isinstance(wanted, Except):
        return Except(tuple([(by - v) if flipped else (v - by) for v in wanted.values]))
    span = as_interval(wanted)
    if span is None:
        return None
    low, high = span.low, span.high
    if flipped:
        return reals(
            None if high is None else by - high,
            None if low is None else by - low,
            span.high_open,
            span.low_open,
        )
    return reals(
        None if low is None else low - by,
        None if high is None else high - by,
        span.low_open,
        span.high_open,
    )


@backward("OP_INT_ADD", "OP_REAL_ADD")
def _add(question: Question) -> Range | None:
    given, present = question.given, question.present
    plain = not isinstance(given, Algebraic) and not isinstance(present, Algebraic)
    return shifted(question.wanted, given - present if plain else sum(question.others))


@backward("OP_INT_SUB", "OP_REAL_SUB")
def _sub(question: Question) -> Range | None:
    first, rest = question.others[0], sum(question.others[1:])
    if question.at == 0:
        return shifted(question.wanted, -(first + rest))
    return shifted(question.wanted, first - rest, flipped=True)


@backward("OP_INT_NEG", "OP_REAL_NEG")
def _neg(question: Question) -> Range | None:
    return shifted(question.wanted, 0, flipped=True)


def _scaled(span: Interval, factor: Any) -> Interval:
    """Return the interval of x where x * factor is in `span`; the factor is not 0."""
    ends = [None if end is None else end / factor for end in (span.low, span.high)]
    if factor > 0:
        return Interval(ends[0], ends[1], span.low_open, span.high_open)
    return Interval(ends[1], ends[0], span.high_open, span.low_open)


def _whole(span: Interval) -> Range:
    """Return the integers in an interval of fractions."""
    low = None if span.low is None else ceiling(span.low)
    high = None if span.high is None else floor(span.high)
    if low is not None and span.low_open and low == span.low:
        low += 1
    if high is not None and span.high_open and high == span.high:
        high -= 1
    return integers(low, high)


@backward("OP_INT_MUL")
def _int_mul(question: Question) -> Range | None:
    factor = prod(question.others)
    if factor == 0:
        return ANY  # the product stays 0
    if isinstance(question.wanted, Except):
        hit = [v // factor for v in question.wanted.values if v % factor == 0]
        return Except(tuple(hit)) if hit else ANY
    span = as_interval(question.wanted)
    if span is None:
        return None
    low, high = span.low, span.high
    if factor < 0:
        low, high, factor = _negated(high), _negated(low), -factor
    return integers(
        None if low is None else -(-low // factor), None if high is None else high // factor
    )


@backward("OP_REAL_MUL")
def _real_mul(question: Question) -> Range | None:
    factor = prod(question.others)
    if factor == 0:
        return ANY
    if isinstance(question.wanted, Except):
        return Except(tuple([v / factor for v in question.wanted.values]))
    span = as_interval(question.wanted)
    if span is None:
        return None
    found = _scaled(span, factor)
    return reals(found.low, found.high, found.low_open, found.high_open)


@backward("OP_REAL_DIV", "OP_REAL_DIV_TOTAL")
def _divide(question: Question) -> Range | None:
    if question.at == 0:
        divisor = prod(question.others)
        if divisor == 0:
            return None
        if isinstance(question.wanted, Except):
            return Except(tuple([v * divisor for v in question.wanted.values]))
        span = as_interval(question.wanted)
        if span is None:
            return None
        found = _scaled(span, 1 / divisor)
        return reals(found.low, found.high, found.low_open, found.high_open)
    return _divisor(question)


def _divisor(question: Question) -> Range | None:
    """The range of a divisor whose sign stays."""
    first, rest, present = question.others[0], prod(question.others[1:]), question.present
    span = as_interval(question.wanted)
    if span is None or rest == 0 or present == 0:
        return None
    dividend = first / rest  # the quotient is dividend / divisor
    if dividend == 0:  # the quotient is 0, whatever the divisor
        return (
            reals(Fraction(0), None, True) if present > 0 else reals(None, Fraction(0), False, True)
        )
    # 1/divisor is in this interval, and the sign of the divisor stays
    found = _scaled(span, dividend)
    positive = present > 0
    low, high = (found.low, found.high) if positive else (_negated(found.high), _negated(found.low))
    open_low, open_high = (
        (found.low_open, found.high_open) if positive else (found.high_open, found.low_open)
    )
    if high is not None and high <= 0:
        return None
    least = Fraction(0) if high is None else 1 / high
    most = None if low is None or low <= 0 else 1 / low
    if positive:
        return reals(least, most, open_high or high is None, open_low)
    return reals(_negated(most), _negated(least), open_low, open_high or high is None)


def _negated(number: Any) -> Any:
    return None if number is None else -number


@backward("OP_INT_DIV", "OP_INT_DIV_TOTAL")
def _int_div(question: Question) -> Range | None:
    span = as_interval(question.wanted)
    if span is None or len(question.values) > 2:
        return None
    divisor = question.values[1]
    low, high = span.low, span.high
    if divisor == 0:
        return None
    if question.at == 1:
        return _whole_divisor(question.values[0], divisor, low, high)
    size = abs(divisor)
    if divisor < 0:
        low, high = _negated(high), _negated(low)
    return integers(
        None if low is None else low * size, None if high is None else high * size + size - 1
    )


def _whole_divisor(dividend: int, divisor: int, low: int | None, high: int | None) -> Range | None:
    """The range of a positive divisor of a number that is not negative. The quotient is at most
    `high` if the divisor is above dividend / (high + 1).
    """
    if dividend < 0 or divisor < 0 or (high is not None and high < 0):
        return None
    least = 1 if high is None else dividend // (high + 1) + 1
    return integers(least, None if low is None or low <= 0 else dividend // low)


@backward("OP_INT_MOD", "OP_INT_MOD_TOTAL")
def _mod(question: Question) -> Range | None:
    span = as_interval(question.wanted)
    number, divisor = question.values
    if span is None or divisor == 0:
        return None
    size = abs(divisor)
    if question.at == 1:
        # a number below the divisor is its own remainder
        if not 0 <= number < size:
            return None
        return integers(number + 1, None) if divisor > 0 else integers(None, -number - 1)
    low = 0 if span.low is None else max(0, span.low)
    high = size - 1 if span.high is None else min(size - 1, span.high)
    if low == 0 and high == size - 1:
        return ANY
    base = number - remainder(number, divisor)
    return integers(base + low, base + high)


@backward("OP_INT_ABS", "OP_REAL_ABS")
def _abs(question: Question) -> Range | None:
    wanted = question.wanted
    if isinstance(wanted, Except):
        return Except(tuple([n for v in wanted.values for n in (v, -v)]))
    span = as_interval(wanted)
    if span is None:
        return None
    low, high = span.low, span.high
    if low is None or low < 0 or (low == 0 and not span.low_open):
        return reals(_negated(high), high, span.high_open, span.high_open)
    if question.present >= 0:
        return reals(low, high, span.low_open, span.high_open)
    return reals(_negated(high), -low, span.high_open, span.low_open)


# for each comparison: whether the left side is the smaller one, and whether both may be equal
_ORDERS = {
    f"OP_{theory}_{name}": how
    for theory in ("INT", "REAL")
    for name, how in {
        "LT": (True, False),
        "LTE": (True, True),
        "GT": (False, False),
        "GTE": (False, True),
    }.items()
}


def compared(question: Question, smaller: bool, equal: bool) -> Interval | None:
    """Return the interval of an argument of a chain of comparisons."""
    values, at = question.values, question.at
    if question.given:
        before = values[at - 1] if at else None
        after = values[at + 1] if at + 1 < len(values) else None
        low, high = (before, after) if smaller else (after, before)
        return Interval(low, high, not equal, not equal)
    if len(values) > 2:
        holds = [
            (a < b or (equal and a == b)) if smaller else (a > b or (equal and a == b))
            for k, (a, b) in enumerate(pairwise(values))
            if at not in (k, k + 1)
        ]
        return Interval() if not all(holds) else None
    other = values[1 - at]
    if (at == 0) == smaller:  # the argument was to be below the other one, so now it is above
        return Interval(other, None, equal, False)
    return Interval(None, other, False, equal)


def _comparison(kind: str, smaller: bool, equal: bool) -> None:
    @backward(kind)
    def rule(question: Question) -> Range | None:
        found = compared(question, smaller, equal)
        if found is None:
            return None
        if question.sorts[0].kind == "SORT_INT":
            return _whole(found)
        return reals(found.low, found.high, found.low_open, found.high_open)


for _kind, _how in _ORDERS.items():
    _comparison(_kind, *_how)


@backward("OP_INT_TO_REAL")
def _to_real(question: Question) -> Range | None:
    wanted = question.wanted
    if isinstance(wanted, Except):
        hit = [int(v) for v in wanted.values if isinstance(v, Fraction) and v.denominator == 1]
        return Except(tuple(hit)) if hit else ANY
    span = as_interval(wanted)
    if span is None or isinstance(span.low, Algebraic) or isinstance(span.high, Algebraic):
        return None
    return _whole(span)


@backward("OP_REAL_TO_INT")
def _to_int(question: Question) -> Range | None:
    span = as_interval(question.wanted)
    if span is None:
        return None
    low = None if span.low is None else Fraction(span.low)
    return reals(low, None if span.high is None else Fraction(span.high + 1), False, True)


@backward("OP_REAL_IS_INT")
def _is_int(question: Question) -> Range | None:
    if question.given:
        return None
    number = floor(question.present)
    return reals(Fraction(number), Fraction(number + 1), True, True)


@backward("OP_INT_IS_DIV")
def _divisible(question: Question) -> Range | None:
    number, divisor = question.present, int(question.indices[0])
    if question.given:
        return None
    base = number - number % divisor
    return integers(base + 1, base + divisor - 1)


@backward("OP_INT_LOG2")
def _log2(question: Question) -> Range | None:
    """cvc5 gives 0 for numbers below 1."""
    number = question.present
    if number <= 0:
        return integers(None, 0)
    length = number.bit_length()
    return integers(1 << (length - 1), (1 << length) - 1)
