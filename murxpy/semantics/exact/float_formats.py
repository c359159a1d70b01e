"""Formats of IEEE 754: what bits stand for, and the one rounding that every operation ends with.

A finite number is a sign and an integer significand times a power of two; nothing else is computed
with, so results are exact until `Format.round`. Source: IEEE 754-2019; SMT-LIB 2.7, theory
FloatingPoint.
"""

from __future__ import annotations

from functools import lru_cache

# sign (1 is negative), significand, exponent: (-1)^sign * significand * 2^exponent
Finite = tuple[int, int, int]


class Format:
    """The format with `e` exponent bits and `s` bits of significand, the hidden one included; e, s
    >= 2.

    Floats are ints of e + s bits: sign, biased exponent, fraction. `lowest` is the binary exponent
    of the least subnormal.
    """

    __slots__ = ("e", "fraction", "infinity", "lowest", "nan", "s", "sign")

    def __init__(self, e: int, s: int) -> None:
        self.e = e
        self.s = s
        self.sign = 1 << (e + s - 1)
        self.fraction = (1 << (s - 1)) - 1
        self.infinity = ((1 << e) - 1) << (s - 1)
        self.nan = self.infinity | (1 << (s - 2))
        self.lowest = 3 - (1 << (e - 1)) - s

    def magnitude(self, bits: int) -> int:
        """The bits without their sign: zero is 0, NaN is greater than `infinity`, and else they are
        ordered as the numbers.
        """
        return bits & (self.sign - 1)

    def canonical(self, bits: int) -> int:
        """The bits with the one NaN in place of every other."""
        return self.nan if self.magnitude(bits) > self.infinity else bits

    def zero(self, sign: int) -> int:
        """The zero of a sign."""
        return self.sign if sign else 0

    def finite(self, bits: int) -> Finite:
        """What finite bits stand for; a zero has significand 0."""
        exponent = self.magnitude(bits) >> (self.s - 1)
        sign = 1 if bits & self.sign else 0
        if exponent == 0:
            return sign, bits & self.fraction, self.lowest
        return sign, (bits & self.fraction) | (self.fraction + 1), self.lowest + exponent - 1

    def round(self, mode: str, sign: int, significand: int, exponent: int) -> int:
        """The float that (-1)^sign * significand * 2^exponent rounds to; significand > 0."""
        shift = max(significand.bit_length() - self.s, self.lowest - exponent)
        kept = (
            significand << -shift if shift <= 0 else shift_rounded(mode, sign, significand, shift)
        )
        # A carry out of the significand, and the step from subnormal to normal, are the exponent's
        # next value.
        bits = ((exponent + shift - self.lowest) << (self.s - 1)) + kept if kept else 0
        if bits >= self.infinity:
            bits = self.infinity if away(mode, sign) else self.infinity - 1
        return bits | self.sign if sign else bits


@lru_cache(maxsize=1024)
def format_of(e: int, s: int) -> Format:
    """The format, made once."""
    return Format(e, s)


def away(mode: str, sign: int) -> bool:
    """True if a number beyond the greatest float of this sign becomes infinite."""
    return mode in ("RNE", "RNA") or mode == ("RTN" if sign else "RTP")


def shift_rounded(mode: str, sign: int, significand: int, shift: int) -> int:
    """`significand` / 2^shift as an integer, rounded; `mode` sees the sign; shift > 0."""
    if shift > significand.bit_length() + 1:  # below a quarter, however small
        kept, half, rest = 0, 0, significand
    else:
        kept = significand >> shift
        half = significand >> (shift - 1) & 1
        rest = significand & ((1 << (shift - 1)) - 1)
    if mode == "RNE":
        return kept + (1 if half and (rest or kept & 1) else 0)
    if mode == "RNA":
        return kept + half
    if mode == "RTZ" or not (half or rest):
        return kept
    return kept + (1 if (mode == "RTN") == bool(sign) else 0)
