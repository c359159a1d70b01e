"""The search for one script after another on which the targets are far behind the references.

What is done depends on the seed and on the solvers' counts alone. So a search that was stopped goes on
from its journal, in which each step stands with what it gave, without asking the solvers again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from murxpy.campaign.performance.agents import MUTATE, Agents, Choice
from murxpy.campaign.performance.minimizing import Slow, Weigh
from murxpy.campaign.performance.weights import Weight, margin
from murxpy.smtlib.printing.scripts import print_script
from murxpy.trees.scripts import Garden, Trees

LEAST_LIMIT = 100.0  # milliseconds that the first queries of a round may cost
# times the best margin: the limit of a query, which is to beat it. A script that reaches it is asked
# again with a higher one, unless a reference needs too long.
_ABOVE = 1.1
_RAISED = 4.0  # times the limit: that of the next try where a target reached it
# the part of the greatest margin there is that ends a round
_ENOUGH = 0.9
_STALE = 20  # queries as costly as can be, without a better script, that end a round, too


@dataclass(frozen=True, slots=True)
class Plan:
    """What is searched: the dialects of the solvers, the first `targets` of which are to be slow, and
    the limit of a query in milliseconds. A round ends after `stale` steps without a better script, and
    after `enough` where the best one is slow enough to be a finding.
    """

    dialects: tuple[str, ...]
    targets: int
    limit: float
    stale: int
    enough: int = 30


@dataclass(frozen=True, slots=True)
class Attempt:
    """A step with what it gave: the weights by solver, the margin, None where it does not count, and
    the milliseconds of a usual machine that all queries cost.
    """

    choice: Choice
    weights: tuple[Weight, ...]
    margin: float | None
    spent: float


@dataclass
class Round:
    """One search for one script: the best script until now, its margin, the step that gave it, and
    the steps and the milliseconds of all solvers since then.
    """

    first: int
    best: Trees | None = None
    margin: float = 0.0
    step: int = -1
    weights: tuple[Weight, ...] = ()
    stale: int = 0
    spent: float = 0.0
    able: list[str] = field(default_factory=list)


class Search:
    """Searches with the scripts of `garden`; `weigh` asks the solvers."""

    def __init__(self, garden: Garden, plan: Plan, agents: Agents, weigh: Weigh) -> None:
        self._garden, self._plan, self._agents, self._weigh = garden, plan, agents, weigh
        self.number, self.spent = 0, 0.0
        self.last: Mapping[str, str] = {}  # the texts of the script that was weighed last
        self.round = Round(0)

    def step(self) -> Attempt:
        """Make and weigh the next script, and learn from it."""
        choice = self._choose()
        weights, spent = self._weighed(self.trees(choice))
        attempt = Attempt(choice, weights, self._margin(weights), spent)
        self._learn(attempt)
        return attempt

    def redo(self, found: float | None, weights: tuple[Weight, ...], spent: float) -> Attempt:
        """Take a step whose weights and margin are known from the journal."""
        attempt = Attempt(self._choose(), weights, found, spent)
        self._learn(attempt)
        return attempt

    @property
    def over(self) -> bool:
        """Whether the round has its script: nothing can be better, or nothing better was found for
        long.
        """
        best, limit = self.round.margin, self._plan.limit
        slow = self.slow
        patience = self._plan.stale if slow is None else self._plan.enough
        late = self.round.spent >= _STALE * limit
        return best >= _ENOUGH * 2 * limit or self.round.stale >= patience or late

    @property
    def slow(self) -> Slow | None:
        """The best script of the round, where it is slow enough to be a finding."""
        now, plan = self.round, self._plan
        if now.best is None:
            return None
        script = self._garden.script(now.best)
        found = Slow(script, now.weights, plan.dialects, plan.targets, plan.limit)
        return found if found.counts else None

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
            self._agents.learn(attempt.choice, gain_of(attempt.margin, now.margin), attempt.spent)
        now.stale += 1
        now.spent += attempt.spent
        self.spent += attempt.spent
        if better:
            assert attempt.margin is not None
            now.best = self.trees(attempt.choice)
            now.margin, now.step = attempt.margin, attempt.choice.number
            now.stale, now.spent = 0, 0.0
            now.weights = attempt.weights
            now.able = self._garden.constructs(now.best)

    def _margin(self, weights: Sequence[Weight]) -> float | None:
        wanted = self._plan.targets
        if len(weights) < len(self._plan.dialects):
            return None  # a solver told that the script cannot be better
        return margin(weights[:wanted], weights[wanted:])

    def _weighed(self, trees: Trees) -> tuple[tuple[Weight, ...], float]:
        """The weights of a script, by solver, and what asking cost: as many as are needed to know
        whether it is better than the best one. Limits follow the best margin.
        """
        texts, plan, spent = self.texts(trees), self._plan, 0.0
        self.last = texts
        limit = min(plan.limit, max(LEAST_LIMIT, _ABOVE * self.round.margin))
        while True:
            found = self._within(texts, limit)
            spent += sum(weight.ms for weight in found)
            reached = any(not weight.decided for weight in found[: plan.targets])
            if self._margin(found) is None or limit >= plan.limit or not reached:
                return found, spent
            limit = min(plan.limit, _RAISED * limit)

    def _within(self, texts: Mapping[str, str], limit: float) -> tuple[Weight, ...]:
        """The weights within a limit, up to the first solver that tells that the script is no
        better.
        """
        plan, best, found = self._plan, self.round.margin, list[Weight]()
        for number, dialect in enumerate(plan.dialects):
            target = number < plan.targets
            least = min([weight.par2 for weight in found[: plan.targets]], default=0.0)
            bound = limit if target else min(limit, least - best)
            weight = self._weigh(number, texts[dialect], bound)
            found.append(weight)
            if not weight.counts or (weight.par2 <= best if target else not weight.decided):
                break
        return tuple(found)


def gain_of(found: float | None, best: float) -> float:
    """The share by which a margin, if there is one, is above the best, at most 1."""
    return 0.0 if found is None else min(1.0, max(0.0, (found - best) / max(best, 1.0)))
