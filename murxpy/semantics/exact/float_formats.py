"""Formats of IEEE 754: what the bits of a number mean, and the rounding with which every operation
ends.

A finite number is a sign and an integer significand times a power of two. All operations compute
with these, so their results are exact until `Format.round`. Source: IEEE 754-2019; SMT-LIB 2.7,
theory FloatingPoint.
"""

from __future__ import annotations

from functools import lru_cache

# sign (1 is negative), significand and exponent of (-1)^sign * significand * 2^exponent
Finite = tuple[int, int, int]


class Format:
    """A format with `e` bits of exponent and `s` bits of significand, the hidden bit included. Both
    are at least 2.

    A float is an int of e + s bits: sign, biased exponent, fraction. `lowest` is the binary
    exponent of the least subnormal number.
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
        """Return the bits without the sign. Those of zero are 0, those of NaN are greater than
        `infinity`, and others have the order of their numbers.
        """
        return bits & (self.sign - 1)

    def canonical(self, bits: int) -> int:
        """Return the bits, with the one NaN in place of every NaN."""
        return self.nan if self.magnitude(bits) > self.infinity else bits

    def zero(self, sign: int) -> int:
        """Return the zero with a sign."""
        return self.sign if sign else 0

    def finite(self, bits: int) -> Finite:
        """Return the number that finite bits mean. A zero has the significand 0."""
        exponent = self.magnitude(bits) >> (self.s - 1)
        sign = 1 if bits & self.sign else 0
        if exponent == 0:
            return sign, bits & self.fraction, self.lowest
        return sign, (bits & self.fraction) | (self.fraction + 1), self.lowest + exponent - 1

    def round(self, mode: str, sign: int, significand: int, exponent: int) -> int:
        """Return the float to which (-1)^sign * significand * 2^exponent is rounded; the
        significand is above 0.
        """
        shift = max(significand.bit_length() - self.s, self.lowest - exponent)
        kept = (
            significand << -shift if shift <= 0 else shift_rounded(mode, sign, significand, shift)
        )
        # If the significand overflows, or a subnormal number becomes normal, the addition carries
        # into the exponent, which is right.
        bits = ((exponent + shift - self.lowest) << (self.s - 1)) + kept if kept else 0
        if bits >= self.infinity:
            bits = self.infinity if away(mode, sign) else self.infinity - 1
        return bits | self.sign if sign else bits


@lru_cache(maxsize=1024)
def format_of(e: int, s: int) -> Format:
    """Return the format. Each is made once."""
    return Format(e, s)


def away(mode: str, sign: int) -> bool:
    """Return whether a number beyond the greatest float of this sign is rounded to infinity."""
    return mode in ("RNE", "RNA") or mode == ("RTN" if sign else "RTP")


def shift_rounded(mode: str, sign: int, significand: int, shift: int) -> int:
    """Return `significand` / 2^shift as an integer, rounded by `mode`, which depends on the sign;
    the shift is above 0.
    """
    # The result is below a quarter, so that each mode rounds it in the same way, however small it is.
    if shift > significand.bit_length() + 1:
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
