"""Does a finding show again? Its trace alone in a fresh process, or its run's seed, or only with the runs before it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from murxpy.campaign.buckets import bucket_key
from murxpy.campaign.findings import Candidate, Proof
from murxpy.campaign.handles import Job
from murxpy.campaign.pool import Pool
from murxpy.campaign.trials import Lane, Trial
from murxpy.oracles.crash import Outcome, Verdict, judge

_SHORT = 8  # runs of the shorter history that is tried

# Kinds of one defect that broke memory: which of them shows depends on where the memory is.
_DEATHS = ("crash", "abort", "asan", "exit")


class Confirmation:
    """Tries to see `found` again, in trials of `lane`, and calls `settled` with the proof."""

    def __init__(self, pool: Pool, lane: Lane, found: Candidate, settled: Callable[[Candidate, Proof], None]) -> None:
        self._pool = pool
        self._lane = lane
        self._found = found
        self._settled = settled
        self._wall = pool.limits.replay_wall
        self._note = ""
        self._attempts = self._plan()
        lane.add(self._trial(self._attempts[0]))

    def _plan(self) -> list[tuple[Job, ...]]:
        found = self._found
        attempts: list[tuple[Job, ...]] = []
        if found.outcome.trace:
            name = f"{found.job.seed:016x}.trace"
            attempts.append((replace(found.job, text=found.outcome.trace, name=name),))
        if found.job.text is None:
            attempts.append((found.job,))
            for length in (_SHORT, len(found.past)):
                if found.past and attempts[-1] != (*found.past[-length:], found.job):
                    attempts.append((*found.past[-length:], found.job))
        return attempts or [(found.job,)]

    def _trial(self, jobs: tuple[Job, ...]) -> Trial:
        fresh = tuple(replace(job, number=self._pool.job_number(), wall=self._wall) for job in jobs)
        private = self._found.outcome.cause == "parent"
        return Trial(self._found.target, fresh, self._over, private)

    def _over(self, trial: Trial) -> None:
        jobs = self._attempts.pop(0)
        if any(self._same(outcome) for outcome in trial.outcomes):
            if not self._note and len(jobs) == 1 and jobs[0].text is None:
                self._note = "its run's seed shows it, its trace alone does not"
            self._settled(self._found, Proof(True, jobs[:-1], self._note))
        elif self._attempts:
            self._lane.first(self._trial(self._attempts[0]))
        else:
            self._settled(self._found, Proof(False))

    def _same(self, outcome: Outcome) -> bool:
        verdict = judge(outcome)
        if verdict is None:
            return False
        key = bucket_key(self._found.family, verdict)
        if key == self._found.key:
            return True
        if _related(verdict, self._found.verdict):
            self._note = f"its replay ends as {key}"
            return True
        return False


def _related(one: Verdict, other: Verdict) -> bool:
    return one.kind in _DEATHS and other.kind in _DEATHS
