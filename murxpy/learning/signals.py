"""Signals: what a solver says of itself after a check, as pairs of a key and an order of magnitude.

A pair that no earlier run gave is news: the solver did something that it had not done before, or did
it ten times as often. So news stand in for coverage where the solver was not built to measure that.
"""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32


def order(value: int) -> int:
    """The order of magnitude: the number of decimal digits, 0 for 0, and negative below."""
    digits = len(str(abs(value))) if value else 0
    return digits if value >= 0 else -digits


class Signals:
    """The pairs of one run, each as a number of 32 bits. `numbers` keeps what was worked out for
    earlier runs of the process: solvers have some hundred keys.
    """

    def __init__(self, numbers: dict[tuple[str, int], int]) -> None:
        self._numbers = numbers
        self._seen: dict[int, None] = {}

    def note(self, key: str, value: int) -> None:
        """Note that the solver gives `value` for `key`."""
        pair = (key, order(value))
        number = self._numbers.get(pair)
        if number is None:
            number = self._numbers[pair] = crc32(f"{pair[0]}\0{pair[1]}".encode())
        self._seen[number] = None

    def note_all(self, pairs: Iterable[tuple[str, int]]) -> None:
        """Note several keys with their values."""
        for key, value in pairs:
            self.note(key, value)

    def numbers(self) -> list[int]:
        """The pairs so far, in ascending order."""
        return sorted(self._seen)
