"""A campaign: runs without end on all targets, findings confirmed and counted, events for whoever
watches.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter, deque
from collections.abc import Generator, Iterator, Mapping
from functools import partial
from typing import Any

from murxpy.campaign import events, interrupts
from murxpy.campaign.breakdown import Breakdown
from murxpy.campaign.config import CampaignConfig
from murxpy.campaign.finding import Finding
from murxpy.campaign.findings.archive import Archive
from murxpy.campaign.findings.backtrace import Backtraces
from murxpy.campaign.findings.buckets import Bucket, Known
from murxpy.campaign.findings.candidates import candidate, version_of
from murxpy.campaign.findings.collector import Collector
from murxpy.campaign.findings.folder import Folder
from murxpy.campaign.findings.store import Store, TargetState
from murxpy.campaign.hangs import Hangs
from murxpy.campaign.judging.cross_check import CrossCheck, Hooks, Open
from murxpy.campaign.reduction.reproduction import Reproduction
from murxpy.campaign.runs import Runs
from murxpy.campaign.seeds import Ledger
from murxpy.campaign.statistics import Statistics
from murxpy.campaign.steering import Steering
from murxpy.campaign.workers.handles import Job, Worker
from murxpy.campaign.workers.pool import Lost, Pool, Result
from murxpy.campaign.workers.scratch import sweep
from murxpy.campaign.workers.targets import Plan
from murxpy.errors import InputError, InternalError
from murxpy.oracles.crash import Outcome
from murxpy.trace.finished import last_call

AHEAD = 2  # jobs that a worker has, so that it never waits for the next
GRACE = 20.0  # seconds after the end for confirming what was found last
_FLUSH = 1.0  # seconds between two looks for what is to be stored


class Campaign:
    """Iterate over it to run it; it yields the events of `murxpy.campaign.events`, the last of them
    `Ended`.

    Raises InputError when the output folder cannot be used, TargetError when a solver cannot.
    """

    def __init__(self, config: CampaignConfig) -> None:
        self.config = config
        self._events: deque[events.Event] = deque()
        self._stop = ""
        self._breakdown = Breakdown([plan.target.name for plan in config.targets])
        self._statistics = Statistics()
        self._start = time.monotonic()
        self._abouts: list[dict[str, Any]] = []

    def stop(self, reason: str = "interrupted") -> None:
        """End the campaign soon, in good order; may be called from a signal handler."""
        self._stop = self._stop or reason

    @property
    def buckets(self) -> list[Bucket]:
        """All buckets of the folder, oldest first."""
        return list(self._archive.buckets.values())

    @property
    def abouts(self) -> list[dict[str, Any]]:
        """What the session of each target says of its solver; empty before the first event."""
        return list(self._abouts)

    def __iter__(self) -> Generator[events.Event, None, None]:
        names = [plan.target.name for plan in self.config.targets]
        if len(set(names)) < len(names):
            raise InputError(
                f"each target can be named once, not {' '.join(names)}; 'murxpy fuzz --jobs' gives it more workers"
            )
        folder = Folder(self.config.out)
        try:
            store = Store(folder.path)
            try:
                self._archive = Archive(folder, store, Known(self.config.known), self._notice)
                yield from self._supervise(store)
            finally:
                store.close()
        finally:
            folder.close()

    def _supervise(self, store: Store) -> Iterator[events.Event]:
        sweep()
        self.seed = self._choose_seed(store)
        self._pool = Pool([*self.config.targets, *self.config.judges], self.config.limits)
        self._traces = Backtraces(lambda key, text: self._collector.framed(key, text))
        self._forms = Reproduction(self.config, self._archive, self._emit)
        try:
            with interrupts.caught(self.stop):
                if interrupts.early():
                    self.stop()
                self._prepare(store)
                try:
                    reason = yield from self._loop()
                    yield from self._finish(reason)
                except BaseException:
                    self._flush()  # what was told of is kept, whatever ends the campaign
                    raise
        finally:
            self._traces.stop()
            self._forms.queue.stop()
            self._pool.close()

    def _choose_seed(self, store: Store) -> int:
        stored = store.meta().get("seed")
        if stored is None:
            return secrets.randbits(32) if self.config.seed is None else self.config.seed
        if self.config.seed not in (None, stored):
            raise InputError(
                f"the campaign in this folder has seed {stored}, not {self.config.seed}; leave --seed out "
                "to go on with it, or choose another folder with --out",
                file=str(self.config.out),
            )
        return int(stored)

    def _prepare(self, store: Store) -> None:
        abouts = self._pool.warm()
        self._abouts = abouts[: len(self.config.targets)]
        self._families = [plan.target.family for plan in self.config.targets]
        self._names = [plan.target.name for plan in self.config.targets]
        saved = store.targets()
        self._runs = [
            self._runs_of(plan, saved.get(plan.target.name), store) for plan in self.config.targets
        ]
        self._slots: list[Worker | None] = [None] * max(self.config.jobs, len(self._names))
        self._spares: dict[int, Worker] = {}
        self._assigned: dict[int, int] = {}
        traces = self._traces if self.config.backtrace else None
        self._collector = Collector(self._pool, self._archive, traces, self._emit)
        self._damps = [self._collector.damped(family) for family in self._families]
        tried = store.meta().get("suspects", [])
        self._cross = self._cross_check(abouts) if self.config.judges else None
        self._hangs = Hangs(self._pool, self._solver, self._collector.found, tried)
        self._epoch = time.time()
        self._start = time.monotonic()
        self._flushed = self._ticked = 0.0
        self._left = Open()
        self._unkept = ""
        self._archive.note(seed=self.seed)
        self._archive.session(self._epoch, dict(self.config.arguments))
        self._begin()

    def _runs_of(self, plan: Plan, state: TargetState | None, store: Store) -> Runs:
        """The runs of a target, from where an earlier session left them. Raises InputError when no
        source has the seeds that it needs.
        """
        name = plan.target.name
        ended = {
            int(index): bucket for index, bucket in store.meta().get(f"ended:{name}", {}).items()
        }
        ledger = Ledger(
            state.next if state else 0, state.open if state else (), self.config.runs, ended
        )
        if not plan.setup.get("sources"):
            return Runs(self.seed, ledger, None)
        steering = Steering(
            self.seed,
            plan.setup["sources"],
            store.yields().get(name, ()),
            store.meta().get(f"steering:{name}"),
        )
        for source in steering.starved:
            self._notice(f"{source}: {steering.lacking(source)}; it makes no runs")
        return Runs(self.seed, ledger, steering)

    def _begin(self) -> None:
        targets = tuple(events.Target(name, *self._solver(i)) for i, name in enumerate(self._names))
        self._emit(
            events.Started(
                self._epoch,
                targets,
                str(self.config.out),
                self.seed,
                self.config.machine,
                len(self._slots),
                self.config.time,
                self.config.runs,
            )
        )
        self._collector.compare()
        self._collector.confirm_stored(
            [self._solver(i) for i in range(len(self._names))], self.config.limits.wall
        )

    def _cross_check(self, abouts: list[dict[str, Any]]) -> CrossCheck:
        def done(target: int, index: int) -> None:
            self._runs[target].done(index)

        def triaged(found: Finding) -> None:
            runs, job = self._runs[found.target], found.job
            self._collector.found(found)
            self._credit(runs, found)
            self._count(runs.ended_badly(job.index, job.seed, "findings"))

        releases = [
            (plan.target.family, version_of(about))
            for plan, about in zip(self._pool.plans, abouts, strict=True)
        ]
        hooks = Hooks(done, triaged, self._count, lambda: self.buckets)
        return CrossCheck(self._pool, len(self._names), releases, len(self._slots), hooks)

    def _count(self, counts: Mapping[str, int]) -> None:
        self._archive.add(Counter(counts))
        self._statistics.counts.update(counts)

    def _solver(self, target: int) -> tuple[str, str]:
        return self._families[target], version_of(self._abouts[target])

    def _now(self) -> float:
        return time.monotonic() - self._start

    def _emit(self, event: events.Event) -> None:
        self._statistics.add(event, self._now())
        self._events.append(event)

    def _notice(self, text: str) -> None:
        self._emit(events.Notice(text))

    # The loop.

    def _loop(self) -> Generator[events.Event, None, str]:
        self._flush()
        while not (reason := self._reason()):
            with self._breakdown.watch(self._statistics.counts["run:total"]):
                self._feed()
                self._step()
            yield from self._drain()
        return reason

    def _step(self) -> None:
        for event in self._pool.step(0.05):
            taken = self._cross is not None and self._cross.take(event)
            if not (taken or self._collector.lane.take(event) or self._hangs.lane.take(event)):
                if isinstance(event, Result):
                    self._ended(event)
                else:
                    self._lost(event)
        self._traces.poll()
        now = self._now()
        self._forms.queue.poll(len(self._slots) * now)
        if self._collector.urgent or now - self._flushed >= _FLUSH:
            self._forms.look()
            self._flush()
        if now - self._ticked >= self.config.tick:
            self._ticked = now
            self._emit(events.Tick(now, self._statistics.snapshot(now)))

    def _drain(self) -> Iterator[events.Event]:
        while self._events:
            yield self._events.popleft()

    def _reason(self) -> str:
        if self._stop or self._breakdown.reason:
            return self._stop or self._breakdown.reason
        if self.config.time is not None and self._now() >= self.config.time:
            return "time limit"
        if self.config.first and self._exit_code() == 1:
            return "first finding"
        done = all(runs.exhausted for runs in self._runs) and not self._collector.lane.busy
        done = done and (self._cross is None or not self._cross.busy)
        if not done:
            return ""
        return "all seeds used up" if all(runs.used_up for runs in self._runs) else "all runs done"

    def _finish(self, reason: str) -> Iterator[events.Event]:
        """Confirm what was found last, store all, and say the end."""
        self._stop = "" if self._stop == reason else self._stop
        now = self._now()
        self._statistics.end_runs(now)
        for slot, worker in enumerate(self._slots):
            if worker is not None:
                worker.kill("stopped")
                self._statistics.worker(
                    slot, self._names[slot % len(self._names)], "confirming", None, now
                )
        self._hangs.lane.clear()
        self._forms.hurry()
        deadline = time.monotonic() + self._grace(reason)
        with interrupts.caught(self.stop):  # now a signal ends only the wait
            while (
                self._unsettled(now)
                and time.monotonic() < deadline
                and not (self._stop or self._breakdown.unusable)
            ):
                with self._breakdown.watch(self._statistics.counts["run:total"]):
                    self._collector.lane.feed()
                    if self._cross is not None:
                        self._cross.feed()
                    self._step()
                yield from self._drain()
                if self.config.minimize and not self._collector.lane.busy and not self._judging:
                    deadline = self._start + now + max(GRACE, now)
        self._left = self._cross.close() if self._cross is not None else Open()
        if self._left.words():
            self._notice(f"left for the next session in this folder: {self._left.words()}")
        now = self._now()
        self._archive.session(self._epoch, dict(self.config.arguments), time.time(), reason)
        self._flush()
        self._unkept = self._archive.unkept()
        if self._unkept:
            self._notice(self._unkept)
        seeds = {
            name: runs.yields()
            for name, runs in zip(self._names, self._runs, strict=True)
            if runs.steering is not None
        }
        left = (self._left.runs, self._left.disagreements)
        self._emit(
            events.Ended(
                reason,
                self._statistics.snapshot(now),
                self._exit_code(),
                seeds,
                *left,
                self._unkept,
            )
        )
        yield from self._drain()

    def _grace(self, reason: str) -> float:
        """Seconds for what was found last, and for the judges. Ctrl-C leaves nothing but judges
        time, and a second Ctrl-C ends that.
        """
        if self._cross is None:
            return 0.0 if reason == "interrupted" else GRACE
        self._cross.hasten()
        if reason == "first finding":
            self._cross.close_jury()
        if self._cross.open.words():
            self._notice(
                f"{self._cross.open.words()}, for at most {GRACE:g} s; Ctrl-C leaves it to the next session"
            )
        elif reason == "interrupted":
            return 0.0
        return GRACE

    @property
    def _judging(self) -> bool:
        return self._cross is not None and self._cross.busy

    def _unsettled(self, ended: float) -> bool:
        """Whether something is still to be told of what was found until `ended`."""
        busy = self._collector.lane.busy or self._traces.busy or self._forms.queue.busy
        return busy or self._judging or self._flushed <= ended

    def _exit_code(self) -> int:
        if self._unkept and not self._breakdown.exit_code:
            return InternalError.exit_code
        if self._breakdown.exit_code:
            return self._breakdown.exit_code
        if self._collector.fails(self.config.fail_on) or self._left.disagreements > 0:
            return 1
        return InternalError.exit_code if self._collector.broken else 0

    # Work for the workers.

    def _feed(self) -> None:
        for slot, worker in enumerate(self._slots):
            target = slot % len(self._names)
            if worker is None:
                if self._runs[target].exhausted:
                    continue
                worker = self._hire(slot, target)
            while (
                not self._held
                and len(worker.jobs) < AHEAD
                and self._assigned[worker.number] < self.config.limits.recycle
            ):
                if not self._assign(worker, target):
                    break
        if self._cross is not None:
            self._cross.feed()
        self._collector.lane.feed()
        self._hangs.feed(len(self._slots) * max(self.config.time or 0.0, self._now()))

    @property
    def _held(self) -> bool:
        """Whether the targets wait for their judges."""
        return self._cross is not None and self._cross.full

    def _hire(self, slot: int, target: int) -> Worker:
        """A worker for `slot`: the spare one, so that nobody waits for a fork; and a new spare one."""
        worker = self._spares.pop(target, None) or self._pool.spawn(target)
        worker.slot = slot
        self._slots[slot] = worker
        self._assigned[worker.number] = 0
        self._spares[target] = self._pool.spawn(target)
        self._statistics.worker(slot, self._names[target], "starting", None, self._now())
        return worker

    def _assign(self, worker: Worker, target: int) -> bool:
        taken = self._runs[target].take()
        if taken is None:
            return False
        index, seed = taken
        damp = self._damps[target] if self.config.damp else ()
        job = Job(
            self._pool.job_number(),
            seed,
            self.config.limits.wall,
            index,
            damp=damp,
            keep="decided" if self._cross is not None else False,
            by_line=self.config.limits.by_line,
        )
        self._pool.assign(worker, job)
        self._assigned[worker.number] += 1
        if len(worker.jobs) == 1:
            self._show(worker)
        return True

    def _show(self, worker: Worker) -> None:
        seed = worker.jobs[0].seed if worker.jobs else None
        target = self._names[worker.slot % len(self._names)]
        self._statistics.worker(
            worker.slot, target, "waiting" if seed is None else "running", seed, self._now()
        )

    # What came of it.

    def _ended(self, result: Result) -> None:
        worker, outcome = result.worker, result.outcome
        target = worker.slot % len(self._names)
        before = None if outcome.after else self._runs[target].counted(result.job.index)
        # else it ended in an earlier session, and only what its judges say is missing
        first = before is None
        # several jobs may have ended since this one began
        if first and outcome.report is None and not outcome.after:
            self._statistics.worker(
                worker.slot, self._names[target], "running", result.job.seed, self._now()
            )
        if outcome.report is not None:
            self._reported(worker, result.job, outcome, first)
        elif first and outcome.cause in ("wall", "cpu"):
            call = last_call(outcome.trace)
            self._emit(events.Overstayed(worker.slot, result.job.seed, call.action, call.operator))
            self._count(
                self._runs[target].ended_badly(result.job.index, result.job.seed, "timeouts")
            )
            self._hangs.suspect(result, target)
        found = candidate(target, *self._solver(target), result.job, result.past, outcome)
        doubtful = found is not None and found.verdict.doubtful
        # the event of the lost worker tells the statistics
        if first and outcome.report is None and not (outcome.after or doubtful):
            self._archive.add(Counter({"run:total": 1}))
        if found is None or found.bucket == before:
            self._over(target, result.job, outcome, before or "")
        elif found.verdict.doubtful:
            # it may run again
            self._statistics.worker(worker.slot, self._names[target], "waiting", None, self._now())
            self._collector.doubt(found, partial(self._run_over, target, result))
        else:
            self._found(target, found, outcome)
            self._damps[target] = self._collector.damped(self._families[target])
            if not outcome.after:
                self._over(target, result.job, outcome, found.bucket)  # what it answered before
        internal = found is not None and found.verdict.kind == "internal"
        self._breakdown.run_ended(
            target, internal, self._trace_of(found.bucket) if found is not None and internal else ""
        )

    def _trace_of(self, key: str) -> str:
        kept = self._archive.buckets[key].smallest()
        return str(self.config.out / (kept.file if kept else "findings"))

    def _found(self, target: int, found: Finding, outcome: Outcome) -> None:
        runs, job = self._runs[target], found.job
        self._collector.found(found)
        self._credit(runs, found)
        if outcome.report is None:
            self._count(runs.ended_badly(job.index, job.seed, "findings"))

    def _credit(self, runs: Runs, found: Finding) -> None:
        """What the user knows already pays nothing, nor does a fault of ours."""
        pays = not self._archive.buckets[found.bucket].known and found.verdict.tier != "murxpy"
        runs.found(found.job.index, found.bucket if pays else "")

    def _over(self, target: int, job: Job, outcome: Outcome, bucket: str) -> None:
        """A run ended and was counted, also what was found in it, of `bucket`: it is done when
        judges have answered its checks.
        """
        if self._cross is None:
            self._runs[target].done(job.index)
        else:
            self._runs[target].ended(job.index, bucket)
            self._cross.run_ended(target, job, outcome)

    def _run_over(self, target: int, result: Result, over: bool) -> None:
        """It is known whether `result`, which may come from outside, must be done again."""
        if result.outcome.after:  # the run had ended before
            return
        if over:
            self._count({"run:total": 1})
            self._runs[target].done(result.job.index)
        else:
            self._runs[target].give_back(result.job.index)

    def _reported(self, worker: Worker, job: Job, outcome: Outcome, first: bool) -> None:
        report = dict(outcome.report or {})
        report["counts"] = {"run:total": 1, **report.get("counts", {})} if first else {}
        self._archive.add(Counter(report["counts"]))
        self._runs[worker.slot % len(self._names)].count(job.index, report["counts"])
        self._emit(events.RunEnded(worker.slot, job.seed, report))
        if self._assigned[worker.number] >= self.config.limits.recycle and not worker.jobs:
            self._pool.stop(worker)
            self._slots[worker.slot] = None  # its successor need not wait for its end
        self._show(worker)

    def _lost(self, lost: Lost) -> None:
        worker = lost.worker
        if worker.slot < 0:
            self._spares = {
                target: spare for target, spare in self._spares.items() if spare is not worker
            }
            return
        target = worker.slot % len(self._names)
        for job in lost.unstarted:
            self._runs[target].give_back(job.index)
            self._statistics.not_begun(worker.slot, job.seed)
        if self._slots[worker.slot] is worker:
            self._slots[worker.slot] = None
        self._assigned.pop(worker.number, None)
        if lost.reason:
            self._archive.add(Counter({"worker:lost": 1}))
            self._emit(events.WorkerLost(worker.slot, lost.reason))

    # The store.

    def _flush(self) -> None:
        states = [
            TargetState(name, *self._solver(i), runs.ledger.next, tuple(runs.ledger.open()))
            for i, (name, runs) in enumerate(zip(self._names, self._runs, strict=True))
        ]
        for name, runs in zip(self._names, self._runs, strict=True):
            if runs.steering is not None:
                self._archive.steered(name, runs.steering)
            self._archive.note(**{f"ended:{name}": dict(runs.ledger.ended)})
        self._archive.note(suspects=list(self._hangs.tried))
        self._collector.urgent = False
        self._flushed = self._now()
        self._archive.flush(states)
