"""Reduction of anything: a test, a total order, and a memory of what was tried.

A pass hands over candidates, and the reducer keeps the best one that passes the test. The best
candidate never gets larger in the order. So each loop that goes on only after an acceptance ends.

Passes and tests are generators. They yield the questions of the test, which the caller of the
reduction answers. A test that finds its answers itself yields nothing, and `finished` runs a
reduction with such a test.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import Any, Generic, TypeVar

T = TypeVar("T")  # a candidate
A = TypeVar("A")  # what a test is asked about a candidate
V = TypeVar("V")

Asking = Generator[Any, Any, V]
First = Callable[[Iterator[A]], Asking[int | None]]


def finished(asking: Asking[V]) -> V:
    """Run a generator that asks nothing, and return its result."""
    try:
        next(asking)
    except StopIteration as end:
        result: V = end.value
        return result
    raise AssertionError("the test asks a question that nobody answers")


def at_once(first: Callable[[Iterator[A]], int | None]) -> First[A]:
    """The test `first`, which finds its answers itself, as a generator."""

    def asking(candidates: Iterator[A]) -> Asking[int | None]:
        yield from ()
        return first(candidates)

    return asking


def one_by_one(shows: Callable[[A], Asking[bool]]) -> First[A]:
    """The test that asks `shows` about one candidate after another."""

    def asking(candidates: Iterator[A]) -> Asking[int | None]:
        for at, candidate in enumerate(candidates):
            if (yield from shows(candidate)):
                return at
        return None

    return asking


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
        first: First[T],
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

    def offer(self, candidates: Iterable[T]) -> Asking[int | None]:
        """Accept the first of `candidates` that is smaller than the best and passes the test. Gives
        its index; None when there is none.
        """
        handed: list[tuple[int, T]] = []
        won = yield from self._first(self._worthwhile(candidates, handed))
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
) -> Asking[None]:
    """Leave out parts of the best candidate: halves first, then ever smaller parts, down to one
    element.

    `length` counts the elements. `without(best, low, high)` leaves out those from `low` up to
    `high`, and may leave out more. Parts of one size are tried from the back to the front.
    """
    size = max(1, length(reducer.best) // 2)
    while True:
        removed = yield from _sweep(reducer, length, without, size)
        size = min(size, length(reducer.best))
        if size <= 1:
            if not removed:
                return
        else:
            size //= 2


def _sweep(
    reducer: Reducer[T], length: Callable[[T], int], without: Callable[[T, int, int], T], size: int
) -> Asking[bool]:
    """Try to leave out each part of `size` elements once; True if that worked for one."""
    removed = False
    end = length(reducer.best)
    while end > 0:
        best = reducer.best
        won = yield from reducer.offer(
            without(best, max(0, high - size), high) for high in range(end, 0, -size)
        )
        if won is None:
            break
        removed = True
        end = min(end - size * (won + 1), length(reducer.best))
    return removed


def each(
    reducer: Reducer[T], length: Callable[[T], int], variants: Callable[[T, int], Iterable[T]]
) -> Asking[None]:
    """Offer `variants(best, at)` at each element, from the last to the first, and again where one
    was accepted.
    """
    at = length(reducer.best) - 1
    while at >= 0:
        if (yield from reducer.offer(variants(reducer.best, at))) is None:
            at -= 1
        at = min(at, length(reducer.best) - 1)


def fixpoint(
    reducer: Reducer[T], passes: Sequence[Callable[[Reducer[T]], Asking[None]]]
) -> Asking[None]:
    """Run `passes` in turn until a whole round changes nothing."""
    before = None
    while before is not reducer.best:
        before = reducer.best
        for reduce in passes:
            yield from reduce(reducer)


# ----------------------------------------------------------------------
# The pipeline of reduction: a problem is made smaller as long as a test says that a candidate still
# shows what must stay. A `Problem` says what a candidate is, which candidates are smaller, and which
# passes make them. A `Search` works for every problem and every test.


@dataclass(frozen=True)
class Problem(Generic[T, A]):
    """What is reduced: candidates, which never change, and passes that make them smaller.

    The first of `starts` shows what must stay; the others are smaller and may show it. `order`
    gives keys to sort candidates by, the smallest for the best. `text` differs for different
    candidates. `asked` is what a test is asked about a candidate. `size` is in `unit`, and
    `before` is the size of what was given. `counts` gives the numbers of lines and terms, for a
    user who watches. `shrink` runs all passes until none of them changes anything.
    """

    starts: Sequence[T]
    order: Callable[[T], Any]
    text: Callable[[T], str]
    asked: Callable[[T], A]
    size: Callable[[T], int]
    counts: Callable[[T], tuple[int, int]]
    shrink: Callable[[Reducer[T]], Asking[None]]
    before: int
    unit: str = "line"


class OutOfReplays(Exception):
    """As many candidates were tried, or as much was spent on them, as the task allows."""


class Search(Generic[T, A]):
    """The search for the smallest candidate of `problem` that passes the test `first`. It ends after
    `most` candidates, or when the test raises OutOfReplays. `follow` is called with the best
    candidate after each offer.
    """

    def __init__(
        self,
        problem: Problem[T, A],
        first: First[A],
        most: int | None = None,
        follow: Callable[[T], None] = lambda best: None,
    ) -> None:
        self._problem, self._first, self._left, self._follow = problem, first, most, follow
        self.reducer = self._begin()

    def _begin(self) -> Reducer[T]:
        problem = self._problem
        return Reducer(problem.starts[0], self._tried, problem.order, problem.text, self._follow)

    def run(self) -> Asking[str]:
        """Reduce what was given, and return how that ended: `complete` or `replays`. A second run
        forgets the best candidate of the first one.
        """
        self.reducer = self._begin()
        try:
            yield from self.reducer.offer(reversed(self._problem.starts[1:]))
            yield from self._problem.shrink(self.reducer)
        except OutOfReplays:
            return "replays"
        return "complete"

    def _asked(self, candidate: T) -> A:
        if self._left is not None:
            self._left -= 1
        return self._problem.asked(candidate)

    def _tried(self, candidates: Iterator[T]) -> Asking[int | None]:
        found = yield from self._first(map(self._asked, islice(candidates, self._left)))
        if found is None:
            self._follow(self.reducer.best)
            if self._left == 0:
                raise OutOfReplays
        return found
