"""Reduction of anything: a test, a total order, and a memory of what was tried.

A pass hands over candidates, and the reducer keeps the best one that passes the test. The best
candidate never gets larger in the order. Each loop that continues only after an acceptance therefore
ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Reducer(Generic[T]):
    """The best candidate so far.

    `first` gives the index of a candidate that passes the test, or None. The reducer may test several
    at a time, and takes only as many candidates as it tests. `order` gives keys, of which the
    smallest is that of the best candidate, and `text` tells candidates apart. `accepted` is called
    with each new best candidate.
    """

    def __init__(
        self,
        start: T,
        first: Callable[[Iterator[T]], int | None],
        order: Callable[[T], Any],
        text: Callable[[T], str],
        accepted: Callable[[T], None] = lambda best: None,
    ) -> None:
        self.best = start
        self.tests = 0
        self.repeated = 0
        self._first, self._order, self._text = first, order, text
        self._accepted = accepted
        self._key = order(start)
        self._tried = {_digest(text(start))}

    def offer(self, candidates: Iterable[T]) -> int | None:
        """Accept the first of `candidates` that is smaller than the best and passes the test. The
        result is the index of the candidate; None if there is none.
        """
        handed: list[tuple[int, T]] = []
        won = self._first(self._worthwhile(candidates, handed))
        if won is None:
            return None
        index, self.best = handed[won]
        self._key = self._order(self.best)
        self._accepted(self.best)
        return index

    def _worthwhile(self, candidates: Iterable[T], handed: list[tuple[int, T]]) -> Iterator[T]:
        """Give the candidates that are smaller than the best and were never tested, and note each
        in `handed` with its index.
        """
        for index, candidate in enumerate(candidates):
            if self._order(candidate) >= self._key:
                continue
            digest = _digest(self._text(candidate))
            if digest in self._tried:
                self.repeated += 1
                continue
            self._tried.add(digest)
            self.tests += 1
            handed.append((index, candidate))
            yield candidate


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def ddmin(
    reducer: Reducer[T], length: Callable[[T], int], without: Callable[[T, int, int], T]
) -> None:
    """Leave out parts of the best candidate: halves first, then ever smaller parts, down to one
    element.

    `length` counts the elements. `without(best, low, high)` leaves out those from `low` up to
    `high`, and may leave out more. Parts of one size are tried from the back to the front.
    """
    size = max(1, length(reducer.best) // 2)
    while True:
        removed = _sweep(reducer, length, without, size)
        size = min(size, length(reducer.best))
        if size <= 1:
            if not removed:
                return
        else:
            size //= 2


def _sweep(
    reducer: Reducer[T], length: Callable[[T], int], without: Callable[[T, int, int], T], size: int
) -> bool:
    """Try to leave out each part of `size` elements once; True if that worked for one."""
    removed = False
    end = length(reducer.best)
    while end > 0:
        best = reducer.best
        won = reducer.offer(
            without(best, max(0, high - size), high) for high in range(end, 0, -size)
        )
        if won is None:
            break
        removed = True
        end = min(end - size * (won + 1), length(reducer.best))
    return removed


def each(
    reducer: Reducer[T], length: Callable[[T], int], variants: Callable[[T, int], Iterable[T]]
) -> None:
    """Offer `variants(best, at)` at each element, from the last to the first, and again where one
    was accepted.
    """
    at = length(reducer.best) - 1
    while at >= 0:
        if reducer.offer(variants(reducer.best, at)) is None:
            at -= 1
        at = min(at, length(reducer.best) - 1)


def fixpoint(reducer: Reducer[T], passes: Sequence[Callable[[Reducer[T]], None]]) -> None:
    """Run `passes` in turn until a whole round changes nothing."""
    before = None
    while before is not reducer.best:
        before = reducer.best
        for reduce in passes:
            reduce(reducer)
