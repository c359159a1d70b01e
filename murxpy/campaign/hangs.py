"""Hangs: which of the runs past the wall limit never return at all.

A run past the wall limit is only a statistic. For each fatal call, one suspect is replayed alone
with far more time, and then again with twice as much. These replays get a limited part of the
campaign's time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from murxpy.campaign.finding import Finding
from murxpy.campaign.findings.candidates import candidate
from murxpy.campaign.replays.service import Fresh, Future, Replays
from murxpy.campaign.replays.trials import Trial, Trials
from murxpy.campaign.workers.pool import Result
from murxpy.oracles.crash import Verdict
from murxpy.trace.finished import last_call

SHARE = 0.1  # the part of the time of all workers that replays of suspects may take
_WAITING = 50  # suspects that may wait; each takes 60 s or more, so others would never be reached


class Hangs:
    """Collects runs past the wall limit, replays them, and calls `hung` with the findings of those
    that hang. `family(target)` gives family and version of a target's solver. `tried` names the
    fatal calls that an earlier session replayed.
    """

    def __init__(
        self,
        replays: Replays,
        family: Callable[[int], tuple[str, str]],
        hung: Callable[[Finding], None],
        tried: list[str],
    ) -> None:
        self._patience = replays.pool.limits.patience
        self._family = family
        self._hung = hung
        self._trials = Trials(replays)
        self._suspects: list[Result] = []
        self._target_of: dict[int, int] = {}
        self._spent = 0.0
        self._begun: float | None = None
        self.tried = dict.fromkeys(tried)

    def suspect(self, result: Result, target: int) -> None:
        """Remember a run past the wall limit, unless a run with the same fatal call was remembered
        before.
        """
        call = last_call(result.outcome.trace)
        name = f"{target} {call.action} {call.operator}"
        if name not in self.tried and result.outcome.trace and len(self._suspects) < _WAITING:
            self.tried[name] = None
            self._target_of[result.job.number] = target
            self._suspects.append(result)

    def feed(self, workers_time: float) -> None:
        """Begin to replay the next suspect, if that fits into the share of `workers_time`: the
        seconds that all workers have together.
        """
        if not self._trials.busy and self._suspects:
            needed = 3 * self._patience
            if self._spent + needed <= SHARE * workers_time:
                self._begin(self._suspects.pop(0))
        self._trials.feed()

    def _begin(self, result: Result) -> None:
        self._begun = time.monotonic()
        self._try(result, self._patience, lambda trial: self._first(result, trial))

    def _try(self, result: Result, wall: float, done: Callable[[Future], None]) -> None:
        name = f"{result.job.seed:016x}.trace"
        job = replace(result.job, wall=wall, text=result.outcome.trace, name=name)
        self._trials.add(Trial((job,), Fresh(self._target_of[result.job.number]), done))

    def clear(self) -> None:
        """Forget the suspect that is being replayed."""
        self._trials.clear()

    def _first(self, result: Result, trial: Future) -> None:
        if _overstayed(trial):
            self._try(result, 2 * self._patience, lambda again: self._second(result, again))
        else:
            self._end()

    def _second(self, result: Result, trial: Future) -> None:
        self._end()
        if not _overstayed(trial):
            return
        target = self._target_of[result.job.number]
        message = f"no return within {2 * self._patience:g} s"
        verdict = Verdict("hang", "solver", message, "", last_call(trial.outcomes[-1].trace))
        found = candidate(
            target, *self._family(target), result.job, result.past, result.outcome, verdict
        )
        if found is not None:
            self._hung(found.settled(True))

    def _end(self) -> None:
        if self._begun is not None:
            self._spent += time.monotonic() - self._begun
            self._begun = None


def _overstayed(trial: Future) -> bool:
    return any(outcome.cause == "wall" for outcome in trial.outcomes)
