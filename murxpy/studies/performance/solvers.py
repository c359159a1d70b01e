"""Measures the cost of a script for each solver, and how far the targets are behind the references."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from murxpy.machine.outcomes import CRASH
from murxpy.oracles.crash import Outcome
from murxpy.processes.environments import Notice
from murxpy.processes.inquiries import Ask, Inquirer, Questions, T, script_plan, script_setup
from murxpy.processes.limits import MIB, Limits, ensure_files
from murxpy.processes.pool import Pool
from murxpy.processes.service import Replays
from murxpy.processes.targets import version_of
from murxpy.sources.trees.weighing import SESSION

DECIDED = ("sat", "unsat")
# A solver went past its limit: in its own units, or by the processor's time where it hardly counts.
EXHAUSTED, LATE = "exhausted", "late"
_UNSOLVED = 2  # times the limit: the cost of a script that a solver does not decide within it


@dataclass(frozen=True, slots=True)
class Weight:
    """The cost of a script for a solver: its answer, or the reason for having none, and the
    milliseconds of a usual machine that its units stand for, at most `limit`. `memory` are the bytes
    that its process needed, 0 where that is not known.
    """

    answer: str
    ms: float
    limit: float
    message: str = ""
    memory: int = field(default=0, compare=False)

    @property
    def decided(self) -> bool:
        """Whether the solver answered sat or unsat."""
        return self.answer in DECIDED

    @property
    def counts(self) -> bool:
        """Whether the script tells how fast the solver is: errors, refusals, deaths, lack of memory
        and an answer `unknown` before the limit do not.
        """
        return self.decided or self.answer in (EXHAUSTED, LATE)

    @property
    def gave_up(self) -> bool:
        """Whether the solver answered unknown before its limit."""
        return self.answer == "unknown"

    @property
    def par2(self) -> float:
        """The cost in milliseconds; twice the limit where the script was not decided."""
        return self.ms if self.decided else _UNSOLVED * self.limit

    def within(self, limit: float) -> Weight:
        """The weight of the same script, which the solver decided, within another limit."""
        if self.ms > limit:
            return Weight(EXHAUSTED, limit, limit, memory=self.memory)
        return replace(self, limit=limit)


def differ(weights: Sequence[Weight]) -> bool:
    """Whether one solver answers sat and another unsat."""
    return {"sat", "unsat"} <= {weight.answer for weight in weights}


def left_to_others(some: Sequence[Weight], others: Sequence[Weight]) -> bool:
    """Whether one of some solvers gives up on a script that all others decide."""
    decided = bool(others) and all(weight.decided for weight in others)
    return decided and any(weight.gave_up for weight in some)


def margin(targets: Sequence[Weight], references: Sequence[Weight]) -> float | None:
    """The least PAR-2 of the targets less the greatest of the references; without references that of
    the targets. A target that gives up counts like one that reaches its limit, where there are
    references. The margin is None if some other answer does not count, or a reference did not decide.
    """
    if not all(weight.counts or (weight.gave_up and references) for weight in targets):
        return None
    if not all(weight.decided for weight in references):
        return None
    behind = max((weight.par2 for weight in references), default=0.0)
    return min(weight.par2 for weight in targets) - behind


# ----------------------------------------------------------------------
# The solvers of a search, each in a process that weighs one script after another.


# A query may take so many times its limit of the processor's time, and so many milliseconds more.
# The solver's count in a millisecond depends on the script, and some work is not counted at all.
_PATIENCE, _GRACE = 4.0, 1000.0
_DEAD = 2.0  # times as long until the process is killed
_ANSWERS = {"wall": LATE, "cpu": LATE, "memory": "memory"}


@dataclass(frozen=True, slots=True)
class Solver:
    """A solver of a search: its name as the user wrote it, its family and release, how many units it
    counts in a millisecond of a usual machine, and the operators that it does not read in scripts.
    """

    number: int
    name: str
    family: str
    version: str
    per_ms: float
    unread: tuple[str, ...] = ()


def cost_rows(solvers: Sequence[Solver], weights: Sequence[Weight]) -> list[dict[str, Any]]:
    """What a script cost each solver, as plain data."""
    return [
        {
            "solver": one.name,
            "version": one.version,
            "answer": weight.answer,
            "ms": round(weight.ms, 1),
            "limit-ms": round(weight.limit, 1),
            "memory-mib": round(weight.memory / MIB, 1),
        }
        for one, weight in zip(solvers, weights, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Measure:
    """The cost of a script for a solver in a fresh process: its answer, the milliseconds of the
    processor, and the units that the solver counted, 0 if its process did not live to tell.
    """

    answer: str
    ms: float
    units: int


class Solvers:
    """Processes of some solvers, for scripts of these theories; `jobs` of them are asked at a time.
    `watch` is called while they are waited for, and may raise an exception.

    Raises InputError and TargetError where a solver cannot be used.
    """

    def __init__(
        self,
        names: Sequence[str],
        theories: Sequence[str],
        wrapper: str | None,
        limits: Limits,
        notice: Notice,
        jobs: int = 1,
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        ensure_files(jobs * len(names))
        plans = [
            script_plan(name, script_setup(SESSION, name, wrapper, 0.0), notice) for name in names
        ]
        self._watch = watch
        self._pool = Pool(plans, limits)
        abouts = self._pool.warm()
        self._service = Replays(self._pool)
        self._inquirers = [Inquirer(self._service) for _ in range(jobs)]
        self.known = [
            Solver(
                number,
                name,
                plan.setup["wrapper"]["solver"],
                version_of(about),
                per_ms(plan.setup["wrapper"], theories),
                tuple(cast("list[str]", about["unread"])),
            )
            for number, (name, plan, about) in enumerate(zip(names, plans, abouts, strict=True))
        ]

    def weighing(self, number: int, script: str, limit_ms: float) -> Questions[Weight]:
        """Begin to weigh a script: its cost for a solver, in units of the solver."""
        unit = self.known[number].per_ms
        limit, wall = max(1, int(limit_ms * unit)), _PATIENCE * limit_ms + _GRACE
        outcome = yield _question(number, script, limit, wall)
        return weight_of(outcome, limit_ms, limit, unit, wall)

    def weigh(self, number: int, script: str, limit_ms: float) -> Weight:
        """Weigh a script at once and return its cost for a solver."""
        return self._answer(self.weighing(number, script, limit_ms))

    def measure(self, number: int, script: str, wall_ms: float) -> Measure:
        """Measure the cost of a script for a solver in a fresh process."""
        outcome = self._answer(_asked(_question(number, script, 0, wall_ms, fresh=True)))
        answer = weight_of(outcome, wall_ms, 0, 1.0, wall_ms).answer
        if outcome.report is None:
            return Measure(answer, wall_ms, 0)
        said = outcome.report["weighed"]
        return Measure(answer, min(said["ms"], wall_ms), said["cost"])

    def begin(self, questions: Questions[T], done: Callable[[T], None]) -> bool:
        """Ask these questions beside others; `step` calls `done` with their result. The result says
        whether the questions were begun: they are not if so many are running already.
        """
        free = next((inquirer for inquirer in self._inquirers if not inquirer.busy), None)
        if free is not None:
            free.add(questions, done)
            free.feed()
        return free is not None

    def step(self) -> None:
        """Wait a moment for answers."""
        self._watch()
        self._service.step()

    @property
    def cpu(self) -> float:
        """The seconds of all processors that the processes took until now."""
        return sum(self._service.cpu().values())

    def stop(self) -> None:
        """Forget all running questions."""
        for inquirer in self._inquirers:
            inquirer.clear()

    def answers(self, each: Iterable[Questions[T]]) -> Generator[T, None, None]:
        """The results of questions in their order, while as many questions as possible run. No other
        question may be running. Closing the iterator ends the questions that are not needed any more.
        """
        waiting, results, told = enumerate(each), dict[int, T](), 0
        following, begun = next(waiting, None), 0
        try:
            while following is not None or told < begun:
                while following is not None and self.begin(
                    following[1], partial(results.__setitem__, following[0])
                ):
                    following, begun = next(waiting, None), begun + 1
                if told in results:
                    told += 1
                    yield results.pop(told - 1)
                else:
                    self.step()
        finally:
            if told < begun:
                self.stop()

    def _answer(self, questions: Questions[T]) -> T:
        (result,) = self.answers([questions])
        return result

    def close(self) -> None:
        """End all processes."""
        self._pool.close()


def _question(number: int, script: str, limit: int, wall_ms: float, *, fresh: bool = False) -> Ask:
    text = json.dumps({"script": script, "limit": limit, "wall-ms": int(wall_ms)})
    return Ask(number, text, fresh=fresh, wall=_DEAD * wall_ms / 1000 + 1)


def _asked(question: Ask) -> Questions[Outcome]:
    return (yield question)


def per_ms(wrapper: Mapping[str, Any], theories: Sequence[str]) -> float:
    """Return how many units a solver counts in a millisecond of a usual machine in scripts of these
    theories: the least number of those of the theories, as far as they are known.
    """
    special: Mapping[str, float] = wrapper["limit-per-ms-of"]
    known = [special[theory] for theory in theories if theory in special]
    return min(known, default=float(wrapper["limit-per-ms"]))


def weight_of(outcome: Outcome, limit_ms: float, limit: int, unit: float, wall_ms: float) -> Weight:
    """The weight of a script that a process was asked for, within `limit` units and `wall_ms`."""
    if outcome.report is None:
        return Weight(_ANSWERS.get(outcome.cause, CRASH), 0.0, limit_ms)
    said: dict[str, Any] = outcome.report["weighed"]
    answer, ms, memory = said["answer"], said["cost"] / unit, int(said.get("memory", 0))
    if answer in ("sat", "unsat"):
        # a check that ends behind its limit ends so by chance
        over = bool(limit) and said["cost"] > limit
        return Weight(EXHAUSTED if over else answer, min(ms, limit_ms), limit_ms, "", memory)
    if answer == "unknown" and limit and said["cost"] >= limit:
        return Weight(EXHAUSTED, limit_ms, limit_ms, "", memory)
    if answer == "unknown" and said["ms"] >= 0.9 * wall_ms:
        return Weight(LATE, limit_ms, limit_ms, "", memory)
    return Weight(answer, ms, limit_ms, said["message"], memory)
