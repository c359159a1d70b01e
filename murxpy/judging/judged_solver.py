"""A solver and its judges, outside of a campaign, ready for questions about one trace after
another.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from murxpy.judging.disagreement import Case, Investigated, cross_checked, investigate, judged
from murxpy.judging.solvers import loaded_solvers
from murxpy.oracles.crash import Outcome
from murxpy.oracles.disagreement import Answers
from murxpy.processes.inquiries import Inquirer, OutOfTime, Questions, T
from murxpy.processes.limits import Limits
from murxpy.processes.pool import Pool
from murxpy.processes.service import Replays
from murxpy.processes.targets import Plan, version_of


class JudgedSolver:
    """The solver of `plan`, and the solvers of `judges`, all loaded. Raises TargetError if a solver
    cannot be loaded. `close` ends all processes.
    """

    def __init__(self, plan: Plan, judges: Sequence[Plan], limits: Limits) -> None:
        self._pool = Pool([plan, *judges], limits)
        self.deadline: float | None = None
        versions = [version_of(about) for about in self._pool.warm()]
        self.solvers = loaded_solvers(self._pool.plans, versions, limits.judge_ms)
        self._replays = Replays(self._pool)
        self._inquirer = Inquirer(self._replays)

    def answer(self, questions: Questions[T]) -> T:
        """Carry out one inquiry, and return its result. Raises OutOfTime past the deadline."""
        results: list[T] = []
        self._inquirer.add(questions, results.append)
        while not results:
            if self.deadline is not None and time.monotonic() >= self.deadline:
                self._inquirer.clear()
                raise OutOfTime
            self._inquirer.feed()
            self._replays.step()
        return results[0]

    def answers(self, each: Iterable[Questions[T]], jobs: int) -> Iterator[T]:
        """Carry out several inquiries, `jobs` of them at a time, and yield their results in
        order.
        """
        inquirers = [Inquirer(self._replays) for _ in range(jobs)]
        results: dict[int, T] = {}
        begun, yielded, waiting = 0, 0, iter(each)
        more = True
        while more or yielded < begun:
            for inquirer in inquirers:
                questions = None if inquirer.busy or not more else next(waiting, None)
                if questions is not None:
                    inquirer.add(questions, partial(results.__setitem__, begun))
                    begun += 1
                more = more and (inquirer.busy or questions is not None)
                inquirer.feed()
            while yielded in results:
                yield results.pop(yielded)
                yielded += 1
            if yielded < begun:
                self._replays.step()

    @property
    def replays(self) -> int:
        """The number of replays that `answer` made."""
        return self._inquirer.asked

    def cross_checked(self, source: str) -> tuple[Outcome, Case | None]:
        """Replay the trace `source`, and return the replay with the first disagreement of a
        judge.
        """
        return self.answer(cross_checked(self.solvers, source))

    def judged(self, trace: str) -> dict[int, Answers]:
        """The answers of each judge to the checks of `trace`, which the solver wrote."""
        return self.answer(judged(self.solvers, trace))

    def investigated(self, case: Case) -> Investigated:
        """See whether the disagreement shows again, make its trace small, and find out who is
        wrong.
        """
        return self.answer(investigate(self.solvers, case))

    def close(self) -> None:
        """End all processes."""
        self._inquirer.clear()
        self._pool.close()
