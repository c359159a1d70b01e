"""The solvers of a search, each in a process that weighs one script after another."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from murxpy.campaign.performance.weights import EXHAUSTED, LATE, Weight
from murxpy.campaign.replays.lists import plan_of
from murxpy.campaign.replays.service import Fresh, Future, Group, Replays
from murxpy.campaign.workers.handles import Job
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.pool import Pool
from murxpy.campaign.workers.targets import version_of
from murxpy.oracles.crash import Outcome
from murxpy.releases.environments import Notice
from murxpy.trees.weighing import SESSION

# A query may take so many times its limit of the processor's time, and so many milliseconds more. What
# a solver counts for a millisecond depends on the script, and some work is not counted at all.
_PATIENCE, _GRACE = 4.0, 1000.0
_DEAD = 2.0  # times as long until the process is killed
_ANSWERS = {"wall": LATE, "cpu": LATE, "memory": "memory"}


@dataclass(frozen=True, slots=True)
class Solver:
    """A solver of a search: its name as the user wrote it, its family and release, and how many units
    it counts in a millisecond of a usual machine.
    """

    number: int
    name: str
    family: str
    version: str
    per_ms: float


class Solvers:
    """The processes of some targets, for scripts of these theories. Raises InputError and TargetError where one cannot be used."""

    def __init__(
        self,
        names: Sequence[str],
        theories: Sequence[str],
        wrapper: str | None,
        limits: Limits,
        notice: Notice,
    ) -> None:
        more = {"session": SESSION}
        plans = [plan_of(name, wrapper, 0.0, more, notice) for name in names]
        self._pool = Pool(plans, limits)
        abouts = self._pool.warm()
        self._service = Replays(self._pool)
        self._groups = [Group(target=number) for number in range(len(plans))]
        self.known = [
            Solver(
                number,
                name,
                plan.setup["wrapper"]["solver"],
                version_of(about),
                per_ms(plan.setup["wrapper"], theories),
            )
            for number, (name, plan, about) in enumerate(zip(names, plans, abouts, strict=True))
        ]

    def weigh(self, number: int, script: str, limit_ms: float) -> Weight:
        """What a script costs a solver, in units of the solver."""
        unit = self.known[number].per_ms
        limit = int(limit_ms * unit)
        outcome = self._ask(number, script, limit, _PATIENCE * limit_ms + _GRACE, fresh=False)
        return weight_of(outcome, limit_ms, limit, unit, _PATIENCE * limit_ms + _GRACE)

    def measure(self, number: int, script: str, wall_ms: float) -> Weight:
        """What a script costs a solver in a fresh process, by the processor's time."""
        outcome = self._ask(number, script, 0, wall_ms, fresh=True)
        weight = weight_of(outcome, wall_ms, 0, 1.0, wall_ms)
        took = wall_ms if outcome.report is None else outcome.report["weighed"]["ms"]
        return replace(weight, ms=min(took, wall_ms))

    def count(self, number: int, script: str, limit_ms: float) -> tuple[int, float]:
        """What a solver counts for a script, and the milliseconds of the processor that it takes; nothing
        where its process dies.
        """
        limit = int(limit_ms * self.known[number].per_ms)
        outcome = self._ask(number, script, limit, _PATIENCE * limit_ms, fresh=False)
        said = {"cost": 0, "ms": 0.0} if outcome.report is None else outcome.report["weighed"]
        return int(said["cost"]), float(said["ms"])

    def _ask(self, number: int, script: str, limit: int, wall_ms: float, *, fresh: bool) -> Outcome:
        text = json.dumps({"script": script, "limit": limit, "wall-ms": int(wall_ms)})
        ended: list[Future] = []
        job = Job(0, _DEAD * wall_ms / 1000 + 1, text=text, name="script")
        on = Fresh(number) if fresh else self._groups[number]
        self._service.submit([job], on, ended.append)
        while not ended:
            self._service.step()
        return ended[0].seen()[0]

    def close(self) -> None:
        """End all processes."""
        self._pool.close()


def per_ms(wrapper: Mapping[str, Any], theories: Sequence[str]) -> float:
    """How many units a solver counts in a millisecond of a usual machine in scripts of these theories:
    the least number of those of the theories, as far as they are known.
    """
    special: Mapping[str, float] = wrapper["limit-per-ms-of"]
    known = [special[theory] for theory in theories if theory in special]
    return min(known, default=float(wrapper["limit-per-ms"]))


def weight_of(outcome: Outcome, limit_ms: float, limit: int, unit: float, wall_ms: float) -> Weight:
    """The weight of a script that a process was asked for, within `limit` units and `wall_ms`."""
    if outcome.report is None:
        return Weight(_ANSWERS.get(outcome.cause, "crash"), 0.0, limit_ms)
    said: dict[str, Any] = outcome.report["weighed"]
    answer, ms = said["answer"], said["cost"] / unit
    if answer in ("sat", "unsat"):
        # a check that ends behind its limit ends so by chance
        over = bool(limit) and said["cost"] > limit
        return Weight(EXHAUSTED if over else answer, min(ms, limit_ms), limit_ms)
    if answer == "unknown" and limit and said["cost"] >= limit:
        return Weight(EXHAUSTED, limit_ms, limit_ms)
    if answer == "unknown" and said["ms"] >= 0.9 * wall_ms:
        return Weight(LATE, limit_ms, limit_ms)
    return Weight(answer, ms, limit_ms, said["message"])
