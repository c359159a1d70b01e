"""Minimizing a trace: from its lines to the smallest that still shows what is to be kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from murxpy.campaign import interrupts
from murxpy.campaign.judging.warm_judges import Court, Disagreeing
from murxpy.campaign.reduction.predicate import Commanded, Predicate, Replaying
from murxpy.campaign.reduction.wanted import Match
from murxpy.campaign.replays.tester import OutOfTime
from murxpy.campaign.workers.targets import Plan
from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.logic.catalogue import build_catalogue
from murxpy.passes.measure import Measure
from murxpy.passes.order import reduce
from murxpy.passes.planted import PlantedValues
from murxpy.passes.reduction import Problem, Reducer
from murxpy.passes.spellings import Spellings
from murxpy.replaying.defuse import Script
from murxpy.trace.grammar import Trace, parse_trace

SAVE_SECONDS = 2.0  # between two times that the best so far is handed over
_KEPT_HEADER = ("murxpy-trace", "solver", "python", "seed", "cross-check")


@dataclass(frozen=True, slots=True)
class Wishes:
    """How to minimize.

    `jobs` replays at a time; `time` seconds in all, None for no limit; `tries` replays of a
    candidate at most; `match`: what is to be kept, where it is not the finding; `command`: the
    words of a command that says what is kept.
    """

    jobs: int = 1
    time: float | None = None
    tries: int = 1
    match: Match = field(default_factory=Match)
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it has come; `text` is the best so far."""

    lines: int
    terms: int
    tests: int
    seconds: float
    text: Callable[[], str]


Follow = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Minimized:
    """The smallest trace found. `ended` is `complete`, `time` or `interrupted`; `key` what it
    shows.
    """

    text: str
    key: str
    before: int
    after: int
    tests: int
    replays: int
    repeated: int
    seconds: float
    ended: str


def minimize(
    plan: Plan,
    source: str,
    name: str,
    wishes: Wishes | None = None,
    earlier: str | None = None,
    follow: Follow = lambda progress: None,
) -> Minimized:
    """Make the trace `source` smaller; `earlier` is what an earlier call made of it, to go on from.

    Ctrl-C and the end of the time give the best so far. Raises InputError when the trace is
    malformed, shows nothing, or something else each time, or when the time does not suffice to see
    what it shows; TargetError when the solver cannot be loaded.
    """
    wishes = wishes or Wishes()
    start = time.monotonic()
    original = parse_trace(source, name)
    try:
        predicate = predicate_of(
            plan, source, name, wishes, None if wishes.time is None else start + wishes.time
        )
    except OutOfTime:
        raise InputError(
            f"the {wishes.time:g} s are over before it was seen what the trace shows; give it more with --time",
            file=name,
        ) from None
    with closing(predicate):
        return reduce_with(predicate, original, earlier, plan.setup, follow, start)


def minimize_disagreement(
    court: Court,
    source: str,
    name: str,
    wishes: Wishes,
    earlier: str | None = None,
    follow: Follow = lambda progress: None,
) -> Minimized:
    """Make the trace `source` smaller, on which the solver of `court` and a judge disagree, who is
    wrong being the same.

    Raises InputError when the trace is malformed or shows no disagreement each time.
    """
    start = time.monotonic()
    original = parse_trace(source, name)
    try:
        predicate = Disagreeing(
            court, source, name, None if wishes.time is None else start + wishes.time
        )
    except OutOfTime:
        raise InputError(
            f"the {wishes.time:g} s are over before it was seen what the trace shows; give it more with --time",
            file=name,
        ) from None
    with closing(predicate):
        return reduce_with(predicate, original, earlier, court.bench.plans[0].setup, follow, start)


def predicate_of(
    plan: Plan, source: str, name: str, wishes: Wishes, deadline: float | None
) -> Predicate:
    """The judge of candidates that the wishes ask for."""
    if wishes.command:
        return Commanded(wishes.command, source, name, wishes.jobs, deadline)
    return Replaying(plan, source, name, wishes.match, wishes.jobs, wishes.tries, deadline)


def reduce_with(
    predicate: Predicate,
    original: Trace,
    earlier: str | None,
    setup: Mapping[str, Any],
    follow: Follow,
    start: float,
) -> Minimized:
    """Make the trace `original`, which `predicate` keeps, smaller. `setup`: the session's; its
    wrapper ranks spellings.
    """
    starts = [
        original,
        *(parse_trace(text, original.name) for text in (predicate.start, earlier) if text),
    ]
    values = PlantedValues(build_catalogue(setup.get("catalogue") or load_catalogue()))
    work = _Work(predicate, Spellings(setup.get("wrapper") or {}), values, follow, start)
    ended = work.run(starts)
    predicate.deadline = None
    return work.result(ended, len(original.lines))


class _Work:
    """One minimization in progress."""

    def __init__(
        self,
        predicate: Predicate,
        spellings: Spellings,
        values: PlantedValues,
        follow: Follow,
        start: float,
    ) -> None:
        self._predicate = predicate
        self._spellings = spellings
        self._values = values
        self._follow = follow
        self._start = start
        self._header = ""
        self._order = Measure(spellings.rank)
        self._reducer: Reducer[Script]

    def run(self, starts: Sequence[Trace]) -> str:
        """Reduce; how it ended."""
        # Only what a replay wrote is in our dialect.
        starts = starts[1:] if starts[0].murxla and len(starts) > 1 else starts
        self._header = _header(starts[0])
        first = _script(starts[0])
        self._reducer = self._begin(first)
        try:
            with interrupts.deferred():
                self._reduce(map(_script, reversed(starts[1:])))
                while self._predicate.doubted(self._text(self._reducer.best)):
                    self._reducer = self._begin(first)
                    self._reduce(iter(()))
        except OutOfTime:
            return "time"
        except KeyboardInterrupt:
            return "interrupted"
        return "complete"

    def _begin(self, script: Script) -> Reducer[Script]:
        problem = Problem[Script](self._first, self._order.key, self._order.text)
        return Reducer(problem, script, self._progress)

    def _reduce(self, others: Iterator[Script]) -> None:
        self._reducer.offer(others)
        reduce(self._reducer, self._spellings, self._values)

    def _text(self, script: Script) -> str:
        return self._header + self._order.text(script)

    def _candidate(self, script: Script) -> str:
        interrupts.check()
        return self._text(script)

    def _first(self, candidates: Iterator[Script]) -> int | None:
        won = self._predicate.first(map(self._candidate, candidates))
        if won is None:
            self._progress(self._reducer.best)
        return won

    def _progress(self, best: Script) -> None:
        made = sum(line.action in ("mk-term", "mk-const", "mk-value") for line in best)
        seconds = time.monotonic() - self._start
        self._follow(
            Progress(len(best), made, self._reducer.tests, seconds, partial(self._text, best))
        )

    def result(self, ended: str, before: int) -> Minimized:
        """The best, as its replay writes it where that shows the same."""
        reducer = self._reducer
        best = self._predicate.polished(self._text(reducer.best))
        return Minimized(
            best,
            self._predicate.key,
            before,
            len(reducer.best),
            reducer.tests,
            self._predicate.tests,
            reducer.repeated,
            time.monotonic() - self._start,
            ended,
        )


def _script(trace: Trace) -> Script:
    """The lines of a trace, each with the ids that it returned alone."""
    return tuple(
        replace(line, results=[r for r in line.results if r[0] == "return"][:1], number=0)
        for line in trace.lines
    )


def _header(trace: Trace) -> str:
    """The rows of the header that say what a replay needs."""
    return "".join(f"# {key} {trace.header[key]}\n" for key in _KEPT_HEADER if key in trace.header)
