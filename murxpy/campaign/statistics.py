"""The sums of a campaign: the counters of all runs, the state of each worker, the buckets, and the
figures drawn from them.
"""

from __future__ import annotations

import re
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from murxpy.data.spellings import written
from murxpy.findings.store import read_callables, read_counters
from murxpy.records import events
from murxpy.records.events import (
    Alike,
    Event,
    Found,
    Overstayed,
    Reproduced,
    RunEnded,
    RunsEnded,
    WorkerLost,
)
from murxpy.records.snapshot import BucketView, Left, NodeView, Snapshot, WorkerState, WorkerView
from murxpy.records.yields import fruitless
from murxpy.solvers.wrapper import SECTIONS

RECENT = 10.0  # seconds over which the recent rates are taken


def operators_of(abouts: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The operators that at least one target draws from, by theory. `abouts` has what the session of
    each target says of its solver.
    """
    merged: dict[str, dict[str, None]] = {}
    for about in abouts:
        for theory, kinds in about.get("operators", {}).items():
            merged.setdefault(theory, {}).update(dict.fromkeys(kinds))
    return {theory: list(kinds) for theory, kinds in merged.items()}


_NAMED = re.compile(r"\b([A-Za-z_]\w*)\(|\.([A-Za-z_]\w*)\b")
_LISTED = re.compile(r"\"([A-Za-z_]\w*)\"")  # in tables of helpers, which are called by their names


def callables_of(wrapper: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, Any]:
    """The public callables of a target's binding as the store keeps them: for each, in `spelled`, the
    counters of the spellings whose templates have its name before a parenthesis or behind a point, and an
    empty name where a helper has it so or between quotation marks; and in `skipped`, by reason, how many
    are never called. `about` is what the session says of the solver.
    """
    by_name: dict[str, dict[str, None]] = {}
    named = [(one.counter, one.template, _NAMED) for one in written(wrapper, SECTIONS)]
    helpers = [text for _, text in wrapper.get("helpers_sources") or ()]
    named += [("", text, how) for text in helpers for how in (_NAMED, _LISTED)]
    for counter, text, how in named:
        for found in how.finditer(text):
            name = found.group(found.lastindex or 0)
            by_name.setdefault(name, {})[counter] = None
    told = about["callables"]
    spelled = {name: list(by_name.get(name.rpartition(".")[2], ())) for name in told["names"]}
    return {"spelled": spelled, "skipped": told["skipped"]}


@dataclass(frozen=True)
class Reach:
    """Public callables of a binding, by what called them: walks, contract mode alone, or nothing, of
    which `skipped` has those that are never called, by reason.

    A callable counts as called by walks where a spelling that a run used, or a helper, names it. What
    the binding calls inside itself does not count. A method that several classes share counts for
    each of them, so the share of walks is an upper bound.
    """

    walks: list[str]
    contract: list[str]
    unreached: list[str]
    skipped: dict[str, int]

    @property
    def total(self) -> int:
        """All public callables."""
        called = len(self.walks) + len(self.contract)
        return called + len(self.unreached) + sum(self.skipped.values())


def reach(callables: Mapping[str, Any], counters: Mapping[str, int]) -> Reach:
    """What runs with these counters reach of a binding. `callables` is what `callables_of` gives."""
    broken = {name.split(":", 2)[2] for name in counters if name.startswith("callable:")}
    walks, contract, unreached = list[str](), list[str](), list[str]()
    for name, spellings in callables["spelled"].items():
        if any(not counter or counters.get(counter) for counter in spellings):
            walks.append(name)
        else:
            (contract if name in broken else unreached).append(name)
    return Reach(walks, contract, unreached, dict(callables["skipped"]))


def reaches(folder: Path) -> dict[str, Reach]:
    """What the runs of the campaign in `folder` reach of each target's binding; empty for a folder of
    an earlier release. Raises InputError when no campaign is there.
    """
    counters = read_counters(folder)
    return {name: reach(found, counters) for name, found in read_callables(folder).items()}


class Statistics:
    """Sums events. The caller gives all times, in seconds since the campaign began; this class
    reads no clock.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._workers: dict[int, WorkerView] = {}
        self._buckets: dict[str, BucketView] = {}
        self._same: dict[str, str] = {}
        self._overstayed = 0
        self._lost = 0
        self.runs_ended: float | None = None
        self.nodes: tuple[NodeView, ...] = ()
        self._history: deque[tuple[float, int, int]] = deque([(0.0, 0, 0)])

    def worker(
        self, worker: int, target: str, state: WorkerState, seed: int | None, now: float
    ) -> None:
        """Note that worker `worker` of `target` is in `state` since `now`, with the run of `seed`
        (None: with no run).
        """
        view = self._workers.get(worker)
        runs = 0 if view is None else view.runs
        self._workers[worker] = WorkerView(worker, target, runs, seed, state, now)

    def spent(self, counts: Mapping[str, int]) -> None:
        """Note the time of all processors that the parts of the campaign took until now."""
        for name, count in counts.items():
            self.counts[name] = count

    def end_runs(self, now: float) -> None:
        """Note that no more runs are made from `now` on."""
        self.runs_ended = now

    def not_begun(self, worker: int, seed: int) -> None:
        """Note that `worker` was given the run of `seed` and did not begin it."""
        view = self._workers.get(worker)
        if view is not None and view.seed == seed:
            self._workers[worker] = replace(view, seed=None, state="waiting")

    def add(self, event: Event, now: float) -> None:
        """Count `event`, which happened at `now`. Events without figures of their own do
        nothing.
        """
        if isinstance(event, RunEnded):
            self.counts.update(event.report["counts"])
            self._run_over(event.worker, now)
        elif isinstance(event, RunsEnded):
            self.counts.update(event.counts)
            self._run_over(event.worker, now, event.runs)
        elif isinstance(event, Overstayed):
            self._overstayed += 1
            self._unreported_run(event.worker, now)
        elif isinstance(event, WorkerLost):
            self._lost += 1
            self._unreported_run(event.worker, now)
        elif isinstance(event, Found):
            self._found(event, now)
        elif isinstance(event, Reproduced):
            old = self._buckets.get(event.bucket)
            if old is not None and event.tier is not None:
                self._buckets[event.bucket] = replace(old, tier=event.tier)
        elif isinstance(event, Alike):
            self._same[event.bucket] = event.same
            if event.bucket in self._buckets:
                old = self._buckets[event.bucket]
                self._buckets[event.bucket] = replace(old, same=event.same)

    def _unreported_run(self, worker: int, now: float) -> None:
        """If the worker had a run under way, count it: it ended without a report of its own."""
        view = self._workers.get(worker)
        if view is not None and view.state == "running" and view.seed is not None:
            self.counts["run:total"] += 1
            self._run_over(worker, now)

    def _run_over(self, worker: int, now: float, runs: int = 1) -> None:
        view = self._workers.get(worker) or WorkerView(worker, "")
        self._workers[worker] = WorkerView(
            worker, view.target, view.runs + runs, None, "waiting", now
        )

    def _found(self, event: Found, now: float) -> None:
        found, verdict = event.finding, event.finding.verdict
        old = self._buckets.get(event.bucket)
        if old is None:
            self._buckets[event.bucket] = BucketView(
                event.bucket,
                verdict.kind,
                verdict.tier,
                found.severity,
                found.solver,
                found.version,
                verdict.message,
                event.new,
                event.known,
                found.confirmed,
                1,
                found.seed,
                found.lines,
                now,
                event.trace,
                self._same.get(event.bucket, ""),
                against=verdict.against,
            )
            return
        lines = found.lines
        self._buckets[event.bucket] = replace(
            old,
            seed=found.seed if lines < old.lines else old.seed,
            lines=min(lines, old.lines),
            count=old.count + 1,
            known=old.known or event.known,
            confirmed=old.confirmed or found.confirmed,
            trace=event.trace or old.trace,
        )

    def snapshot(self, now: float, left: Left | None = None) -> Snapshot:
        """The figures at `now`, in a copy that later events do not change. `left` is what is being done
        after the last run.
        """
        past, runs, decided = self._mark(now)
        span = max(now - past, 1e-9)
        return Snapshot(
            elapsed=now,
            counts=MappingProxyType(dict(self.counts)),
            workers=tuple(self._workers[worker] for worker in sorted(self._workers)),
            buckets=tuple(self._buckets.values()),
            overstayed=self._overstayed,
            lost=self._lost,
            recent_runs=(self.counts["run:total"] - runs) / span,
            recent_decided=(self.counts["check:decided"] - decided) / span,
            runs_ended=self.runs_ended,
            left=left,
            nodes=self.nodes,
        )

    def _mark(self, now: float) -> tuple[float, int, int]:
        """Note the sums at `now`, and give the sums at the beginning of the recent span."""
        self._history.append((now, self.counts["run:total"], self.counts["check:decided"]))
        while len(self._history) > 1 and self._history[1][0] <= now - RECENT:
            self._history.popleft()
        return self._history[0]


# ----------------------------------------------------------------------
# The log of a campaign: its events in order, and their sums.


class EventLog:
    """Collects events until the campaign yields them, and sums them in `statistics`. Times are
    seconds since the campaign began.
    """

    def __init__(self) -> None:
        self._events: deque[events.Event] = deque()
        self._start = time.monotonic()
        self.statistics = Statistics()

    def restart_clock(self) -> None:
        """Let the campaign begin now."""
        self._start = time.monotonic()

    @property
    def now(self) -> float:
        """The seconds since the campaign began."""
        return time.monotonic() - self._start

    @property
    def runs(self) -> int:
        """The number of runs that have ended."""
        return self.statistics.counts["run:total"]

    def emit(self, event: events.Event) -> None:
        """Append `event`."""
        self.statistics.add(event, self.now)
        self._events.append(event)

    def notice(self, text: str) -> None:
        """Append a line for the user."""
        self.emit(events.Notice(text))

    def end_runs(self, now: float, more: Iterable[str] = ()) -> None:
        """Note that there are no more runs, and tell which fuzzers made nothing worth while, and
        what `more` there is to tell.
        """
        self.statistics.end_runs(now)
        for text in (*fruitless(self.statistics.counts), *more):
            self.notice(text)

    def show(self, slot: int, target: str, state: WorkerState, seed: int | None = None) -> None:
        """Note that the process in `slot` is now in `state`, with the run of `seed` (None: with no
        run).
        """
        self.statistics.worker(slot, target, state, seed, self.now)

    def drain(self) -> Iterator[events.Event]:
        """Yield the events that were not yielded before."""
        while self._events:
            yield self._events.popleft()
