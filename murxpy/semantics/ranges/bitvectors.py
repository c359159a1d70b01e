"""Backward rules of bit-vectors. A range is an unsigned interval together with known bits.

Most operators are monotone in an argument, on all of its values or on those in a part around the
present one, so that an interval is found by bisection. Of others, each bit of the result depends on
one bit of the argument at most, so that known bits of the result give those of the argument.
"""

from __future__ import annotations

from typing import Any

from murxpy.semantics.meanings.bitvectors import signed
from murxpy.semantics.ranges.abstract import ANY, Except, Few, Range, as_bits, bits, integers
from murxpy.semantics.ranges.backward import Question, backward, without
from murxpy.semantics.ranges.core import convex, stretch

without("the arguments are Booleans, of which all values are tried", "OP_BV_FROM_BOOLS")
without("each bit changes the result, so no interval and no known bits keep it", "OP_BV_REDXOR")


def top(width: int) -> int:
    """Return the greatest bit-vector of a width."""
    return (1 << width) - 1


def monotone(question: Question, low: int = 0, high: int | None = None) -> Range | None:
    """Return the interval by bisection between two ends, between which the operator is monotone."""
    width = question.sorts[question.at].width
    high = top(width) if high is None else min(high, top(width))
    if not convex(question.wanted) or not low <= question.present <= high:
        return None
    return bits(width, *stretch(question.keeps, question.present, low, high))


def monotone_signed(question: Question, low: int, high: int) -> Range | None:
    """Return the same for an operator that is monotone in the order of signed numbers, and for
    results with the sign of the present one. If the interval has numbers of both signs, those with
    the present sign are taken.
    """
    width = question.sorts[question.at].width
    half = 1 << (width - 1)
    low, high = max(low, -half), min(high, half - 1)
    present = signed(question.present, width)
    if not convex(question.wanted) or not low <= present <= high:
        return None
    sign = _sign(question, question.given)

    def keeps(number: int) -> bool:
        value = number & top(width)
        return question.keeps(value) and _sign(question, question.apply(value)) == sign

    return of_sign(question, *stretch(keeps, present, low, high))


def of_sign(question: Question, low: int, high: int) -> Range:
    """Return the signed numbers of an interval, or those among them with the present sign, if it has
    both.
    """
    width = question.sorts[question.at].width
    half = 1 << (width - 1)
    if (low, high) == (-half, half - 1):
        return ANY
    if signed(question.present, width) < 0:
        return bits(width, low & top(width), min(high, -1) & top(width))
    return bits(width, max(low, 0), high)


def _sign(question: Question, value: Any) -> int:
    """Return the sign bit of a result that is a bit-vector."""
    return int(value) >> (question.sort.width - 1) if question.sort.kind == "SORT_BV" else 0


def known_bits(question: Question) -> int | None:
    """Return a mask. If these bits of the result stay, the result stays in the wanted range."""
    width, given, wanted = question.sort.width, question.given, question.wanted
    if isinstance(wanted, Except):
        mask = 0
        for value in wanted.values:
            different = value ^ given
            mask |= 1 << (different.bit_length() - 1)
        return mask
    span = as_bits(wanted, width)
    if span is None:
        return top(width)
    free = width
    while free and not (span.low <= given >> free << free and given | top(free) <= span.high):
        free -= 1
    return top(width) ^ top(free) | span.mask


def wired(question: Question) -> Range | None:
    """Return the known bits of an argument. Each bit of the result depends on one of its bits at
    most: it is that bit, its opposite, or does not depend on it.
    """
    width, known = question.sorts[question.at].width, known_bits(question)
    if known is None:
        return None
    mask = 0
    for place in range(width):
        if (question.apply(question.present ^ 1 << place) ^ question.given) & known:
            mask |= 1 << place
    return bits(width, 0, top(width), mask, question.present & mask)


@backward("OP_BV_AND", "OP_BV_OR", "OP_BV_XOR", "OP_BV_NAND", "OP_BV_NOR", "OP_BV_XNOR")
def _bitwise(question: Question) -> Range | None:
    """Each bit of the result depends on that bit of the argument alone, so all are flipped at once."""
    width, known = question.sort.width, known_bits(question)
    if known is None:
        return None
    mask = (question.apply(question.present ^ top(width)) ^ question.given) & known
    return bits(width, 0, top(width), mask, question.present & mask)


@backward("OP_BV_ROTATE_LEFT", "OP_BV_ROTATE_RIGHT")
def _rotated_by(question: Question) -> Range | None:
    return wired(question)


@backward("OP_BV_EXT_ROTATE_LEFT", "OP_BV_EXT_ROTATE_RIGHT")
def _rotated(question: Question) -> Range | None:
    return wired(question) if question.at == 0 else None


@backward("OP_BV_NOT", "OP_BV_CONCAT", "OP_BV_ZERO_EXTEND", "OP_BV_SIGN_EXTEND", "OP_BV_REPEAT")
def _monotone_or_wired(question: Question) -> Range | None:
    return monotone(question) if convex(question.wanted) else wired(question)


@backward("OP_BV_EXTRACT")
def _extract(question: Question) -> Range | None:
    if question.indices[0] == question.sorts[0].width - 1 and convex(question.wanted):
        return monotone(question)
    return wired(question)


@backward("OP_BV_BIT")
def _bit(question: Question) -> Range | None:
    width, mask = question.sorts[0].width, 1 << int(question.indices[0])
    return bits(width, 0, top(width), mask, question.present & mask)


@backward("OP_BV_SHL", "OP_BV_LSHR", "OP_BV_ASHR")
def _shift(question: Question) -> Range | None:
    width, (number, by) = question.sort.width, question.values
    if question.at == 0:
        if question.kind != "OP_BV_SHL" and convex(question.wanted):
            return monotone(question)
        return wired(question)
    if number == 0:
        return ANY
    if question.kind == "OP_BV_SHL":
        return bits(width, width, top(width)) if by >= width else None
    return monotone(question)


def moved(question: Question, by: int, flipped: bool = False) -> Range | None:
    """Return the range of x where x + by is wanted, or by - x if `flipped`, modulo 2^width. Of an
    interval that goes beyond the width, the part around the present value is taken.
    """
    width, wanted = question.sort.width, question.wanted
    if isinstance(wanted, Except):
        values = [(by - n) if flipped else (n - by) for n in wanted.values]
        return Except(tuple([value & top(width) for value in values]))
    span = as_bits(wanted, width)
    if span is None:
        return None
    if span.mask:
        return _low_bits(question)
    low, high = (by - span.high, by - span.low) if flipped else (span.low - by, span.high - by)
    size = high - low
    low &= top(width)
    high = low + size
    if high <= top(width):
        return bits(width, low, high)
    if question.present >= low:
        return bits(width, low, top(width))
    return bits(width, 0, high & top(width))


def _low_bits(question: Question) -> Range | None:
    """Return the vectors with the present low bits. No bit of the result depends on bits of the
    argument that are higher than it.
    """
    width, known = question.sort.width, known_bits(question)
    if known is None:
        return None
    mask = top(known.bit_length())
    return bits(width, 0, top(width), mask, question.present & mask)


@backward("OP_BV_ADD", "OP_BV_INC", "OP_BV_DEC")
def _add(question: Question) -> Range | None:
    return moved(question, question.given - question.present)


@backward("OP_BV_SUB")
def _sub(question: Question) -> Range | None:
    if question.at == 0:
        return moved(question, question.given - question.present)
    return moved(question, question.given + question.present, flipped=True)


@backward("OP_BV_NEG")
def _neg(question: Question) -> Range | None:
    return moved(question, 0, flipped=True)


@backward("OP_BV_MULT")
def _mult(question: Question) -> Range | None:
    """The product is monotone as long as it does not overflow."""
    width, factor = question.sort.width, 1
    for other in question.others:
        factor = factor * other & top(width)
    if factor == 0:
        return ANY
    limit = top(width) // factor
    if convex(question.wanted) and question.present <= limit:
        return monotone(question, 0, limit)
    return _low_bits(question)


@backward("OP_BV_UDIV")
def _udiv(question: Question) -> Range | None:
    """Division by 0 gives the greatest number, so that the quotient falls in the divisor from 0 on."""
    return monotone(question)


@backward("OP_BV_UREM")
def _urem(question: Question) -> Range | None:
    number, divisor = question.values
    if question.at == 1:
        return monotone(question, number + 1)
    if divisor == 0:
        return question.wanted
    base = number - number % divisor
    if question.keeps(0) and question.keeps(divisor - 1) and convex(question.wanted):
        return ANY
    return monotone(question, base, base + divisor - 1)


@backward("OP_BV_SDIV")
def _sdiv(question: Question) -> Range | None:
    """The quotient of the least number by -1 overflows, and is left out."""
    width, (_, divisor) = question.sort.width, question.values
    half = 1 << (width - 1)
    if question.at == 0:
        return monotone_signed(question, -half + (divisor == top(width)), half - 1)
    divisor = signed(divisor, width)
    if divisor > 0:
        return monotone_signed(question, 1, half - 1)
    return monotone_signed(question, -half, -2) if divisor < -1 else None


@backward("OP_BV_SREM")
def _srem(question: Question) -> Range | None:
    width = question.sort.width
    number, divisor = (signed(value, width) for value in question.values)
    if question.at == 1 or divisor == 0:
        return None
    base = abs(number) - abs(number) % abs(divisor)
    if number >= 0:
        return monotone_signed(question, base, base + abs(divisor) - 1)
    return monotone_signed(question, -base - abs(divisor) + 1, min(-base, -1))


@backward("OP_BV_SMOD")
def _smod(question: Question) -> Range | None:
    width = question.sort.width
    number, divisor = (signed(value, width) for value in question.values)
    if question.at == 1 or divisor == 0:
        return None
    base = number - number % abs(divisor)
    if divisor < 0:  # the remainders are from divisor + 1 to 0
        base = number - (number % divisor - divisor - 1)
    return monotone_signed(question, base, base + abs(divisor) - 1)


@backward("OP_BV_UBV_TO_INT")
def _to_int(question: Question) -> Range | None:
    return monotone(question)


@backward("OP_BV_SBV_TO_INT")
def _signed_to_int(question: Question) -> Range | None:
    half = 1 << (question.sorts[0].width - 1)
    return monotone_signed(question, -half, half - 1)


@backward("OP_INT_TO_BV")
def _from_int(question: Question) -> Range | None:
    """Of the integers that give vectors of the range, those without another turn are taken."""
    span = as_bits(question.wanted, question.sort.width)
    if span is None or span.mask:
        return None
    base = question.present - question.given
    return integers(base + span.low, base + span.high)


@backward("OP_BV_ULTBV", "OP_BV_USUBO", "OP_BV_UADDO", "OP_BV_UMULO")
def _order(question: Question) -> Range | None:
    return monotone(question)


@backward("OP_BV_SLTBV")
def _signed_order(question: Question) -> Range | None:
    half = 1 << (question.sorts[0].width - 1)
    return monotone_signed(question, -half, half - 1)


# for each comparison: whether the left side is the smaller one, and whether both may be equal
_ORDERS = {
    "LT": (True, False),
    "LE": (True, True),
    "GT": (False, False),
    "GE": (False, True),
}


def _side(
    question: Question, other: int, smaller: bool, equal: bool
) -> tuple[int | None, int | None]:
    """The ends of an argument of a comparison with `other`; None for those of its sort."""
    below, strict = (question.at == 0) == smaller, not equal
    if not question.given:
        below, strict = not below, not strict
    return (None, other - strict) if below else (other + strict, None)


def _comparison(name: str, smaller: bool, equal: bool) -> None:
    @backward(f"OP_BV_U{name}")
    def unsigned(question: Question) -> Range | None:
        width = question.sorts[0].width
        low, high = _side(question, question.others[0], smaller, equal)
        return bits(width, low or 0, top(width) if high is None else high)

    @backward(f"OP_BV_S{name}")
    def with_signs(question: Question) -> Range | None:
        width = question.sorts[0].width
        half = 1 << (width - 1)
        low, high = _side(question, signed(question.others[0], width), smaller, equal)
        return of_sign(question, -half if low is None else low, half - 1 if high is None else high)


for _name, _how in _ORDERS.items():
    _comparison(_name, *_how)


@backward("OP_BV_SADDO", "OP_BV_SSUBO", "OP_BV_SMULO")
def _signed_overflow(question: Question) -> Range | None:
    """Of one sign, the numbers from some one on overflow."""
    half = 1 << (question.sorts[0].width - 1)
    if signed(question.present, question.sorts[0].width) < 0:
        return monotone_signed(question, -half, -1)
    return monotone_signed(question, 0, half - 1)


@backward("OP_BV_COMP")
def _comp(question: Question) -> Range | None:
    return Few(question.others) if question.given else Except(question.others)


@backward("OP_BV_REDAND", "OP_BV_REDOR", "OP_BV_NEGO", "OP_BV_SDIVO")
def _one_special(question: Question) -> Range | None:
    """One value alone makes a difference: 0, the greatest, or the least signed one."""
    width = question.sorts[0].width
    special = {"OP_BV_REDAND": top(width), "OP_BV_REDOR": 0}.get(question.kind, 1 << (width - 1))
    if question.at == 1:
        special = top(width)
    if question.present == special:
        return None
    return ANY if question.apply(special) == question.given else Except((special,))


@backward("OP_BV_ITE")
def _ite(question: Question) -> Range | None:
    if question.at == 0:
        return None
    return question.wanted if question.at == (1 if question.values[0] else 2) else ANY
