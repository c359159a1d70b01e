"""The judges of a campaign. Each one answers, in processes of its own, the checks that the targets
decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from murxpy.campaign.judging.solvers import Solvers
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
    spent_of,
)

_AHEAD = (
    2  # a process has its next job while it does one, so that it never waits for the supervisor
)
# The scripts of a run of a target, by its seed and trace, that a family of solvers needs in other words
# than those of the trace, by the lines that run them.
Said = Callable[[int, int, str, str], Mapping[str, str]]
WAITING = 24  # runs that may wait for a judge; with more, the targets wait, too


@dataclass(eq=False)
class JudgedRun:
    """A run of target number `target` whose checks the judges answer. `left` judges have not
    answered yet. `spent` has what scripts cost each of them, by line. `counts` are the counters of
    the other judges. The run is `settled` when its answers were handed on.
    """

    target: int
    job: Job
    outcome: Outcome
    left: int = 0
    settled: bool = False
    answers: dict[int, Answers] = field(default_factory=dict)
    spent: dict[int, dict[int, int]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    asked: list[Future] = field(default_factory=list)

    @property
    def disagreement(self) -> Disagreement | None:
        """The first check that a judge answers otherwise."""
        return first_disagreement(self.answers)


class Judges:
    """Has runs judged by those `solvers` whose numbers are in `judges`, each in up to `each`
    processes. `settled` gets the runs with the answers. `said` gives scripts in the words of a judge.

    A judge that dies or is past its limit says nothing about the run. The counters of the judges
    stay in the `JudgedRun` until the run is done. Only then are they added to the totals, so that a
    run that the next session judges again counts once.
    """

    def __init__(
        self,
        replays: Replays,
        solvers: Solvers,
        judges: Sequence[int],
        each: int,
        settled: Callable[[JudgedRun], None],
        said: Said,
    ) -> None:
        self._replays = replays
        self._said = said
        self._solvers = solvers
        self._wall = replays.pool.limits.wall
        self._groups = {
            judge: Group(judge, range(each), _AHEAD, purpose="judges") for judge in judges
        }
        self._tell = settled
        self._hasty = False
        self._open: dict[JudgedRun, None] = {}

    def of_target(self, target: int) -> list[int]:
        """The judges of target number `target`: all but the target itself."""
        name = self._solvers.name(target)
        return [judge for judge in self._groups if self._solvers.name(judge) != name]

    @property
    def full(self) -> bool:
        """Whether so many runs wait that the targets should wait, too."""
        return any(len(group.waiting) >= WAITING for group in self._groups.values())

    @property
    def unsettled(self) -> list[JudgedRun]:
        """The runs that some judge has not answered."""
        return list(self._open)

    def hasten(self) -> None:
        """From now on, settle a run as soon as one judge disagrees, because the campaign
        ends soon.
        """
        self._hasty = True
        for run in self.unsettled:
            self._settle(run)

    def _settle(self, run: JudgedRun) -> None:
        """Hand on the run if all judges have answered; when the end is near, also if a disagreement
        is known.
        """
        over = not run.left or (self._hasty and run.disagreement is not None)
        if over and not run.settled:
            run.settled = True
            del self._open[run]
            for future in run.asked:
                self._replays.cancel(future)
            self._tell(run)

    def judge(self, target: int, job: Job, outcome: Outcome) -> None:
        """Have the run `job` of target number `target` judged. Its trace is in `outcome`."""
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
        family = self._solvers.family(judge)
        scripts = self._said(run.target, run.job.seed, run.outcome.trace, family)
        said = {"scripts": scripts} if scripts else {}
        return Job(
            run.job.seed,
            self._wall,
            text=run.outcome.trace,
            name=f"{run.job.seed:016x}.trace",
            judge={**self._solvers.settings(run.target, judge), **said},
            by_line=True,
        )

    def _answered(self, run: JudgedRun, judge: int, future: Future) -> None:
        # If no process of the judge came to begin the job, the judge says nothing either.
        outcome = future.outcomes[-1] if future.results else Outcome("died")
        answers = answers_of(outcome.report)
        run.answers[judge] = answers
        run.spent[judge] = spent_of(outcome.report)
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
    """The counters for one run after all its judges: its decided checks, and those of them for
    which a judge gave the same answer.
    """
    decided = decided_lines(run.outcome.trace)
    agreed = confirmed(run.answers)
    return +Counter(
        {"check:judged": len(decided), "check:confirmed": sum(line in agreed for line in decided)}
    )


def figures(outcome: Outcome, answers: Answers) -> Counter[str]:
    """The counters for one run and one judge. A check counts as decided when both sides
    decided it.
    """
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
