"""The desk where findings are counted, tried, and told of."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from murxpy.campaign import events
from murxpy.campaign.findings.alike import alike
from murxpy.campaign.findings.arrivals import Candidate, Proof, finding
from murxpy.campaign.findings.backtrace import Backtraces
from murxpy.campaign.findings.buckets import Bucket, failing
from murxpy.campaign.findings.confirmation import Confirmation
from murxpy.campaign.findings.records import Book
from murxpy.campaign.replays.trials import Lane
from murxpy.campaign.workers.handles import Damp, Job
from murxpy.campaign.workers.pool import Pool
from murxpy.oracles.crash import Outcome, Verdict
from murxpy.oracles.documented import TIER as DOCUMENTED
from murxpy.oracles.documented import Documented
from murxpy.trace.finished import Call

_DAMPED = 200  # calls in the list of what is drawn less often
_NATIVE = ("crash", "abort")  # kinds with native frames


class Desk:
    """Takes candidates: counts them in `book`, has them tried in `pool`, and tells of them through
    `emit`.

    `urgent` says that there is something to be stored now.
    """

    def __init__(
        self,
        pool: Pool,
        book: Book,
        traces: Backtraces | None,
        emit: Callable[[events.Event], None],
    ) -> None:
        self._pool = pool
        self._book = book
        self._traces = traces
        self._emit = emit
        self.lane = Lane(pool)
        self.urgent = False
        self._opened: dict[str, None] = {}
        self._waiting: dict[str, list[Candidate]] = {}
        self._again: dict[tuple[int, int], int] = {}
        self._alike: dict[str, str] = {}
        self._documented = [Documented(plan.setup.get("wrapper") or {}) for plan in pool.plans]

    def damped(self, family: str) -> Damp:
        """The fatal calls (action, operator, spelling) of the buckets of `family`: to be drawn less
        often.
        """
        calls = {
            (b.action, b.operator, b.spelling): None
            for b in self._book.buckets.values()
            if b.solver == family and b.action
        }
        return tuple(sorted(calls)[:_DAMPED])

    def fails(self, fail_on: Sequence[str]) -> bool:
        """Whether this session opened a bucket that makes the exit code 1."""
        return any(
            failing(self._book.buckets[key], fail_on)
            for key in self._opened
            if key not in self._alike
        )

    @property
    def broken(self) -> bool:
        """Whether this session opened a bucket of an internal error of ours that shows again."""
        opened = [self._book.buckets[key] for key in self._opened]
        return any(bucket.kind == "internal" and bucket.state == "confirmed" for bucket in opened)

    def framed(self, key: str, text: str) -> None:
        """The native frames of bucket `key` are known."""
        self._book.set_backtrace(key, text)
        self.compare()

    def compare(self) -> None:
        """Tell which buckets are alike, where that was not told yet."""
        for key, same in alike(self._book.buckets.values()).items():
            if self._alike.get(key) != same:
                self._alike[key] = same
                self._emit(events.Alike(key, same))

    def doubt(self, found: Candidate, run: Callable[[bool], None]) -> None:
        """The death of `found` may have come from outside: nothing is counted before a replay has
        shown it again.

        `run` is told whether its run is over (True), or must be done again. When it was killed
        twice, what a replay shows of its own counts instead.
        """

        def settled(found: Candidate, proof: Proof) -> None:
            place = (found.target, found.job.index)
            self._again[place] = self._again.get(place, 0) + 1
            if not proof.confirmed and self._again[place] < 2:
                run(False)
                return
            run(True)
            if proof.instead is not None:
                self.found(proof.instead)
            else:
                self.found(found, proof)

        Confirmation(self._pool, self.lane, found, settled)

    def found(self, found: Candidate, proof: Proof | None = None) -> None:
        """Count `found`, confirm it when its bucket needs it, and tell of it when its bucket is
        settled.
        """
        self.urgent = True
        found = self._judged(found)
        if self._book.count(found, self._pool.plans[found.target].target.name, time.time()):
            self._opened[found.key] = None
        kept = self._book.keep(found, found.label)
        state = self._book.buckets[found.key].state
        if proof is not None:
            self._settled(found, proof)
        elif kept:
            Confirmation(self._pool, self.lane, found, self._settled)
        if state != "pending":
            self._tell(found, proof or Proof(state == "confirmed"))
        elif found.key in self._waiting:
            self._waiting[found.key].append(found)
        elif proof is None:
            self._waiting[found.key] = []  # it is told of when it is settled

    def _judged(self, found: Candidate) -> Candidate:
        """The finding with the tier `documented` where the solver documents the call as
        experimental or the like.

        A bucket has that tier only as long as all that is in it needs such a thing.
        """
        documented, trace = self._documented[found.target], found.outcome.trace
        if found.verdict.tier != "murxpy" and documented.of_call(found.verdict.call):
            found = replace(found, verdict=replace(found.verdict, tier=DOCUMENTED))
        bucket = self._book.buckets.get(found.key)
        if (
            bucket is not None
            and bucket.tier == DOCUMENTED != found.verdict.tier
            and not documented.of_trace(trace)
        ):
            self._book.set_tier(bucket.key, found.verdict.tier)
        return found

    def _settled(self, found: Candidate, proof: Proof) -> None:
        """A trial of `found` is over."""
        self.urgent = True
        bucket = self._book.buckets[found.key]
        first = bucket.state == "pending"
        if proof.confirmed and bucket.state == "unconfirmed":
            self._opened[found.key] = None
        self._book.settle(found, proof)
        if first:
            self._tell(found, proof, new=found.key in self._opened)
            for other in self._waiting.pop(found.key, []):
                self._tell(other, Proof(proof.confirmed))
        if proof.note:
            self._emit(events.Notice(f"{found.key}: {proof.note}"))
        if self._traces is not None and proof.by_trace and first and bucket.kind in _NATIVE:
            self._traces.add(found.key, self._pool.plans[found.target], found.outcome.trace)

    def _tell(self, found: Candidate, proof: Proof, *, new: bool = False) -> None:
        bucket = self._book.buckets[found.key]
        kept = bucket.smallest()
        new = new or (bucket.known and bucket.count == 1)
        file = kept.file if kept else ""
        self._emit(events.Found(found.key, new, bucket.known, finding(found, proof), file))

    def triaged(self, found: Candidate, proof: Proof, triage: Mapping[str, object]) -> None:
        """A disagreement was looked into: `triage` is what its bucket keeps of that, of the first
        one that shows again.
        """
        self.found(found, proof)
        bucket = self._book.buckets[found.key]
        if not bucket.triage or (proof.confirmed and bucket.triage.get("verdict") == "undecided"):
            bucket.triage = dict(triage)

    def hung(self, found: Candidate) -> None:
        """A run was seen to hang, twice: no further proof is needed."""
        self.found(found, Proof(True))

    def confirm_stored(self, solvers: Sequence[tuple[str, str]], wall: float) -> None:
        """Try what an earlier session had no time for; `solvers` are family and version of each
        target.
        """
        families = [family for family, _ in solvers]
        for bucket in self._book.buckets.values():
            if bucket.state == "pending" and bucket.solver in families:
                self._confirm_bucket(bucket, families.index(bucket.solver), solvers, wall)

    def _confirm_bucket(
        self, bucket: Bucket, target: int, solvers: Sequence[tuple[str, str]], wall: float
    ) -> None:
        for kept in bucket.traces:
            text = self._book.pending_trace(kept)
            if text is None or kept.confirmed is not None:
                continue
            call = Call(bucket.action, bucket.operator, bucket.spelling)
            verdict = Verdict(bucket.kind, bucket.tier, bucket.message, bucket.signal, call)
            job = Job(self._pool.job_number(), kept.seed, wall)
            self._opened[bucket.key] = None
            self._waiting.setdefault(bucket.key, [])
            outcome = Outcome("died", trace=text)
            found = Candidate(target, *solvers[target], job, (), outcome, verdict, bucket.key)
            Confirmation(self._pool, self.lane, found, self._settled)
