"""The search for one script after another on which the targets are far behind the references.

What is done depends on the seed and on the solvers' counts alone. So a search that was stopped goes on
from its journal, in which each step stands with what it gave, without asking the solvers again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from murxpy.campaign.performance.agents import MUTATE, Agents, Choice
from murxpy.campaign.performance.weights import Weight, margin
from murxpy.smtlib.printing.scripts import print_script
from murxpy.trees.scripts import Garden, Trees

LEAST_LIMIT = 100.0  # milliseconds that the first queries of a round may cost
_ABOVE = 2.0  # times the best margin: the limit of a query, which is to beat it
_RAISED = 4.0  # times the limit: that of the next try where a target reached it
# the part of the greatest margin there is that ends a round
_ENOUGH = 0.9
Weigh = Callable[[int, str, float], Weight]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is searched: the dialects of the solvers, the first `targets` of which are to be slow, and
    the limit of a query in milliseconds. A round ends after `stale` steps without a better script.
    """

    dialects: tuple[str, ...]
    targets: int
    limit: float
    stale: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """A step with what it gave: the weights by solver, and the margin, None where it does not count."""

    choice: Choice
    weights: tuple[Weight, ...] = ()
    margin: float | None = None


@dataclass
class Round:
    """One search for one script: the best script until now, its margin, the step that gave it, and
    the steps since then.
    """

    first: int
    best: Trees | None = None
    margin: float = 0.0
    step: int = -1
    weights: tuple[Weight, ...] = ()
    stale: int = 0
    able: list[str] = field(default_factory=list)


class Search:
    """Searches with the scripts of `garden`; `weigh` asks the solvers."""

    def __init__(self, garden: Garden, plan: Plan, agents: Agents, weigh: Weigh) -> None:
        self._garden, self._plan, self._agents, self._weigh = garden, plan, agents, weigh
        self.number = 0
        self.round = Round(0)

    def step(self) -> Attempt:
        """Make and weigh the next script, and learn from it."""
        choice = self._choose()
        weights = self._weighed(self.trees(choice))
        attempt = Attempt(choice, weights, self._margin(weights))
        self._learn(attempt)
        return attempt

    def redo(self, found: float | None, weights: tuple[Weight, ...]) -> Attempt:
        """Take a step whose weights and margin are known from the journal."""
        attempt = Attempt(self._choose(), weights, found)
        self._learn(attempt)
        return attempt

    @property
    def over(self) -> bool:
        """Whether the round has its script: nothing can be better, or nothing better was found for
        long.
        """
        best, limit = self.round.margin, self._plan.limit
        return best >= _ENOUGH * 2 * limit or self.round.stale >= self._plan.stale

    def next_round(self, damped: Sequence[str]) -> None:
        """Begin another round, in which the operators `damped` are chosen less often."""
        self._agents.damp(damped)
        self._garden.damp(damped)
        self.round = Round(self.number)

    def trees(self, choice: Choice) -> Trees:
        """The script of a step."""
        if choice.loop == MUTATE and self.round.best is not None:
            return self._garden.mutant(self.round.best, choice.construct, choice.seed)
        return self._garden.new(choice.seed)

    def texts(self, trees: Trees) -> dict[str, str]:
        """The script in the dialects of the solvers."""
        script = self._garden.script(trees)
        return {
            dialect: print_script(script, dialect) for dialect in dict.fromkeys(self._plan.dialects)
        }

    def _choose(self) -> Choice:
        choice = self._agents.choose(self.number, self.round.able)
        self.number += 1
        return choice

    def _learn(self, attempt: Attempt) -> None:
        now = self.round
        better = attempt.margin is not None and attempt.margin > now.margin
        if now.best is not None:  # the first script of a round is better than nothing
            self._agents.learn(attempt.choice, better)
        now.stale += 1
        if better:
            assert attempt.margin is not None
            now.best = self.trees(attempt.choice)
            now.margin, now.step, now.stale = attempt.margin, attempt.choice.number, 0
            now.weights = attempt.weights
            now.able = self._garden.constructs(now.best)

    def _margin(self, weights: Sequence[Weight]) -> float | None:
        wanted = self._plan.targets
        if len(weights) < len(self._plan.dialects):
            return None  # a solver told that the script cannot be better
        return margin(weights[:wanted], weights[wanted:])

    def _weighed(self, trees: Trees) -> tuple[Weight, ...]:
        """The weights of a script, by solver: as many as are needed to know whether it is better than
        the best one. Limits follow the best margin.
        """
        texts, plan, best = self.texts(trees), self._plan, self.round.margin
        limit = min(plan.limit, max(LEAST_LIMIT, _ABOVE * best))
        while True:
            found: list[Weight] = []
            for number, dialect in enumerate(plan.dialects):
                bound = limit
                if number >= plan.targets:
                    bound = min(limit, min(w.par2 for w in found[: plan.targets]) - best)
                weight = self._weigh(number, texts[dialect], bound)
                found.append(weight)
                if not weight.counts or (number < plan.targets and weight.par2 <= best):
                    return tuple(found)
                if number >= plan.targets and not weight.decided:
                    return tuple(found)
            if limit >= plan.limit or all(w.decided for w in found[: plan.targets]):
                return tuple(found)
            limit = min(plan.limit, _RAISED * limit)
