"""The pipeline of reduction: a problem is made smaller as long as a predicate holds.

A `Problem` says what a candidate is, which candidates are smaller, and which passes make them. A
`Predicate` says whether a candidate still shows what must stay. `reduce` works for every problem
and every predicate.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any, Generic, Protocol, TypeVar

from murxpy.campaign import interrupts
from murxpy.campaign.findings.folder import write_atomically
from murxpy.campaign.reduction.golden import Match
from murxpy.campaign.replays.tester import OutOfTime
from murxpy.campaign.workers.targets import Plan
from murxpy.errors import InputError
from murxpy.passes.reduction import Reducer

_SAVE_SECONDS = 2.0  # between two times that the best candidate is written into a file

T = TypeVar("T")  # a candidate
A = TypeVar("A")  # what a predicate is asked about a candidate


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a reduction: the size of the best candidate so far, and its text.

    If `unit` is `line`, the text is a trace.
    """

    lines: int
    terms: int
    tests: int
    seconds: float
    unit: str
    text: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be reduced, on the target of `plan`, and how; `name` is that of its file.

    `jobs` replays are made at a time, and a candidate is replayed `tries` times at most. The
    reduction ends after `time` seconds and after `replays` candidates; None sets no limit. With one
    job the result of a reduction that `replays` ends does not depend on the clock. What stays is the
    finding, unless `match` or `command`, the words of a user's command, says something else. With `judges` the
    finding is that one of these solvers disagrees. `follow` gets the progress. `wait` is called before
    each candidate, and returns when it may be replayed.
    """

    plan: Plan
    name: str
    jobs: int = 1
    time: float | None = None
    replays: int | None = None
    tries: int = 1
    match: Match = field(default_factory=Match)
    command: tuple[str, ...] = ()
    judges: Sequence[Plan] = ()
    follow: Callable[[Progress], None] = lambda progress: None
    wait: Callable[[], None] = lambda: None
    began: float = field(default_factory=monotonic)

    @property
    def deadline(self) -> float | None:
        """The moment at which the time is over."""
        return None if self.time is None else self.began + self.time

    @contextmanager
    def enough_time(self, what: str) -> Iterator[None]:
        """Inside, OutOfTime becomes an InputError, since there is no result yet."""
        try:
            yield
        except OutOfTime:
            raise InputError(
                f"the {self.time:g} s are over before it was seen what {what}; give it more with --time",
                file=self.name,
            ) from None


class Saver:
    """Writes the best candidate so far into a file now and then, in case the process is killed."""

    def __init__(self, file: Path) -> None:
        self._file, self._lines, self._written = file, 0, monotonic()

    def __call__(self, progress: Progress) -> None:
        if progress.unit != "line" or progress.lines == self._lines:
            return
        if monotonic() - self._written >= _SAVE_SECONDS:
            write_atomically(self._file, progress.text())
            self._lines, self._written = progress.lines, monotonic()


@dataclass(frozen=True, slots=True)
class Minimized:
    """The smallest candidate that was found.

    `text` is its trace, and `best` its text in the form of its problem, such as SMT-LIB. `key` says
    what it shows. `before` and `after` are sizes in `unit`: `line`, `run` or `character`. `ended`
    is `complete`, `time`, `replays` or `interrupted`. `needs` says in sentences what a trace needs
    beside its formulas, where that is known.
    """

    text: str
    best: str
    key: str
    before: int
    after: int
    tests: int
    replays: int
    repeated: int
    seconds: float
    ended: str
    unit: str = "line"
    needs: tuple[str, ...] = ()


class OutOfReplays(Exception):
    """As many candidates were replayed as the task allows."""


class Replays(Protocol):
    """A service that makes replays for a predicate. It raises OutOfTime after `deadline`."""

    deadline: float | None

    @property
    def replays(self) -> int:
        """The number of replays that were made."""

    def close(self) -> None:
        """End all processes."""


class Predicate(ABC, Generic[A]):
    """Decides whether a candidate shows what must stay; `key` says in words what that is.

    `start` is the text of a trace that shows it and ends with the line that does so. It is empty
    where there is no such text.
    """

    key = ""
    start = ""

    def __init__(self, deadline: float | None, *services: Replays) -> None:
        self._services = services
        self.limit(deadline)

    @contextmanager
    def closed_on_error(self) -> Iterator[None]:
        """Inside, an error ends all processes."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    @property
    def replays(self) -> int:
        """The number of replays that were made."""
        return sum(service.replays for service in self._services)

    def limit(self, deadline: float | None) -> None:
        """Raise OutOfTime from now on when something is asked after `deadline` (monotonic)."""
        for service in self._services:
            service.deadline = deadline

    @abstractmethod
    def first(self, candidates: Iterator[A]) -> int | None:
        """The index of the first candidate that was seen to show it; None when none does."""

    @abstractmethod
    def result(self, best: A) -> tuple[str, str]:
        """The key of what the smallest candidate shows, and its text as a trace."""

    def written(self, text: str) -> str:
        """The trace that a replay of `text` writes; empty where no single replay does."""
        return ""

    def doubted(self, best: A) -> bool:
        """Whether the smallest candidate does not show it after all, so that the reduction starts
        again.
        """
        return False

    def close(self) -> None:
        """End all processes."""
        for service in self._services:
            service.close()


@dataclass(frozen=True)
class Problem(Generic[T, A]):
    """What is reduced: candidates, which never change, and passes that make them smaller.

    The first of `starts` shows what must stay; the others are smaller and may show it. `order`
    gives keys to sort candidates by, the smallest for the best. `text` differs for different
    candidates. `asked` is what a predicate is asked about a candidate. `size` is in `unit`, and
    `before` is the size of what was given. `counts` gives the numbers of lines and terms, for a
    user who watches. `shrink` runs all passes until none of them changes anything.
    """

    starts: Sequence[T]
    order: Callable[[T], Any]
    text: Callable[[T], str]
    asked: Callable[[T], A]
    size: Callable[[T], int]
    counts: Callable[[T], tuple[int, int]]
    shrink: Callable[[Reducer[T]], None]
    before: int
    unit: str = "line"


def reduce(problem: Problem[T, A], predicate: Predicate[A], task: Task) -> Minimized:
    """Make the candidate of `problem` as small as it can be while `predicate` holds.

    Ctrl-C and the end of the time or of the replays leave the best candidate so far.
    """
    search = _Search(problem, predicate, task)
    ended = search.run()
    predicate.limit(None)
    best, reducer = search.reducer.best, search.reducer
    key, text = predicate.result(problem.asked(best))
    return Minimized(
        text,
        problem.text(best),
        key,
        problem.before,
        problem.size(best),
        reducer.tests,
        predicate.replays,
        reducer.repeated,
        monotonic() - task.began,
        ended,
        problem.unit,
    )


class _Search(Generic[T, A]):
    """One reduction under way."""

    def __init__(self, problem: Problem[T, A], predicate: Predicate[A], task: Task) -> None:
        self._problem, self._predicate, self._task = problem, predicate, task
        self._left = task.replays
        self.reducer = self._begin()

    def _begin(self) -> Reducer[T]:
        problem = self._problem
        return Reducer(problem.starts[0], self._first, problem.order, problem.text, self._tell)

    def run(self) -> str:
        """Reduce, and say how that ended."""
        problem = self._problem
        try:
            with interrupts.deferred():
                self.reducer.offer(reversed(problem.starts[1:]))
                problem.shrink(self.reducer)
                while self._predicate.doubted(problem.asked(self.reducer.best)):
                    self.reducer = self._begin()
                    problem.shrink(self.reducer)
        except OutOfTime:
            return "time"
        except OutOfReplays:
            return "replays"
        except KeyboardInterrupt:
            return "interrupted"
        return "complete"

    def _asked(self, candidate: T) -> A:
        interrupts.check()
        self._task.wait()
        if self._left is not None:
            self._left -= 1
        return self._problem.asked(candidate)

    def _first(self, candidates: Iterator[T]) -> int | None:
        found = self._predicate.first(map(self._asked, islice(candidates, self._left)))
        if found is None:
            self._tell(self.reducer.best)
            if self._left == 0:
                raise OutOfReplays
        return found

    def _tell(self, best: T) -> None:
        problem, seconds = self._problem, monotonic() - self._task.began
        lines, terms = problem.counts(best)
        text = partial(problem.text, best)
        self._task.follow(Progress(lines, terms, self.reducer.tests, seconds, problem.unit, text))
