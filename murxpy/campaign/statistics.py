"""Sums of a campaign: the counters of all runs, what each worker does, the buckets, and the figures
drawn from them.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from murxpy.campaign.events import (
    Alike,
    Event,
    Found,
    Overstayed,
    Reproduced,
    RunEnded,
    Tier,
    WorkerLost,
)

WorkerState = Literal["starting", "running", "confirming", "waiting"]

# what is counted of a mutation fuzzer's mutants
YIELD = ("made", "accepted", "decided", "unknown", "timeouts", "findings")
RECENT = 10.0  # seconds over which the present rates are taken


@dataclass(frozen=True, slots=True)
class WorkerView:
    """What one worker does: runs done, the run in hand (None: none) and when it entered this state."""

    worker: int
    target: str
    runs: int = 0
    seed: int | None = None
    state: WorkerState = "starting"
    since: float = 0.0


@dataclass(frozen=True, slots=True)
class BucketView:
    """One defect as seen by this campaign; `seed` and `lines` are those of its smallest trace,
    `first` when it came.

    `trace` is the path of the trace kept for it, under the output folder; empty when none is kept
    (known bugs). `same` is the key of an earlier bucket that is probably the same defect, empty
    where there is none.
    """

    key: str
    kind: str
    tier: Tier
    severity: str
    solver: str
    version: str
    message: str
    new: bool
    known: bool
    confirmed: bool
    count: int
    seed: int
    lines: int
    first: float
    trace: str = ""
    same: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The figures of a campaign at one moment, `elapsed` seconds after it began.

    Rates are per second of the wall time in which there were runs: up to the grace for what was
    found last, and for the judges.
    """

    elapsed: float
    counts: Mapping[str, int]
    workers: tuple[WorkerView, ...] = ()
    buckets: tuple[BucketView, ...] = ()
    overstayed: int = 0
    lost: int = 0
    recent_runs: float = 0.0
    recent_decided: float = 0.0
    runs_ended: float | None = None  # seconds from the start to the grace, once it has come

    @property
    def running(self) -> float:
        """Seconds in which there were runs."""
        return self.elapsed if self.runs_ended is None else min(self.elapsed, self.runs_ended)

    def part(self, prefix: str) -> dict[str, int]:
        """The counters whose name begins with `prefix`, by the rest of their name, sorted."""
        return {
            name[len(prefix) :]: n
            for name, n in sorted(self.counts.items())
            if name.startswith(prefix)
        }

    @property
    def runs(self) -> int:
        """Runs that ended, by themselves or from outside."""
        return self.counts.get("run:total", 0)

    @property
    def decided(self) -> int:
        """Checks answered sat or unsat with something asserted, once for each distinct set."""
        return self.counts.get("check:decided", 0)

    @property
    def runs_per_second(self) -> float:
        """Mean since the start."""
        return self.runs / self.running if self.running > 0 else 0.0

    @property
    def decided_per_second(self) -> float:
        """Mean since the start."""
        return self.decided / self.running if self.running > 0 else 0.0

    @property
    def solver_share(self) -> float | None:
        """Share of the time of all runs that was spent in solver and binding, from 0 to 1; None
        before the first.
        """
        total = self.counts.get("time-ns:run", 0)
        return min(1.0, self.counts.get("time-ns:solver", 0) / total) if total else None

    @property
    def answers(self) -> dict[str, int]:
        """Checks by answer: `sat`, `unsat`, `unknown`, `over-limit`, in this order."""
        return {
            name: self.counts.get(f"answer:{name}", 0)
            for name in ("sat", "unsat", "unknown", "over-limit")
        }

    @property
    def refusals(self) -> dict[str, int]:
        """Refused calls by class: the four classes always, in this order."""
        classes = ("unsupported", "resources", "ill-formed", "undocumented")
        return {name: self.counts.get(f"refusal:{name}", 0) for name in classes}

    @property
    def mutants(self) -> dict[str, int]:
        """Of each mutation fuzzer what it made and what came of that, as `opfuzz-made`; nothing
        where none runs.
        """
        counts = self.part("mutator:")
        names = dict.fromkeys(key.partition(":")[0] for key in counts)
        return {
            f"{name}-{word}": counts.get(f"{name}:{word}", 0) for name in names for word in YIELD
        }

    @property
    def judged(self) -> dict[str, int]:
        """Checks by what judges said to them: `agreed`, `disagreed`, `undecided`; `lost` runs of
        theirs. Nothing without judges.
        """
        checks, decided, agreed, lost = (
            self.counts.get(f"judge:{name}", 0) for name in ("checks", "decided", "agreed", "lost")
        )
        if not self.counts.get("judge:runs"):
            return {}
        return {
            "agreed": agreed,
            "disagreed": decided - agreed,
            "undecided": checks - decided,
            "lost": lost,
        }

    @property
    def confirmed_share(self) -> float | None:
        """Share of the decided checks of judged runs that some judge answered in the same way, and
        none in the other; None without one.
        """
        judged = self.counts.get("check:judged", 0)
        return self.counts.get("check:confirmed", 0) / judged if judged else None

    @property
    def judges_share(self) -> float | None:
        """Share of the judges in the time of runs and judges together; None where no judge has
        answered.
        """
        judges = self.counts.get("judge:time-ns:run", 0)
        return judges / (judges + self.counts.get("time-ns:run", 0)) if judges else None

    @property
    def findings(self) -> int:
        """Findings of this campaign, all buckets together."""
        return sum(bucket.count for bucket in self.buckets)

    @property
    def new_buckets(self) -> tuple[BucketView, ...]:
        """Buckets that this campaign opened, that are not known to the user and not the same as an
        earlier one, oldest first.
        """
        return tuple(
            bucket for bucket in self.buckets if bucket.new and not bucket.known and not bucket.same
        )

    @property
    def since_new(self) -> float | None:
        """Seconds since the last new bucket; None when there was none."""
        firsts = [bucket.first for bucket in self.new_buckets]
        return max(0.0, self.elapsed - max(firsts)) if firsts else None


class Statistics:
    """Sums events. The caller gives all times, in seconds since the campaign began; nothing here
    reads a clock.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._workers: dict[int, WorkerView] = {}
        self._buckets: dict[str, BucketView] = {}
        self._same: dict[str, str] = {}
        self._overstayed = 0
        self._lost = 0
        self._runs_ended: float | None = None
        self._history: deque[tuple[float, int, int]] = deque([(0.0, 0, 0)])

    def worker(
        self, worker: int, target: str, state: WorkerState, seed: int | None, now: float
    ) -> None:
        """Worker `worker` of `target` is in `state` since `now`, on the run of `seed` (None: on
        none).
        """
        view = self._workers.get(worker) or WorkerView(worker, target)
        self._workers[worker] = replace(view, target=target, state=state, seed=seed, since=now)

    def end_runs(self, now: float) -> None:
        """There are no more runs from `now` on."""
        self._runs_ended = now

    def not_begun(self, worker: int, seed: int) -> None:
        """The run of `seed` that `worker` was given was not begun."""
        view = self._workers.get(worker)
        if view is not None and view.seed == seed:
            self._workers[worker] = replace(view, seed=None, state="waiting")

    def add(self, event: Event, now: float) -> None:
        """Count `event`, which happened at `now`. Events without figures of their own are passed
        over.
        """
        if isinstance(event, RunEnded):
            self.counts.update(event.report["counts"])
            self._run_over(event.worker, now)
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

    def _unreported_run(self, worker: int, now: float) -> None:
        """Count the run that was under way, if any: it ended without a report of its own."""
        view = self._workers.get(worker)
        if view is not None and view.state == "running" and view.seed is not None:
            self.counts["run:total"] += 1
            self._run_over(worker, now)

    def _run_over(self, worker: int, now: float) -> None:
        view = self._workers.get(worker) or WorkerView(worker, "")
        self._workers[worker] = replace(
            view, runs=view.runs + 1, seed=None, state="waiting", since=now
        )

    def _found(self, event: Found, now: float) -> None:
        found = event.finding
        old = self._buckets.get(event.bucket)
        if old is None:
            self._buckets[event.bucket] = BucketView(
                event.bucket,
                found.kind,
                found.tier,
                found.severity,
                found.solver,
                found.version,
                found.message,
                event.new,
                event.known,
                found.confirmed,
                1,
                found.seed,
                found.lines,
                now,
                event.trace,
            )
            return
        smaller = (
            replace(old, seed=found.seed, lines=found.lines) if found.lines < old.lines else old
        )
        self._buckets[event.bucket] = replace(
            smaller,
            count=old.count + 1,
            known=old.known or event.known,
            confirmed=old.confirmed or found.confirmed,
            trace=event.trace or old.trace,
        )

    def snapshot(self, now: float) -> Snapshot:
        """The figures at `now`, a copy that later events do not change."""
        past, runs, decided = self._mark(now)
        span = max(now - past, 1e-9)
        return Snapshot(
            elapsed=now,
            counts=MappingProxyType(dict(self.counts)),
            workers=tuple(self._workers[worker] for worker in sorted(self._workers)),
            buckets=tuple(
                replace(view, same=self._same.get(key, "")) for key, view in self._buckets.items()
            ),
            overstayed=self._overstayed,
            lost=self._lost,
            recent_runs=(self.counts["run:total"] - runs) / span,
            recent_decided=(self.counts["check:decided"] - decided) / span,
            runs_ended=self._runs_ended,
        )

    def _mark(self, now: float) -> tuple[float, int, int]:
        """Note the sums at `now`; give those at the beginning of the recent span."""
        self._history.append((now, self.counts["run:total"], self.counts["check:decided"]))
        while len(self._history) > 1 and self._history[1][0] <= now - RECENT:
            self._history.popleft()
        return self._history[0]
