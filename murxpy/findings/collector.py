"""Confirmation: does a finding show again? First its trace is replayed alone in a fresh process,
then the run of its seed is done again, then that run behind the runs that came before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from murxpy.findings.archive import Archive
from murxpy.findings.buckets import (
    Bucket,
    bucket_key,
    candidate,
    failing,
    fails_when_confirmed,
)
from murxpy.findings.defects import Defect, Grouping, same
from murxpy.findings.frames import Backtraces
from murxpy.findings.kinds.registry import kind_of
from murxpy.machine.outcomes import CRASH, INTERNAL
from murxpy.machine.trace.finished import Call
from murxpy.oracles.crash import ABORT, DEATHS, Outcome, Verdict, judge
from murxpy.oracles.documented import TIER as DOCUMENTED
from murxpy.oracles.documented import Documented
from murxpy.processes.handles import Job
from murxpy.processes.inquiries import Trial, Trials
from murxpy.processes.service import Fresh, Future, Replays
from murxpy.records import events
from murxpy.records.finding import Finding
from murxpy.records.services import Service
from murxpy.records.snapshot import Left

_SHORT = 8  # runs of the shorter of the two histories that are tried
# A replay gets so many times the processor time of one call: a finding that shows just below the
# limit, such as an endless recursion, may need more on a busy machine.
_CALL_FACTOR = 8.0


class Confirmation:
    """Replays `found` in `trials`, and calls `settled` with the finding in its new state: confirmed
    or unconfirmed. Where the run of `found` was killed from outside and its replay shows something
    else, `settled` gets that as a new candidate. Each job gets `wall` seconds. Only the trace is replayed
    where `shown` says that the bucket has another finding that showed again: the runs before take by far
    the most time, and are not worth a second form.
    """

    def __init__(
        self,
        trials: Trials,
        wall: float,
        found: Finding,
        settled: Callable[[Finding], None],
        shown: Callable[[], bool],
    ) -> None:
        self._trials = trials
        self._found = found
        self._settled = settled
        self._shown = shown
        self._wall = wall
        self._note = ""
        self._attempts = self._plan()
        trials.add(self._trial(self._attempts[0]))

    def _plan(self) -> list[tuple[Job, ...]]:
        found = self._found
        attempts: list[tuple[Job, ...]] = []
        if found.outcome.trace:
            name = f"{found.job.seed:016x}.trace"
            attempts.append((replace(found.job, text=found.outcome.trace, name=name),))
        if found.job.text is None:
            attempts.append((found.job,))
        # A kill from outside has nothing to do with the runs before it.
        if found.job.text is None and not found.verdict.doubtful:
            for length in (_SHORT, len(found.past)):
                if found.past and attempts[-1] != (*found.past[-length:], found.job):
                    attempts.append((*found.past[-length:], found.job))
        return attempts or [(found.job,)]

    def _trial(self, jobs: tuple[Job, ...]) -> Trial:
        patient = tuple(replace(job, wall=self._wall, call=_CALL_FACTOR * job.call) for job in jobs)
        private = self._found.outcome.cause == "parent"
        rank = kind_of(self._found.verdict.kind).rank
        return Trial(patient, Fresh(self._found.target, private), self._over, rank)

    def _over(self, trial: Future) -> None:
        verdicts = [judge(outcome) for outcome in trial.outcomes]
        if any(verdict is not None and self._same(verdict) for verdict in verdicts):
            jobs = self._attempts[0]
            by_seed = len(jobs) == 1 and jobs[0].text is None
            if by_seed and not self._note:
                self._note = "its run's seed shows it, its trace alone does not"
            self._settled(self._found.settled(True, jobs[:-1], by_seed, self._note))
            return
        instead = self._instead(trial)
        if instead is not None:
            self._settled(instead)
            return
        self._attempts.pop(0)
        if self._attempts and not self._shown():
            self._trials.add_first(self._trial(self._attempts[0]))
        else:
            self._settled(self._found.settled(False))

    def _same(self, verdict: Verdict) -> bool:
        key = bucket_key(self._found.solver, verdict)
        if key == self._found.bucket:
            if not self._found.verdict.message:  # only the trace was left of its bucket
                self._found = replace(self._found, verdict=verdict)
            return True
        if _related(verdict, self._found.verdict):
            self._note = f"its replay ends as {key}"
            return True
        return False

    def _instead(self, trial: Future) -> Finding | None:
        """The candidate that the run itself shows, where `found` may have come from outside."""
        found = self._found
        if not found.verdict.doubtful:
            return None
        shown = [
            candidate(found.target, found.solver, found.version, found.job, (), outcome)
            for outcome in trial.outcomes
        ]
        return next(
            (other for other in shown if other is not None and not other.verdict.doubtful), None
        )


def _related(one: Verdict, other: Verdict) -> bool:
    """Whether both are deaths that the process itself caused."""
    return one.kind in DEATHS and other.kind in DEATHS and not (one.doubtful or other.doubtful)


# ----------------------------------------------------------------------
# The collector of findings: it counts each finding, has it confirmed, and reports it.


_NATIVE = (CRASH, ABORT)  # kinds with native frames


class Collector(Service):
    """Counts findings in `archive`, has them confirmed by `replays`, and reports them with `emit`.

    `known` are the marks of defects that other campaigns found, with their buckets. `places` is the number
    of replays at a time once there are no more runs. `urgent` says that there is something to be stored now.
    """

    def __init__(
        self,
        replays: Replays,
        archive: Archive,
        traces: Backtraces | None,
        emit: Callable[[events.Event], None],
        known: Mapping[str, str],
        places: int = 1,
    ) -> None:
        self._pool = replays.pool
        self._places = places
        self._archive = archive
        self._traces = traces
        self._emit = emit
        self._known = known
        self._trials = Trials(replays)
        self.urgent = False
        self._opened: dict[str, None] = {}
        # the buckets that killed sessions opened, which gave no exit code
        self.late: dict[str, None] = {}
        self._waiting: dict[str, list[Finding]] = {}
        self._untried: dict[str, Finding] = {}  # the first findings of buckets that are not settled
        self._again: dict[tuple[int, int], int] = {}
        self._grouping = Grouping(archive.text, archive.range)
        self._same: dict[str, str] = {}
        self._alike: dict[str, tuple[str, ...]] = {}
        self._documented = [
            Documented(plan.setup.get("wrapper") or {}) for plan in self._pool.plans
        ]

    def fails(self, fail_on: Sequence[str]) -> bool:
        """Whether this session found a defect that makes the exit code 1. A bucket that it opened does
        not count where a bucket of an earlier session shows the same defect, or the user knows it.
        """
        buckets = self._archive.buckets.values()
        if not any(failing(bucket, fail_on) for bucket in buckets if bucket.key in self._opened):
            return False
        return any(self._is_new(defect, fail_on) for defect in self._grouping.defects(buckets))

    def _is_new(self, defect: Defect, fail_on: Sequence[str]) -> bool:
        buckets = [self._archive.buckets[key] for key in defect.buckets]
        failed = [bucket for bucket in buckets if failing(bucket, fail_on)]
        known = self._known_as(defect) or any(bucket.known for bucket in buckets)
        return bool(failed) and not known and all(bucket.key in self._opened for bucket in failed)

    @property
    def broken(self) -> bool:
        """Whether this session opened a bucket of a confirmed internal error of murxpy."""
        opened = [self._archive.buckets[key] for key in self._opened]
        return any(bucket.kind == INTERNAL and bucket.state == "confirmed" for bucket in opened)

    def compare(self) -> None:
        """Group the buckets to defects, keep the defects, and report which buckets show the defect
        of an older one, where that was not reported yet.
        """
        defects = self._grouping.defects(self._archive.buckets.values())
        self._archive.keep_defects(defects)
        several = [defect.buckets for defect in defects if len(defect.buckets) > 1]
        self._alike = {key: buckets for buckets in several for key in buckets}
        known = {d.key: self._known_as(d) for d in defects}
        for key, older in {**same(defects), **known}.items():
            if older and self._same.get(key) != older:
                self._same[key] = older
                self._emit(events.Alike(key, older))

    def older(self, key: str) -> str:
        """The older bucket that shows the defect of bucket `key`, if that was reported; else empty."""
        return self._same.get(key, "")

    def alike(self, key: str) -> tuple[str, ...]:
        """The buckets of the folder that show the defect of bucket `key`, itself among them; none where no
        other one does.
        """
        return self._alike.get(key, ())

    def _known_as(self, defect: Defect) -> str:
        """The bucket of another campaign that shows the defect; empty where none does."""
        marks = [
            m
            for key in defect.buckets
            for m in self._grouping.marks(self._archive.buckets[key]).own
        ]
        return next((self._known[mark] for mark in marks if mark in self._known), "")

    def doubt(self, found: Finding, run: Callable[[Finding, bool], None]) -> None:
        """Replay `found`, whose death may have come from outside, before it is counted.

        The function `run` gets the result of the replay, and whether the run is over (True), or must
        be done again. A run that was killed twice is over: then its finding counts unconfirmed, or
        what its replay showed instead.
        """
        place = (found.target, found.job.index)

        def settled(shown: Finding) -> None:
            self._again[place] = self._again.get(place, 0) + 1
            run(shown, shown.confirmed or self._again[place] >= 2)

        self._confirm(found, settled)

    def found(self, found: Finding) -> None:
        """Count a finding, have it confirmed if its bucket needs that, and report it when its bucket
        is settled.
        """
        self.urgent = True
        found = self._with_tier(found)
        if self._archive.count(found, self._pool.plans[found.target].target.name, time.time()):
            self._opened[found.bucket] = None
        kept = self._archive.keep(found)
        state = self._archive.buckets[found.bucket].state
        tried = found.state != "candidate"
        if tried:
            self._settled(found)
        elif kept:
            self._confirm(found, self._settled)
        if state != "pending":
            self._tell(found if tried else found.settled(state == "confirmed"))
        elif found.bucket in self._waiting:
            self._waiting[found.bucket].append(found)
        elif not tried:
            self._waiting[found.bucket] = []  # `_settled` reports it
            self._untried[found.bucket] = found
        if found.triage:
            self._archive.set_triage(found)

    def _confirm(self, found: Finding, settled: Callable[[Finding], None]) -> None:
        def shown() -> bool:
            return found.bucket in self._archive.buckets and self._archive.shows(found.bucket)

        Confirmation(self._trials, self._pool.limits.replay_wall, found, settled, shown)

    def _with_tier(self, found: Finding) -> Finding:
        """The finding, with the tier `documented` where the solver documents the fatal call as
        experimental, internal or unsupported.

        A bucket keeps that tier only as long as each finding in it needs such a thing.
        """
        documented = self._documented[found.target]
        if found.verdict.tier != "murxpy" and documented.of_call(found.verdict.call):
            found = replace(found, verdict=replace(found.verdict, tier=DOCUMENTED))
        bucket = self._archive.buckets.get(found.bucket)
        if (
            bucket is not None
            and bucket.tier == DOCUMENTED != found.verdict.tier
            and not documented.of_trace(found.trace)
        ):
            self._archive.set_tier(bucket.key, found.verdict.tier)
        return found

    def _settled(self, found: Finding) -> None:
        """Take a finding that was replayed: it is confirmed or unconfirmed now."""
        self.urgent = True
        bucket = self._archive.buckets[found.bucket]
        first = bucket.state == "pending"
        if found.confirmed and bucket.state == "unconfirmed":
            self._opened[found.bucket] = None
        self._archive.settle(found)
        if first:
            self._untried.pop(found.bucket, None)
            self._tell(found)
            for other in self._waiting.pop(found.bucket, []):
                self._tell(other.settled(found.confirmed))
        if found.note:
            self._emit(events.Notice(f"{found.bucket}: {found.note}"))
        if self._traces is not None and found.by_trace and first and bucket.kind in _NATIVE:
            self._traces.add(found.bucket, self._pool.plans[found.target], found.trace)

    def _tell(self, found: Finding) -> None:
        """Report a finding. A bucket is new if no event called it new before: the store notes that
        before the event leaves the campaign, so a campaign that was killed does not say it again.
        """
        bucket = self._archive.buckets[found.bucket]
        kept = bucket.smallest()
        new = self._archive.tell(found.bucket)
        file = kept.file if kept else ""
        self._emit(events.Found(found.bucket, new, bucket.known, found, file))

    @property
    def opened(self) -> list[str]:
        """The buckets that this session opened, or was the first to tell of."""
        return list(self._opened)

    def go_on(self, opened: Sequence[str], unframed: Sequence[str]) -> None:
        """Take what the last session left: the buckets that it opened, where this session finishes it
        (`opened`), and those whose native frames it did not get.
        """
        buckets = self._archive.buckets
        self._opened.update(dict.fromkeys(key for key in opened if key in buckets))
        for bucket in [buckets[key] for key in unframed if key in buckets]:
            self._ask_frames(bucket)

    def printed(self, key: str) -> None:
        """Ask for the native frames of bucket `key` again, since a program shows its finding now."""
        bucket = self._archive.buckets[key]
        if bucket.kind in _NATIVE:
            self._ask_frames(bucket)

    def _ask_frames(self, bucket: Bucket) -> None:
        kept = bucket.smallest()
        text = self._archive.pending_trace(kept) if kept is not None else None
        families = [plan.target.family for plan in self._pool.plans]
        if self._traces is not None and text and bucket.solver in families:
            plan = self._pool.plans[families.index(bucket.solver)]
            self._traces.add(bucket.key, plan, text)

    def feed(self) -> None:
        self._trials.feed()

    @property
    def busy(self) -> bool:
        return self._trials.busy

    @property
    def left(self) -> Left:
        return Left(unconfirmed=len(self._untried))

    def end_runs(self, *, at_once: bool) -> None:
        self._trials.hurry(self._places)

    def tell_untried(self, fail_on: Sequence[str]) -> bool:
        """Report the findings that there was no time to replay, and return whether one of them makes
        the exit code 1, like a known disagreement that nobody looked into: what a campaign says must
        not depend on how busy the machine is. The next session replays them.
        """
        counts = False
        for key, found in self._untried.items():
            self._tell(found)
            for other in self._waiting.pop(key, []):
                self._tell(other)
            counts |= key in self._opened and fails_when_confirmed(
                self._archive.buckets[key], fail_on
            )
        self._untried.clear()
        return counts

    def confirm_stored(self, solvers: Sequence[tuple[str, str]], wall: float) -> None:
        """Confirm the findings that an earlier session had no time for, and count for the exit code
        what killed sessions found, since these gave none. `solvers` are name and version of the solver
        of each target.
        """
        names = [name for name, _ in solvers]
        for bucket in self._archive.buckets.values():
            if bucket.known or bucket.solver not in names:
                continue
            target = names.index(bucket.solver)
            if bucket.key in self._archive.untold:
                self._opened[bucket.key] = self.late[bucket.key] = None
            if bucket.state == "pending":
                self._confirm_bucket(bucket, target, solvers, wall)
            elif not bucket.told:
                self._tell_late(bucket, target, solvers)
        if self.late:
            self._emit(
                events.Notice(
                    "the last session in this folder did not end by itself; what it was the first to "
                    f"find counts as new now ({len(self.late)} {'bucket' if len(self.late) == 1 else 'buckets'})"
                )
            )

    def _tell_late(self, bucket: Bucket, target: int, solvers: Sequence[tuple[str, str]]) -> None:
        """Report a bucket as new that an earlier session settled, and did not report."""
        kept = bucket.smallest()
        text = self._archive.pending_trace(kept) if kept is not None else None
        job = Job(kept.seed if kept is not None else 0, 0.0)
        found = _stored_finding(bucket, target, solvers, job, text or "")
        self._tell(found.settled(bucket.state == "confirmed"))

    def _confirm_bucket(
        self, bucket: Bucket, target: int, solvers: Sequence[tuple[str, str]], wall: float
    ) -> None:
        for kept in bucket.traces:
            text = self._archive.pending_trace(kept)
            if text is None or kept.confirmed is not None:
                continue
            if not bucket.told:
                self._opened[bucket.key] = None
            self._waiting.setdefault(bucket.key, [])
            found = _stored_finding(bucket, target, solvers, Job(kept.seed, wall), text)
            self._untried.setdefault(bucket.key, found)
            self._confirm(found, self._settled)


def _stored_finding(
    bucket: Bucket, target: int, solvers: Sequence[tuple[str, str]], job: Job, trace: str
) -> Finding:
    """The finding of an earlier session, from its bucket and its trace."""
    call = Call(bucket.action, bucket.operator, bucket.spelling)
    verdict = Verdict(
        bucket.kind, bucket.tier, bucket.message, bucket.signal, call, against=bucket.against
    )
    outcome = Outcome("died", trace=trace)
    return Finding(target, *solvers[target], job, (), outcome, verdict, bucket.key)
