"""A campaign: runs without end on all targets, findings confirmed and counted, events for whoever watches."""

from __future__ import annotations

import secrets
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from types import FrameType
from typing import Any

from murxpy.campaign import events
from murxpy.campaign.backtrace import Backtraces
from murxpy.campaign.book import Book
from murxpy.campaign.buckets import Bucket, Known, failing
from murxpy.campaign.config import CampaignConfig
from murxpy.campaign.confirm import Confirmation
from murxpy.campaign.findings import Candidate, Proof, candidate, finding, version_of
from murxpy.campaign.folder import Folder
from murxpy.campaign.hangs import Hangs
from murxpy.campaign.handles import Damp, Job, Worker
from murxpy.campaign.pool import Lost, Pool, Result
from murxpy.campaign.seeds import Ledger, run_seed
from murxpy.campaign.statistics import Statistics
from murxpy.campaign.store import Store, TargetState
from murxpy.campaign.trials import Lane
from murxpy.errors import InputError
from murxpy.oracles.crash import Call, Outcome, Verdict, last_call

AHEAD = 2  # jobs that a worker has, so that it never waits for the next
GRACE = 20.0  # seconds after the end for confirming what was found last
_FLUSH = 1.0  # seconds between two looks for what is to be stored
_DAMPED = 200  # calls in the list of what is drawn less often
_NATIVE = ("crash", "abort")  # kinds with native frames


class Campaign:
    """Iterate over it to run it; it yields the events of `murxpy.campaign.events`, the last of them `Ended`.

    Raises InputError when the output folder cannot be used, TargetError when a solver cannot.
    """

    def __init__(self, config: CampaignConfig) -> None:
        self.config = config
        self._events: deque[events.Event] = deque()
        self._stop = ""
        self._statistics = Statistics()
        self._start = time.monotonic()

    def stop(self, reason: str = "interrupted") -> None:
        """End the campaign soon, in good order; may be called from a signal handler."""
        self._stop = self._stop or reason

    @property
    def buckets(self) -> list[Bucket]:
        """All buckets of the folder, oldest first."""
        return list(self._book.buckets.values())

    def damped(self, family: str) -> Damp:
        """The fatal calls (action, operator, spelling) of the buckets of `family`: to be drawn less often."""
        calls = {(b.action, b.operator, b.spelling): None for b in self._book.buckets.values()
                 if b.solver == family and b.action}  # fmt: skip
        return tuple(sorted(calls)[:_DAMPED])

    def __iter__(self) -> Iterator[events.Event]:
        folder = Folder(self.config.out)
        try:
            store = Store(folder.path)
            try:
                self._book = Book(folder, store, Known(self.config.known), self._notice)
                yield from self._supervise(store)
            finally:
                store.close()
        finally:
            folder.close()

    def _supervise(self, store: Store) -> Iterator[events.Event]:
        self.seed = self._choose_seed(store)
        self._pool = Pool(self.config.targets, self.config.limits)
        self._traces = Backtraces(self._book.set_backtrace)
        handlers = self._catch_signals()
        try:
            self._prepare(store)
            reason = yield from self._loop()
            yield from self._finish(reason)
        finally:
            self._traces.stop()
            self._pool.close()
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def _choose_seed(self, store: Store) -> int:
        stored = store.meta().get("seed")
        if stored is None:
            return secrets.randbits(32) if self.config.seed is None else self.config.seed
        if self.config.seed not in (None, stored):
            raise InputError(f"the campaign in this folder has seed {stored}, not {self.config.seed}; leave --seed out to go "
                             "on with it, or choose another folder with --out", file=str(self.config.out))  # fmt: skip
        return int(stored)

    def _catch_signals(self) -> dict[signal.Signals, Any]:
        if threading.current_thread() is not threading.main_thread():
            return {}

        def caught(number: int, frame: FrameType | None) -> None:
            self.stop()
            signal.signal(number, signal.default_int_handler)  # the second one does not wait

        return {number: signal.signal(number, caught) for number in (signal.SIGINT, signal.SIGTERM)}

    def _prepare(self, store: Store) -> None:
        self._abouts = self._pool.warm()
        self._families = [plan.target.family for plan in self.config.targets]
        self._names = [plan.target.name for plan in self.config.targets]
        saved = store.targets()
        self._ledgers = []
        for name in self._names:
            state = saved.get(name)
            self._ledgers.append(Ledger(state.next, state.open, self.config.runs) if state else Ledger(limit=self.config.runs))
        self._slots: list[Worker | None] = [None] * max(self.config.jobs, len(self._names))
        self._assigned: dict[int, int] = {}
        self._lane = Lane(self._pool)
        tried = store.meta().get("suspects", [])
        self._hangs = Hangs(self._pool, self._solver, self._hung, tried)
        self._opened: dict[str, None] = {}
        self._waiting: dict[str, list[Candidate]] = {}
        self._again: dict[tuple[int, int], int] = {}
        self._damps = [self.damped(family) for family in self._families]
        self._epoch = time.time()
        self._start = time.monotonic()
        self._flushed = self._ticked = 0.0
        self._urgent = False
        self._book.note(seed=self.seed)
        self._book.session(self._epoch, dict(self.config.arguments))
        self._begin()

    def _begin(self) -> None:
        targets = tuple(events.Target(name, *self._solver(i)) for i, name in enumerate(self._names))
        self._emit(events.Started(self._epoch, targets, str(self.config.out), self.seed, self.config.machine,
                                  len(self._slots), self.config.time, self.config.runs))  # fmt: skip
        for bucket in list(self._book.buckets.values()):
            if bucket.state == "pending":
                self._confirm_stored(bucket)

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

    def _loop(self) -> Iterator[events.Event]:
        self._flush()
        while not (reason := self._reason()):
            self._feed()
            self._step()
            yield from self._drain()
        return reason

    def _step(self) -> None:
        for event in self._pool.step(0.05):
            if not (self._lane.take(event) or self._hangs.lane.take(event)):
                if isinstance(event, Result):
                    self._ended(event)
                else:
                    self._lost(event)
        self._traces.poll()
        now = self._now()
        if self._urgent or now - self._flushed >= _FLUSH:
            self._flush()
        if now - self._ticked >= self.config.tick:
            self._ticked = now
            self._emit(events.Tick(now, self._statistics.snapshot(now)))

    def _drain(self) -> Iterator[events.Event]:
        while self._events:
            yield self._events.popleft()

    def _reason(self) -> str:
        if self._stop:
            return self._stop
        if self.config.time is not None and self._now() >= self.config.time:
            return "time limit"
        if self.config.first and self._exit_code():
            return "first finding"
        done = all(ledger.exhausted for ledger in self._ledgers) and not self._lane.busy
        return "all runs done" if done else ""

    def _finish(self, reason: str) -> Iterator[events.Event]:
        """Confirm what was found last, store all, and say the end."""
        self._stop = "" if self._stop == reason else self._stop
        for worker in filter(None, self._slots):
            worker.kill("stopped")
        self._hangs.lane.clear()
        deadline = time.monotonic() + (0.0 if reason == "interrupted" else GRACE)
        while (self._lane.busy or self._traces.busy) and time.monotonic() < deadline and not self._stop:
            self._lane.feed()
            self._step()
            yield from self._drain()
        now = self._now()
        self._book.session(self._epoch, dict(self.config.arguments), time.time(), reason)
        self._flush()
        self._emit(events.Ended(reason, self._statistics.snapshot(now), self._exit_code()))
        yield from self._drain()

    def _exit_code(self) -> int:
        opened = [self._book.buckets[key] for key in self._opened]
        return int(any(failing(bucket, self.config.fail_on) for bucket in opened))

    # Work for the workers.

    def _feed(self) -> None:
        for slot, worker in enumerate(self._slots):
            target = slot % len(self._names)
            if worker is None:
                if self._ledgers[target].exhausted:
                    continue
                worker = self._slots[slot] = self._pool.spawn(target, slot)
                self._assigned[worker.number] = 0
                self._statistics.worker(slot, self._names[target], "starting", None, self._now())
            while len(worker.jobs) < AHEAD and self._assigned[worker.number] < self.config.limits.recycle:
                if not self._assign(worker, target):
                    break
        self._lane.feed()
        self._hangs.feed(len(self._slots) * max(self.config.time or 0.0, self._now()))

    def _assign(self, worker: Worker, target: int) -> bool:
        index = self._ledgers[target].take()
        if index is None:
            return False
        damp = self._damps[target] if self.config.damp else ()
        job = Job(self._pool.job_number(), run_seed(self.seed, index), self.config.limits.wall, index, damp=damp)
        self._pool.assign(worker, job)
        self._assigned[worker.number] += 1
        if len(worker.jobs) == 1:
            self._show(worker)
        return True

    def _show(self, worker: Worker) -> None:
        seed = worker.jobs[0].seed if worker.jobs else None
        target = self._names[worker.slot % len(self._names)]
        self._statistics.worker(worker.slot, target, "waiting" if seed is None else "running", seed, self._now())

    # What came of it.

    def _ended(self, result: Result) -> None:
        worker, outcome = result.worker, result.outcome
        target = worker.slot % len(self._names)
        if outcome.report is not None:
            self._reported(worker, result.job, outcome)
        elif outcome.cause in ("wall", "cpu"):
            call = last_call(outcome.trace)
            self._emit(events.Overstayed(worker.slot, result.job.seed, call.action, call.operator))
            self._hangs.suspect(result, target)
        found = candidate(target, *self._solver(target), result.job, result.past, outcome)
        if found is None:
            self._ledgers[target].done(result.job.index)
        elif found.verdict.doubtful:
            self._doubt(found)
        else:
            self._ledgers[target].done(result.job.index)
            self._found(found)

    def _reported(self, worker: Worker, job: Job, outcome: Outcome) -> None:
        report = dict(outcome.report or {})
        report["counts"] = {"run:total": 1, **report.get("counts", {})}
        self._book.add(Counter(report["counts"]))
        self._emit(events.RunEnded(worker.slot, job.seed, report))
        if self._assigned[worker.number] >= self.config.limits.recycle and not worker.jobs:
            self._pool.stop(worker)
            self._slots[worker.slot] = None  # its successor need not wait for its end
        self._show(worker)

    def _lost(self, lost: Lost) -> None:
        worker = lost.worker
        if worker.lone:
            return
        target = worker.slot % len(self._names)
        for job in lost.unstarted:
            self._ledgers[target].give_back(job.index)
        if self._slots[worker.slot] is worker:
            self._slots[worker.slot] = None
        self._assigned.pop(worker.number, None)
        if lost.reason:
            self._book.add(Counter({"worker:lost": 1}))
            self._emit(events.WorkerLost(worker.slot, lost.reason))

    def _doubt(self, found: Candidate) -> None:
        """The death may have come from outside: nothing is counted before a replay has shown it again."""

        def settled(found: Candidate, proof: Proof) -> None:
            place = (found.target, found.job.index)
            self._again[place] = self._again.get(place, 0) + 1
            if not proof.confirmed and self._again[place] < 2:
                self._ledgers[found.target].give_back(found.job.index)
                return
            self._ledgers[found.target].done(found.job.index)
            self._found(found, proof)

        Confirmation(self._pool, self._lane, found, settled)

    def _found(self, found: Candidate, proof: Proof | None = None) -> None:
        """Count `found`, confirm it when its bucket needs it, and tell of it when its bucket is settled."""
        self._urgent = True
        if self._book.count(found, self._names[found.target], time.time()):
            self._opened[found.key] = None
            self._damps = [self.damped(family) for family in self._families]
        kept = self._book.keep(found, f"-{found.target}" if found.target else "")
        state = self._book.buckets[found.key].state
        if proof is not None:
            self._settled(found, proof)
        elif kept:
            Confirmation(self._pool, self._lane, found, self._settled)
        if state != "pending":
            self._tell(found, proof or Proof(state == "confirmed"))
        elif found.key in self._waiting:
            self._waiting[found.key].append(found)
        elif proof is None:
            self._waiting[found.key] = []  # it is told of when it is settled

    def _settled(self, found: Candidate, proof: Proof) -> None:
        """A trial of `found` is over."""
        self._urgent = True
        bucket = self._book.buckets[found.key]
        first = bucket.state == "pending"
        self._book.settle(found, proof)
        if first:
            self._tell(found, proof, new=found.key in self._opened)
            for other in self._waiting.pop(found.key, []):
                self._tell(other, Proof(proof.confirmed))
        if proof.note:
            self._notice(f"{found.key}: {proof.note}")
        alone = proof.confirmed and not proof.history
        if alone and not bucket.backtrace and self.config.backtrace and bucket.kind in _NATIVE and first:
            self._traces.add(found.key, self.config.targets[found.target], found.outcome.trace)

    def _tell(self, found: Candidate, proof: Proof, *, new: bool = False) -> None:
        bucket = self._book.buckets[found.key]
        kept = bucket.smallest()
        self._emit(events.Found(found.key, new or (bucket.known and bucket.count == 1), bucket.known, finding(found, proof),
                                kept.file if kept else ""))  # fmt: skip

    def _hung(self, found: Candidate) -> None:
        """A run was seen to hang, twice: no further proof is needed."""
        self._found(found, Proof(True))

    def _confirm_stored(self, bucket: Bucket) -> None:
        """Confirm what an earlier session had no time for."""
        for kept in list(bucket.traces):
            text = self._book.pending_trace(bucket, kept)
            target = next((i for i, family in enumerate(self._families) if family == bucket.solver), None)
            if text is None or target is None or kept.confirmed is not None:
                continue
            call = Call(bucket.action, bucket.operator, bucket.spelling)
            verdict = Verdict(bucket.kind, bucket.tier, bucket.message, bucket.signal, call)
            job = Job(self._pool.job_number(), kept.seed, self.config.limits.wall)
            outcome = Outcome("died", trace=text)
            self._opened[bucket.key] = None
            found = Candidate(target, *self._solver(target), job, (), outcome, verdict, bucket.key)
            Confirmation(self._pool, self._lane, found, self._settled)

    # The store.

    def _flush(self) -> None:
        states = [TargetState(name, *self._solver(i), ledger.next, tuple(ledger.open()))
                  for i, (name, ledger) in enumerate(zip(self._names, self._ledgers, strict=True))]  # fmt: skip
        self._book.note(suspects=list(self._hangs.tried))
        self._urgent = False
        self._flushed = self._now()
        self._book.flush(states)
