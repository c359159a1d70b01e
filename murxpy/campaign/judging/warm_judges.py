"""A solver and its judges, all warm: for questions about one trace after another, outside of a
campaign.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from murxpy.campaign.findings.candidates import version_of
from murxpy.campaign.judging.disagreement import (
    Bench,
    Case,
    Solved,
    Work,
    hear,
    investigate,
    judged,
)
from murxpy.campaign.judging.judge_limits import own_limit
from murxpy.campaign.replays.inquiries import Ask, Inquirer, Questions, T
from murxpy.campaign.replays.tester import OutOfTime
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.pool import Pool
from murxpy.campaign.workers.targets import Plan
from murxpy.errors import InputError
from murxpy.oracles.crash import Outcome
from murxpy.oracles.disagreement import OPPOSITE, Answers
from murxpy.oracles.triage import Triage
from murxpy.trace.finished import until_row


class Court:
    """The solver of `plan` and those of `judges`. Raises TargetError where one cannot be loaded.
    `close` ends all processes.
    """

    def __init__(self, plan: Plan, judges: Sequence[Plan], limits: Limits) -> None:
        self._pool = Pool([plan, *judges], limits)
        self.deadline: float | None = None
        self.asked = 0
        try:
            abouts = self._pool.warm()
        except BaseException:
            self._pool.close()
            raise
        releases = [
            f"{p.target.family} {version_of(about)}"
            for p, about in zip(self._pool.plans, abouts, strict=True)
        ]
        self.bench = Bench(
            self._pool.plans,
            releases,
            [own_limit(plan, limits.judge_ms) for plan in self._pool.plans],
        )
        self._inquirer = Inquirer(self._pool)

    def answer(self, questions: Questions[T]) -> T:
        """What comes of `questions`. Raises OutOfTime past the deadline."""
        results: list[T] = []
        self._inquirer.add(self._counted(questions), results.append)
        while not results:
            if self.deadline is not None and time.monotonic() >= self.deadline:
                self._inquirer.clear()
                raise OutOfTime
            self._inquirer.feed()
            for event in self._pool.step(0.05):
                self._inquirer.take(event)
        return results[0]

    def answers(self, each: Iterable[Questions[T]], jobs: int) -> Iterator[T]:
        """What comes of each of several inquiries, in order; `jobs` of them are under way at a
        time.
        """
        inquirers = [Inquirer(self._pool) for _ in range(jobs)]
        results: dict[int, T] = {}
        begun, told, waiting = 0, 0, iter(each)
        more = True
        while more or told < begun:
            for inquirer in inquirers:
                questions = None if inquirer.busy or not more else next(waiting, None)
                if questions is not None:
                    inquirer.add(self._counted(questions), partial(results.__setitem__, begun))
                    begun += 1
                more = more and (inquirer.busy or questions is not None)
                inquirer.feed()
            while told in results:
                yield results.pop(told)
                told += 1
            for event in self._pool.step(0.05) if told < begun else ():
                any(inquirer.take(event) for inquirer in inquirers)

    def _counted(self, questions: Questions[T]) -> Questions[T]:
        outcome: Outcome | None = None
        while True:
            try:
                ask: Ask = next(questions) if outcome is None else questions.send(outcome)
            except StopIteration as end:
                value: T = end.value
                return value
            self.asked += 1
            outcome = yield ask

    def hear(self, source: str) -> tuple[Outcome, Case | None]:
        """The replay of the trace `source`, and the first check that a judge answers otherwise."""
        return self.answer(hear(self.bench, source))

    def judged(self, trace: str) -> dict[int, Answers]:
        """What each judge answers to the checks of `trace`, as its solver wrote it."""
        return self.answer(judged(self.bench, trace))

    def solve(self, case: Case) -> Solved:
        """See whether it shows again, make it small, and find out who is wrong."""
        return self.answer(investigate(self.bench, case))

    def close(self) -> None:
        """End all processes."""
        self._inquirer.clear()
        self._pool.close()


class Disagreeing:
    """The predicate of the minimizer for a disagreement: both sides still answer so at the last
    check, and the same one is wrong.

    First the solver of the trace answers, then the judge; where both do as before, all the evidence
    is taken again. Raises InputError where the trace shows no disagreement.
    """

    def __init__(self, court: Court, source: str, name: str, deadline: float | None) -> None:
        self._court = court
        court.deadline = deadline
        outcome, case = court.hear(source)
        report = outcome.report or {}
        if report.get("status") == "malformed":
            raise InputError(str(report["message"]).replace("trace:", f"{name}:", 1))
        if case is None:
            judges = " and ".join(court.bench.releases[1:])
            raise InputError(
                f"it shows no disagreement with {judges}, expected a trace that 'murxpy replay --cross-check' exits with "
                "1 for",
                file=name,
            )
        self._work = Work(court.bench, case)
        self.start = self._cut(case, name)
        self._triage = self._verdict(self.start)
        names = f"{court.bench.releases[0]} {case.ours}, {court.bench.releases[case.judge]} {OPPOSITE[case.ours]}"
        wrong = (
            f", {self._triage.verdict} of {self._triage.release}" if self._triage.culprit else ""
        )
        self.key = f"disagreement: {names}{wrong}"

    def _cut(self, case: Case, name: str) -> str:
        """The trace up to the check in question, which must show it again."""
        shown = self._court.answer(self._work.replayed(until_row(case.trace, case.line)))
        if shown is None:
            raise InputError(
                f"it does not show the disagreement each time: {self._work.note}", file=name
            )
        return shown

    def _verdict(self, trace: str) -> Triage:
        return self._court.answer(self._work.evidence(trace))

    @property
    def deadline(self) -> float | None:
        """When the time is over."""
        return self._court.deadline

    @deadline.setter
    def deadline(self, deadline: float | None) -> None:
        self._court.deadline = deadline

    @property
    def tests(self) -> int:
        """The replays so far."""
        return self._court.asked

    def first(self, texts: Iterator[str]) -> int | None:
        """The index of the first of `texts` that shows the disagreement, the same solver being
        wrong.
        """
        return next((at for at, text in enumerate(texts) if self._shows(text) is not None), None)

    def _shows(self, text: str) -> str | None:
        shown = self._court.answer(self._work.replayed(text))
        if shown is None or not self._triage.culprit:
            return shown
        now = self._verdict(shown)
        return (
            shown
            if (now.verdict, now.culprit) == (self._triage.verdict, self._triage.culprit)
            else None
        )

    def polished(self, text: str) -> str:
        """`text` as its replay writes it, the judges in its header, where that shows the same."""
        shown = self._shows(text)
        return text if shown is None else self._work.named(shown)

    def doubted(self, text: str) -> bool:
        """Never: each candidate was seen to show it."""
        return False

    def close(self) -> None:
        """End all processes."""
        self._court.close()
