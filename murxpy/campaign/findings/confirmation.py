"""Confirmation: does a finding show again? First its trace is replayed alone in a fresh process,
then the run of its seed is done again, then that run behind the runs that came before it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from murxpy.campaign.finding import Finding
from murxpy.campaign.findings.candidates import candidate
from murxpy.campaign.findings.keys import bucket_key
from murxpy.campaign.findings.ranking import rank_of
from murxpy.campaign.replays.service import Fresh, Future
from murxpy.campaign.replays.trials import Trial, Trials
from murxpy.campaign.workers.handles import Job
from murxpy.oracles.crash import DEATHS, Verdict, judge

_SHORT = 8  # runs of the shorter of the two histories that are tried
# Times the processor's time of one call that a replay gets: what shows a finding just below its
# limit, such as an endless recursion, may need more on a busy machine.
_CALL_FACTOR = 4.0


class Confirmation:
    """Replays `found` in `trials`, and calls `settled` with the finding as it is then: confirmed or
    unconfirmed. Where the run of `found` was killed from outside and its replay shows something
    else, `settled` gets that as a new candidate. Each job gets `wall` seconds.
    """

    def __init__(
        self, trials: Trials, wall: float, found: Finding, settled: Callable[[Finding], None]
    ) -> None:
        self._trials = trials
        self._found = found
        self._settled = settled
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
        rank = rank_of(self._found.verdict.kind)
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
        if self._attempts:
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
