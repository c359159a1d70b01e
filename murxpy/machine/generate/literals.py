"""Random literals of every sort: zero, extremes, powers of two, special and random ones, by the
weights of the machine file.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.machine.distributions import Settings
from murxpy.machine.random import Stream

SPECIAL_TEXT = (
    "\\",
    '"',
    "\\u{41}",
    "\\x41",
    "\n",
    "\t",
    "\x00",
    "\x7f",
    "\xe9",
    "/*",
    "a b",
    "|",
    "'",
    "%s",
    "-1",
    "0x1",
)


def draw_literal(sort: Sort, settings: Settings, stream: Stream) -> Any:
    """A value of `sort` (see murxpy.logic.values); KeyError for a sort without literals."""
    return _DRAWERS[sort.kind](sort, settings, stream)


def _bool(sort: Sort, settings: Settings, stream: Stream) -> bool:
    return stream.random() < 0.5


def _bv(sort: Sort, settings: Settings, stream: Stream) -> int:
    width = sort.width
    kind = settings.draw("bv-literal", stream)
    fixed = {
        "zero": 0,
        "one": 1,
        "ones": -1,
        "min-signed": 1 << (width - 1),
        "max-signed": (1 << (width - 1)) - 1,
    }
    if kind in fixed:
        value = fixed[kind]
    elif kind == "power-of-two":
        value = 1 << stream.below(width)
    elif kind == "small":
        value = stream.below(16)
    elif kind == "small-negative":
        value = -1 - stream.below(16)
    else:
        value = stream.bits(width)
    return value % (1 << width)


def _int(sort: Sort, settings: Settings, stream: Stream) -> int:
    kind = settings.draw("int-literal", stream)
    if kind in ("zero", "one", "minus-one"):
        return {"zero": 0, "one": 1, "minus-one": -1}[kind]
    if kind in ("small", "small-negative"):
        value = stream.between(2, 20)
    elif kind in ("power-of-two", "near-power-of-two"):
        value = 1 << stream.choose((1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 128))
        value += 0 if kind == "power-of-two" else stream.choose((-1, 1))
        return -value if stream.random() < 0.3 else value
    else:
        value = stream.bits(stream.between(10, 3 * settings.limit("int-digits")))
    return -value if "negative" in kind else value


def _real(sort: Sort, settings: Settings, stream: Stream) -> Fraction:
    kind = settings.draw("real-literal", stream)
    if kind in ("zero", "one", "minus-one"):
        return Fraction({"zero": 0, "one": 1, "minus-one": -1}[kind])
    if kind == "large-fraction":
        value = Fraction(
            stream.bits(stream.between(8, 120)), 1 + stream.bits(stream.between(4, 80))
        )
        return -value if stream.random() < 0.5 else value
    if "integer" in kind:
        value = Fraction(stream.between(2, 20))
    elif kind == "decimal":
        value = Fraction(stream.between(1, 9999), stream.choose((10, 100, 1000, 2, 4, 8)))
        return -value if stream.random() < 0.5 else value
    else:
        value = Fraction(stream.between(1, 30), stream.between(2, 30))
    return -value if "negative" in kind else value


def _fp(sort: Sort, settings: Settings, stream: Stream) -> int:
    exponent, fraction = sort.number(0), sort.number(1) - 1
    top, bias = (1 << exponent) - 1, (1 << (exponent - 1)) - 1
    kind = settings.draw("fp-literal", stream)
    sign = 0
    if "negative" in kind:
        sign = 1
    elif kind not in ("zero", "infinity", "nan"):
        sign = int(stream.random() < 0.4)
    fields: dict[str, tuple[int, int]] = {
        "zero": (0, 0),
        "negative-zero": (0, 0),
        "infinity": (top, 0),
        "negative-infinity": (top, 0),
        "nan": (top, 1 + stream.bits(fraction) % ((1 << fraction) - 1) if fraction > 1 else 1),
        "one": (bias, 0),
        "smallest-subnormal": (0, 1),
        "largest-subnormal": (0, (1 << fraction) - 1),
        "smallest-normal": (1, 0),
        "largest-normal": (top - 1, (1 << fraction) - 1),
        "small-integer": (
            min(top - 1, bias + stream.below(4)),
            stream.bits(2) << max(0, fraction - 2),
        ),
    }
    high, low = fields.get(kind) or (stream.bits(exponent), stream.bits(fraction))
    return (((sign << exponent) | high) << fraction) | (low % (1 << fraction))


def _ff(sort: Sort, settings: Settings, stream: Stream) -> int:
    kind = settings.draw("ff-literal", stream)
    order = sort.width
    if kind == "random":
        return stream.bits(order.bit_length() + 32) % order
    small = {"zero": 0, "one": 1, "minus-one": order - 1}
    return small[kind] % order if kind in small else stream.below(12) % order


def _string(sort: Sort, settings: Settings, stream: Stream) -> str:
    kind = settings.draw("string-literal", stream)
    alphabet = "ab0" if stream.random() < 0.6 else "abcdefgxyzABZ0123456789 -_.~"
    if kind == "empty":
        return ""
    if kind == "one-character":
        return stream.choose(alphabet)
    if kind == "repeated":
        return stream.choose(alphabet) * stream.between(2, 8)
    if kind == "digits":
        return "".join(stream.choose("0123456789") for _ in range(stream.between(1, 6)))
    if kind == "special":
        return "".join(stream.choose(SPECIAL_TEXT) for _ in range(stream.between(1, 3)))
    if kind == "unicode":
        return "".join(chr(_code_point(stream)) for _ in range(stream.between(1, 4)))
    long = kind == "long"
    count = stream.between(9, settings.limit("string-length")) if long else stream.between(2, 8)
    return "".join(stream.choose(alphabet) for _ in range(count))


def _code_point(stream: Stream) -> int:
    low, high = stream.choose(
        ((0x80, 0xFF), (0x100, 0x7FF), (0x800, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x2FFFF))
    )
    return stream.between(low, high)


_DRAWERS: dict[str, Callable[[Sort, Settings, Stream], Any]] = {
    "SORT_BOOL": _bool,
    "SORT_BV": _bv,
    "SORT_INT": _int,
    "SORT_REAL": _real,
    "SORT_FP": _fp,
    "SORT_FF": _ff,
    "SORT_STRING": _string,
}
