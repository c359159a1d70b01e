"""The comparison of a campaign: a newer release replays each run of an older one, differences are
investigated, and the results are handed to the campaign.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from murxpy.judging.comparing.regressions import (
    Pair,
    Regression,
    Shown,
    Suspect,
    comparable,
    header,
    investigate,
    question,
    regression_finding,
    regression_key,
    suspects,
)
from murxpy.judging.cross_check import Hooks, Judging
from murxpy.judging.solvers import loaded_solvers
from murxpy.oracles.crash import Outcome
from murxpy.oracles.disagreement import answers_of
from murxpy.oracles.regression import OF_EFFORT
from murxpy.processes.handles import Job
from murxpy.processes.inquiries import Inquirer, Questions
from murxpy.processes.service import Future, Group, Replays
from murxpy.processes.targets import absolute_target
from murxpy.records.snapshot import Left

_AHEAD = 2  # a process has its next job while it does one, so that it never waits
_WAITING = 24  # runs that may wait for the comparison; with more, the older release waits, too
_OLDER, _NEWER = 0, 1


@dataclass(eq=False)
class _Run:
    """A run of the older release. `asked` is the part of the run that the newer release replays, and
    `replayed` how that ended, None until it did.
    """

    job: Job
    asked: str
    replayed: Outcome | None = None
    future: Future | None = None
    left: list[Suspect] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


class Comparison(Judging):
    """Has each run of the first plan in the pool of `replays` replayed by the second. `versions` are
    those of the two releases, `jobs` is the number of workers of the campaign. `lowest` gives the
    smallest index of a run that is not done.

    Runs are looked into in the order of their indices, one at a time, so that the findings of a seed
    do not depend on the number of workers.
    """

    only_differences = True  # a finding that the older release shows by itself does not count

    def __init__(
        self,
        replays: Replays,
        versions: Sequence[str],
        jobs: int,
        hooks: Hooks,
        lowest: Callable[[], int],
    ) -> None:
        pool = replays.pool
        self._replays = replays
        self._hooks = hooks
        self._lowest = lowest
        self._versions = versions
        solvers = loaded_solvers(pool.plans, versions, pool.limits.judge_ms)
        self._pair = Pair(solvers, _OLDER, _NEWER)
        self._names = ",".join(absolute_target(plan.target.name) for plan in pool.plans)
        self._group = Group(_NEWER, range(max(1, jobs)), _AHEAD)
        self._inquirer = Inquirer(replays)
        self._open: dict[int, _Run] = {}
        self._hasty = False

    @property
    def full(self) -> bool:
        """Whether the older release should wait. The queue is not full while the run that comes next
        in order is still to be made.
        """
        return len(self._open) >= _WAITING and self._lowest() in self._open

    @property
    def busy(self) -> bool:
        """Whether some run is not done."""
        return bool(self._open)

    @property
    def left(self) -> Left:
        return Left(runs=len(self._open))

    def run_ended(self, target: int, job: Job, outcome: Outcome) -> None:
        """Take a run of the older release that ended."""
        if outcome.after:  # the process died after the run, which was taken before
            return
        run = self._open[job.index] = _Run(job, comparable(outcome, self._names))
        if not run.asked:
            run.replayed = Outcome("report")
            return
        limits = self._replays.pool.limits
        replay = Job(
            job.seed,
            limits.replay_wall,
            text=run.asked,
            name=f"{job.seed:016x}.trace",
            keep=True,
            by_line=limits.by_line,
        )
        run.future = self._replays.submit((replay,), self._group, partial(self._replayed, run))

    def _replayed(self, run: _Run, future: Future) -> None:
        # if no process came to begin the replay, the newer release says nothing about the run
        outcome = future.outcomes[-1] if future.results else Outcome("stopped")
        run.replayed = outcome
        run.counts["compare:runs"] += 1
        run.counts["compare:checks"] += len(answers_of(outcome.report))
        if outcome.cause in ("wall", "cpu", "stopped"):
            run.counts["compare:timeouts"] += 1
            return
        run.left = suspects(run.asked, outcome, self._pair.floor)
        run.counts["compare:suspects"] += len(run.left)

    def feed(self) -> None:
        """Investigate the next run if no run is being investigated."""
        while not self._inquirer.busy and (run := self._next()) is not None:
            self._look_into(run)
        self._inquirer.feed()

    def _next(self) -> _Run | None:
        """The run that comes next, if the newer release has replayed it."""
        if not self._open:
            return None
        index = min(self._open) if self._hasty else self._lowest()
        run = self._open.get(index)
        return run if run is not None and run.replayed is not None else None

    def _look_into(self, run: _Run) -> None:
        if not run.left or run.replayed is None:
            del self._open[run.job.index]
            self._hooks.count(run.counts)
            self._hooks.runs(_OLDER).done(run.job.index)
            return
        suspect = run.left.pop(0)
        script = question(run.asked, run.replayed, suspect)
        head = header(run.asked, self._pair.release(_NEWER))
        questions: Questions[Regression | None] = investigate(
            self._pair, head, script, suspect.kind in OF_EFFORT, self._known
        )
        self._inquirer.add(questions, partial(self._investigated, run))

    def _known(self, shown: Shown) -> bool:
        """Whether a bucket holds this regression already, as far as its key tells before it is made
        small.
        """
        key = regression_key(self._pair, shown)
        return key != "" and any(bucket.key == key for bucket in self._hooks.buckets())

    def _investigated(self, run: _Run, solved: Regression | None) -> None:
        if solved is None:
            run.counts["compare:not-shown"] += 1
            return
        run.counts["compare:regressions"] += 1
        version = self._versions[_NEWER]
        self._hooks.found(
            regression_finding(self._pair, solved, run.job, version, self._hooks.buckets())
        )

    def end_runs(self, *, at_once: bool) -> None:
        self._hasty = True  # look into the runs that are there
        if at_once:
            self.close()

    def close(self) -> None:
        """End everything. The runs that are not done stay open."""
        for run in self._open.values():
            if run.future is not None:
                self._replays.cancel(run.future)
        self._open.clear()
        self._replays.end(self._group)
        self._inquirer.clear()
