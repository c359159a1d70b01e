"""Bit-vectors: SMT-LIB 2.7, theory FixedSizeBitVectors. A value is the number that its bits denote
without a sign.

The theory defines division by zero: bvudiv gives all ones and bvurem the dividend. The signed
operators are derived from these two.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import and_, ge, gt, le, lt, or_, xor

from murxpy.logic.sorts import Sort
from murxpy.logic.values import special_value
from murxpy.semantics.registry import Points, Site, meaning, prepared, special
from murxpy.semantics.values import Value

Binary = Callable[[int, int], int]


@special("SORT_BV")
def _special(sort: Sort, name: str, points: Points) -> Value:
    return int(special_value(name, sort))


def signed(value: int, width: int) -> int:
    """Return the number that the bits denote in two's complement."""
    return value - (1 << width) if value >> (width - 1) else value


def _udiv(left: int, right: int, mask: int) -> int:
    return left // right if right else mask


def _urem(left: int, right: int) -> int:
    return left % right if right else left


def _sdiv(left: int, right: int, width: int) -> int:
    a, b = signed(left, width), signed(right, width)
    mask = (1 << width) - 1
    quotient = _udiv(abs(a), abs(b), mask)
    return -quotient & mask if (a < 0) != (b < 0) else quotient & mask


def _srem(left: int, right: int, width: int) -> int:
    a = signed(left, width)
    rest = _urem(abs(a), abs(signed(right, width)))
    return (-rest if a < 0 else rest) & ((1 << width) - 1)


def _smod(left: int, right: int, width: int) -> int:
    b = signed(right, width)
    return signed(left, width) % b & ((1 << width) - 1) if b else left


def _operation(kind: str, make: Callable[[int, int], Binary | Callable[[int], int]]) -> None:
    """Enter a meaning that depends on the mask and the width of its last argument."""

    @prepared(kind)
    def prepare(site: Site) -> Callable[..., int]:
        width = site.sorts[-1].width
        return make((1 << width) - 1, width)


_operation("OP_BV_NOT", lambda mask, width: lambda a: a ^ mask)
_operation("OP_BV_NEG", lambda mask, width: lambda a: -a & mask)
_operation("OP_BV_AND", lambda mask, width: and_)
_operation("OP_BV_OR", lambda mask, width: or_)
_operation("OP_BV_XOR", lambda mask, width: xor)
_operation("OP_BV_NAND", lambda mask, width: lambda a, b: (a & b) ^ mask)
_operation("OP_BV_NOR", lambda mask, width: lambda a, b: (a | b) ^ mask)
_operation("OP_BV_XNOR", lambda mask, width: lambda a, b: a ^ b ^ mask)
_operation("OP_BV_ADD", lambda mask, width: lambda a, b: (a + b) & mask)
_operation("OP_BV_SUB", lambda mask, width: lambda a, b: (a - b) & mask)
_operation("OP_BV_MULT", lambda mask, width: lambda a, b: a * b & mask)
_operation("OP_BV_UDIV", lambda mask, width: lambda a, b: a // b if b else mask)
_operation("OP_BV_UREM", lambda mask, width: lambda a, b: a % b if b else a)
_operation("OP_BV_SDIV", lambda mask, width: lambda a, b: _sdiv(a, b, width))
_operation("OP_BV_SREM", lambda mask, width: lambda a, b: _srem(a, b, width))
_operation("OP_BV_SMOD", lambda mask, width: lambda a, b: _smod(a, b, width))
_operation("OP_BV_SHL", lambda mask, width: lambda a, b: a << b & mask if b < width else 0)
_operation("OP_BV_LSHR", lambda mask, width: lambda a, b: a >> b if b < width else 0)
_operation("OP_BV_ASHR", lambda mask, width: lambda a, b: signed(a, width) >> min(b, width) & mask)
_operation("OP_BV_ULT", lambda mask, width: lt)
_operation("OP_BV_ULE", lambda mask, width: le)
_operation("OP_BV_UGT", lambda mask, width: gt)
_operation("OP_BV_UGE", lambda mask, width: ge)
_operation("OP_BV_INC", lambda mask, width: lambda a: (a + 1) & mask)
_operation("OP_BV_DEC", lambda mask, width: lambda a: (a - 1) & mask)
_operation("OP_BV_COMP", lambda mask, width: lambda a, b: int(a == b))
_operation("OP_BV_ULTBV", lambda mask, width: lambda a, b: int(a < b))
_operation("OP_BV_REDAND", lambda mask, width: lambda a: int(a == mask))
_operation("OP_BV_REDOR", lambda mask, width: lambda a: int(a != 0))
_operation("OP_BV_REDXOR", lambda mask, width: lambda a: a.bit_count() & 1)
_operation("OP_BV_UBV_TO_INT", lambda mask, width: lambda a: a)
_operation("OP_BV_SBV_TO_INT", lambda mask, width: lambda a: signed(a, width))
_operation("OP_BV_NEGO", lambda mask, width: lambda a: a == 1 << (width - 1))
_operation("OP_BV_UADDO", lambda mask, width: lambda a, b: a + b > mask)
_operation("OP_BV_USUBO", lambda mask, width: lambda a, b: a < b)
_operation("OP_BV_UMULO", lambda mask, width: lambda a, b: a * b > mask)
# the sign bit added to both sides modulo 2^w turns the signed order into the unsigned one
_operation("OP_BV_SLT", lambda mask, width: lambda a, b: a ^ (mask + 1 >> 1) < b ^ (mask + 1 >> 1))
_operation("OP_BV_SLE", lambda mask, width: lambda a, b: signed(a, width) <= signed(b, width))
_operation("OP_BV_SGT", lambda mask, width: lambda a, b: signed(a, width) > signed(b, width))
_operation("OP_BV_SGE", lambda mask, width: lambda a, b: signed(a, width) >= signed(b, width))
_operation("OP_BV_SLTBV", lambda mask, width: lambda a, b: int(signed(a, width) < signed(b, width)))


def _overflow(kind: str, calculate: Callable[[int, int], int]) -> None:
    """Enter the meaning of a signed overflow predicate: the exact result does not fit into the
    width.
    """

    @prepared(kind)
    def prepare(site: Site) -> Callable[[int, int], bool]:
        width = site.sorts[0].width
        top = 1 << (width - 1)
        return lambda a, b: not -top <= calculate(signed(a, width), signed(b, width)) < top


_overflow("OP_BV_SADDO", lambda a, b: a + b)
_overflow("OP_BV_SSUBO", lambda a, b: a - b)
_overflow("OP_BV_SMULO", lambda a, b: a * b)


@meaning("OP_BV_SDIVO")
def _sdivo(site: Site, left: int, right: int) -> bool:
    width = site.sorts[0].width
    return left == 1 << (width - 1) and right == (1 << width) - 1


@prepared("OP_BV_CONCAT", whole=True)
def _concat(site: Site) -> Callable[..., int]:
    widths = [sort.width for sort in site.sorts[1:]]

    def join(first: int, *rest: int) -> int:
        for width, part in zip(widths, rest, strict=True):
            first = first << width | part
        return first

    return join


@prepared("OP_BV_EXTRACT")
def _extract(site: Site) -> Callable[[int], int]:
    high, low = site.indices
    mask = (1 << (high - low + 1)) - 1
    return lambda a: a >> low & mask


@prepared("OP_BV_BIT")
def _bit(site: Site) -> Callable[[int], bool]:
    (place,) = site.indices
    return lambda a: bool(a >> place & 1)


@prepared("OP_BV_REPEAT")
def _repeat(site: Site) -> Callable[[int], int]:
    width = site.sorts[0].width
    factor = ((1 << site.indices[0] * width) - 1) // ((1 << width) - 1)
    return lambda a: a * factor


@prepared("OP_BV_ZERO_EXTEND")
def _zero_extend(site: Site) -> Callable[[int], int]:
    return lambda a: a


@prepared("OP_BV_SIGN_EXTEND")
def _sign_extend(site: Site) -> Callable[[int], int]:
    width, mask = site.sorts[0].width, (1 << site.sort.width) - 1
    return lambda a: signed(a, width) & mask


def _rotated(value: int, left: int, width: int) -> int:
    left %= width
    return (value << left | value >> (width - left)) & ((1 << width) - 1)


@meaning("OP_BV_ROTATE_LEFT")
def _rotate_left(site: Site, value: int) -> int:
    return _rotated(value, site.indices[0], site.sort.width)


@meaning("OP_BV_ROTATE_RIGHT")
def _rotate_right(site: Site, value: int) -> int:
    return _rotated(value, -site.indices[0], site.sort.width)


@meaning("OP_BV_EXT_ROTATE_LEFT")
def _ext_rotate_left(site: Site, value: int, by: int) -> int:
    return _rotated(value, by, site.sort.width)


@meaning("OP_BV_EXT_ROTATE_RIGHT")
def _ext_rotate_right(site: Site, value: int, by: int) -> int:
    return _rotated(value, -by, site.sort.width)


@prepared("OP_INT_TO_BV")
def _int_to_bv(site: Site) -> Callable[[int], int]:
    mask = (1 << site.sort.width) - 1
    return lambda a: a & mask


@prepared("OP_BV_ITE")
def _bv_ite(site: Site) -> Callable[[int, int, int], int]:
    return lambda condition, yes, no: yes if condition else no


@prepared("OP_BV_FROM_BOOLS", whole=True)
def _from_bools(site: Site) -> Callable[..., int]:
    return lambda *bits: sum(1 << place for place, bit in enumerate(bits) if bit)
