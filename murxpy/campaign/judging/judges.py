"""The judges of a campaign: each answers the checks that the targets decided, in workers of its
own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from murxpy.campaign.judging.judge_limits import judging_wishes, own_limit
from murxpy.campaign.replays.service import Future, Group, Replays
from murxpy.campaign.workers.handles import Job
from murxpy.oracles.crash import Outcome
from murxpy.oracles.disagreement import (
    OPPOSITE,
    Answers,
    Disagreement,
    answers_of,
    confirmed,
    decided_lines,
    first_disagreement,
)

_AHEAD = 2  # jobs that a judge's process has, so that it never waits for the next
WAITING = 24  # runs that may wait for a judge; with more the targets wait, too


@dataclass(eq=False)
class JudgedRun:
    """One run of target number `target` whose checks the judges answer; `left` judges did not answer yet,
    `counts` is what the others counted. It is `settled` when somebody was told what they said.
    """

    target: int
    job: Job
    outcome: Outcome
    left: int = 0
    settled: bool = False
    answers: dict[int, Answers] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    asked: list[Future] = field(default_factory=list)

    @property
    def disagreement(self) -> Disagreement | None:
        """The first check that a judge answers otherwise."""
        return first_disagreement(self.answers)


class Judges:
    """Has runs judged. `judges` are numbers of plans in the pool of `replays`; `each` processes has each;
    `settled` gets what they said of a run.

    A judge that dies or is past its limit says nothing of the run, and is replaced. What the judges
    of a run counted is in its `JudgedRun`: whoever is told of it adds it to the totals when the run is
    over, so that a run that is judged again counts once.
    """

    def __init__(
        self,
        replays: Replays,
        judges: Sequence[int],
        each: int,
        settled: Callable[[JudgedRun], None],
    ) -> None:
        self._replays = replays
        self._plans, self._limits = replays.pool.plans, replays.pool.limits
        self._groups = {judge: Group(judge, range(each), _AHEAD) for judge in judges}
        self._tell = settled
        self._hasty = False
        self._open: dict[JudgedRun, None] = {}

    def of_target(self, target: int) -> list[int]:
        """The judges of target number `target`: all that are not the target itself."""
        name = self._plans[target].target.name
        return [judge for judge in self._groups if self._plans[judge].target.name != name]

    @property
    def full(self) -> bool:
        """Whether so many runs wait that the targets should wait, too."""
        return any(len(group.waiting) >= WAITING for group in self._groups.values())

    @property
    def unsettled(self) -> list[JudgedRun]:
        """The runs that the judges have not finished."""
        return list(self._open)

    def hasten(self) -> None:
        """The campaign ends soon: from now on a run is settled as soon as one judge disagrees,
        without waiting for the other judges.
        """
        self._hasty = True
        for run in self.unsettled:
            self._settle(run)

    def _settle(self, run: JudgedRun) -> None:
        """Tell of the run when all judges have answered, or when a disagreement is known and the
        end is near.
        """
        over = not run.left or (self._hasty and run.disagreement is not None)
        if over and not run.settled:
            run.settled = True
            del self._open[run]
            for future in run.asked:
                self._replays.cancel(future)
            self._tell(run)

    def judge(self, target: int, job: Job, outcome: Outcome) -> None:
        """Have the run `job` of target number `target` judged, whose trace is in `outcome`."""
        run = JudgedRun(target, job, outcome)
        self._open[run] = None
        judges = self.of_target(target)
        run.left = len(judges)
        for judge in judges:
            answered = partial(self._answered, run, judge)
            question = self._question(run, judge)
            run.asked.append(self._replays.submit((question,), self._groups[judge], answered))
        self._settle(run)

    def _question(self, run: JudgedRun, judge: int) -> Job:
        limit = own_limit(self._plans[judge], self._limits.judge_ms)
        wrapper = self._plans[run.target].setup.get("wrapper") or {}
        return Job(
            run.job.seed,
            self._limits.wall,
            text=run.outcome.trace,
            name=f"{run.job.seed:016x}.trace",
            judge=judging_wishes(wrapper, limit),
            by_line=True,
        )

    def _answered(self, run: JudgedRun, judge: int, future: Future) -> None:
        # where no process of the judge came to begin it, it says nothing either
        outcome = future.outcomes[-1] if future.results else Outcome("died")
        answers = answers_of(outcome.report)
        run.answers[judge] = answers
        run.left -= 1
        run.counts.update(figures(outcome, answers))
        self._settle(run)

    def clear(self) -> None:
        """End the judges' processes, and forget the runs that they have."""
        for run in self.unsettled:
            for future in run.asked:
                self._replays.cancel(future)
        for group in self._groups.values():
            self._replays.end(group)
        self._open.clear()


def confirmation(run: JudgedRun) -> Counter[str]:
    """What is counted of one run before all its judges: its decided checks, and those of them that
    a judge answered in the same way.
    """
    decided = decided_lines(run.outcome.trace)
    agreed = confirmed(run.answers)
    return +Counter(
        {"check:judged": len(decided), "check:confirmed": sum(line in agreed for line in decided)}
    )


def figures(outcome: Outcome, answers: Answers) -> Counter[str]:
    """What is counted of one run before one judge. A check is decided when both decided it."""
    counts: Counter[str] = Counter({"judge:runs": 1, "judge:checks": len(answers)})
    decided = [
        (before, now) for _, before, now in answers if before in OPPOSITE and now in OPPOSITE
    ]
    counts["judge:decided"] = len(decided)
    counts["judge:agreed"] = sum(now == before for before, now in decided)
    counts["judge:lost"] = outcome.cause != "report"
    own = (outcome.report or {}).get("counts", {})
    for name in ("judge:declined", "judge:given-up"):
        counts[name] = own.get(name, 0)
    for name in ("run", "solver"):
        counts[f"judge:time-ns:{name}"] = own.get(f"time-ns:{name}", 0)
    return +counts
