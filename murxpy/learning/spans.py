"""Numbers of runs as spans of neighbours. A cluster has millions of runs under way, in a few thousand
blocks, so what is kept of them must grow with the blocks.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

Span = tuple[int, int, int]  # the first number, how many there are, and their value


class Spans:
    """Numbers, each with a value. Iterating gives the spans of neighbours with the same value, in order."""

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        self._firsts: list[int] = []
        # by first numbers: the number behind, and the value
        self._rest: dict[int, tuple[int, int]] = {}
        for first, count, value in spans:
            self.add(first, count, value)

    def __iter__(self) -> Iterator[Span]:
        for first in self._firsts:
            end, value = self._rest[first]
            yield first, end - first, value

    def numbers(self) -> Iterator[int]:
        """All numbers, in order."""
        for first, count, _ in self:
            yield from range(first, first + count)

    @property
    def lowest(self) -> int | None:
        """The smallest number; None where there is none."""
        return self._firsts[0] if self._firsts else None

    def get(self, number: int) -> int | None:
        """The value of a number; None where it is not here."""
        at = bisect_right(self._firsts, number) - 1
        if at < 0:
            return None
        end, value = self._rest[self._firsts[at]]
        return value if number < end else None

    def add(self, first: int, count: int = 1, value: int = 0) -> None:
        """Add neighbours, none of which is here."""
        end, at = first + count, bisect_left(self._firsts, first)
        if self._rest.get(end, (0, None))[1] == value:  # the span behind it is joined to it
            end = self._rest.pop(end)[0]
            del self._firsts[at]
        if at and self._rest[self._firsts[at - 1]] == (first, value):
            first = self._firsts[at - 1]
        else:
            self._firsts.insert(at, first)
        self._rest[first] = end, value

    def remove(self, first: int, count: int = 1) -> list[Span]:
        """Remove those of neighbours that are here, and give them."""
        removed, end = [], first + count
        at = max(0, bisect_right(self._firsts, first) - 1)
        while at < len(self._firsts) and (begin := self._firsts[at]) < end:
            behind, value = self._rest[begin]
            low, high = max(begin, first), min(behind, end)
            if low >= high:
                at += 1
                continue
            removed.append((low, high - low, value))
            del self._rest[begin], self._firsts[at]
            for left, right in ((begin, low), (high, behind)):
                if left < right:
                    self._firsts.insert(at, left)
                    self._rest[left] = right, value
                    at += 1
        return removed
