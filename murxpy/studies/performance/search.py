"""The two agents of BanditFuzz: one chooses between a new script and a mutant of the best one, the
other the operator that is put into the mutant.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from murxpy.learning.bandit import DECAY, Bandit
from murxpy.machine.random import Stream, mix
from murxpy.processes.inquiries import Questions
from murxpy.sources.trees.scripts import Trees, TreeScripts
from murxpy.studies.performance.minimizing import Slow, Weighing, texts_in
from murxpy.studies.performance.solvers import Solvers, Weight, margin

NEW, MUTATE = "new", "mutate"
_ARMS, _TREES = 1, 2  # key the streams of a step
LEAST_PRICE = 10.0  # milliseconds: what the work around a query takes
_DAMPED = 10.0  # losses of an operator that a slow script is known for


@dataclass(frozen=True, slots=True)
class Choice:
    """The choice of a step: a new script, or a mutant with the operator `construct`; from this seed."""

    number: int
    loop: str
    construct: str
    seed: int


class Agents:
    """Chooses the steps of a search with this seed. Without `learning`, every script is new.

    A mutant of a slow script is slow, too: it can cost as much as a hundred new scripts. The first
    agent therefore draws by the gain of an arm for the cost of its steps. A cheap mutant of a script
    that costs nothing is no gain: a mutant has at least the price of a new script.

    An arm remembers the more, the nearer `decay` is to 1. With `one` agent, new scripts and mutants
    take turns, and only the operators of mutants are learnt.
    """

    def __init__(
        self,
        seed: int,
        constructs: Sequence[str],
        *,
        learning: bool = True,
        decay: float = DECAY,
        one: bool = False,
    ) -> None:
        self._seed, self._learning, self._one = seed, learning, one
        self.loop = Bandit((NEW, MUTATE), decay)
        self.construct = Bandit(constructs, decay)
        self._prices = dict.fromkeys(self.loop.arms, LEAST_PRICE)

    def choose(self, number: int, able: Sequence[str]) -> Choice:
        """Step `number`, where the operators `able` can be put into the best script; there is none
        yet where these are none.
        """
        key = mix(self._seed, number)
        stream, seed = Stream(mix(key, _ARMS)), mix(key, _TREES)
        if not able or not self._learning or self._next(number, stream) == NEW:
            return Choice(number, NEW, "", seed)
        return Choice(number, MUTATE, self.construct.draw(stream, able), seed)

    def _next(self, number: int, stream: Stream) -> str:
        return self.loop.arms[number % 2] if self._one else self._drawn(stream)

    def _drawn(self, stream: Stream) -> str:
        new, mutant = self._prices[NEW], self._prices[MUTATE]
        return self.loop.draw(stream, prices={NEW: new, MUTATE: max(new, mutant)})

    def learn(self, choice: Choice, gain: float, spent: float) -> None:
        """Learn by what share of itself, at most 1, the best margin grew in a step that cost so many
        milliseconds.
        """
        price = self._prices[choice.loop]
        self._prices[choice.loop] = DECAY * price + (1 - DECAY) * max(LEAST_PRICE, spent)
        self.loop.reward(choice.loop, gain)
        if choice.construct:
            self.construct.reward(choice.construct, gain)

    def damp(self, constructs: Iterable[str]) -> None:
        """Choose these operators less often, because their results are known."""
        for construct in constructs:
            if construct in self.construct.arms:
                self.construct.damp(construct, _DAMPED)


# ----------------------------------------------------------------------
# The search for one script after another on which the targets are far behind the references. The
# steps of a search depend on the seed and on the solvers' counts alone. A search that was stopped
# therefore continues from its journal, in which each step stands with its result, without asking
# the solvers again.


LEAST_LIMIT = 100.0  # milliseconds that the first queries of a round may cost
LEAST_GAIN = 1.0  # milliseconds by which a margin must be better than the best one
# times the best margin: the limit of a query, which is to beat it. A script that reaches it is asked
# again with a higher one, unless a reference needs too long.
_ABOVE = 1.1
_RAISED = 4.0  # times the limit: that of the next try where a target reached it
# the part of the greatest margin there is that ends a round
_ENOUGH = 0.9


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a search: the dialects of the solvers, the first `targets` of which are to be slow,
    and the limit of a query in milliseconds. A round ends after `stale` steps without a better
    script, after `enough` where the best one is slow enough to be a finding, and where the steps cost
    as much as so many queries with the whole limit (`costly`).
    """

    dialects: tuple[str, ...]
    targets: int
    limit: float
    stale: int
    enough: int = 30
    costly: int = 20


@dataclass(frozen=True, slots=True)
class Step:
    """A step that was chosen: the best script of the round at that time, and its margin."""

    choice: Choice
    parent: Trees | None
    best: float


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of a step: the weights by solver, the margin, None if it does not count, and the
    milliseconds of a usual machine that all queries cost.
    """

    weights: tuple[Weight, ...]
    margin: float | None
    spent: float


@dataclass
class Round:
    """One search for one script: the best script until now, its margin, the step that gave it, its
    weights and whether it is `slow` enough to be a finding; the operators that can be put into it;
    and the steps and the milliseconds of all solvers since then.

    A script whose margin is below 0 is no beginning: most of these are decided at once, and so are
    nearly all of their mutants.
    """

    best: Trees | None = None
    margin: float = 0.0
    step: int = -1
    weights: tuple[Weight, ...] = ()
    slow: bool = False
    able: list[str] = field(default_factory=list)
    stale: int = 0
    spent: float = 0.0


class Search:
    """Searches with the scripts of `tree_scripts`; `weighing` asks a solver."""

    def __init__(
        self, tree_scripts: TreeScripts, plan: Plan, agents: Agents, weighing: Weighing
    ) -> None:
        self._garden, self._plan, self._agents, self._weighing = (
            tree_scripts,
            plan,
            agents,
            weighing,
        )
        self.number, self.spent = 0, 0.0
        self.round = Round()
        self._paid: set[str] = set()  # operators that were paid for making a target give up

    def choose(self) -> Step:
        """Choose the next step by what was learnt until now."""
        now = self.round
        step = Step(self._agents.choose(self.number, now.able), now.best, now.margin)
        self.number += 1
        return step

    def learn(self, step: Step, attempt: Attempt) -> None:
        """Learn from a step. Steps are learnt from in the order in which they were chosen."""
        now, choice = self.round, step.choice
        if now.best is not None:  # the first script of a round is better than nothing
            self._agents.learn(choice, self._gain(choice, attempt), attempt.spent)
        now.stale += 1
        now.spent += attempt.spent
        self.spent += attempt.spent
        if (
            attempt.margin is not None
            and attempt.margin > now.margin + LEAST_GAIN
            and not self._gave_up(attempt)
        ):
            now.best, now.margin, now.step = self.trees(step), attempt.margin, choice.number
            now.weights, now.stale, now.spent = attempt.weights, 0, 0.0
            now.able = self._garden.constructs(now.best)
            now.slow = self._slow(now.best).counts

    def _gave_up(self, attempt: Attempt) -> bool:
        """Whether a target gave up on a script. Such a script has the greatest margin that there can be, and
        is a finding at once. As the best script of a round it would end each round at the first one.
        """
        return any(weight.gave_up for weight in attempt.weights[: self._plan.targets])

    def _gain(self, choice: Choice, attempt: Attempt) -> float:
        """What a step pays. An operator that makes a target give up pays once, because the search would
        go after the same cause again and again.
        """
        if not self._gave_up(attempt):
            return gain_of(attempt.margin, self.round.margin)
        if attempt.margin is None or choice.construct in self._paid:
            return 0.0
        self._paid.add(choice.construct)
        return gain_of(attempt.margin, self.round.margin)

    @property
    def over(self) -> bool:
        """Whether the round has its script: nothing can be better, or nothing better was found for
        long.
        """
        now, limit = self.round, self._plan.limit
        patience = self._plan.enough if now.slow else self._plan.stale
        late = now.spent >= self._plan.costly * limit
        return now.margin >= _ENOUGH * 2 * limit or now.stale >= patience or late

    @property
    def slow(self) -> Slow | None:
        """The best script of the round, where it is slow enough to be a finding."""
        now = self.round
        return self._slow(now.best) if now.best is not None and now.slow else None

    def _slow(self, trees: Trees) -> Slow:
        plan, script = self._plan, self._garden.script(trees)
        return Slow(script, self.round.weights, plan.dialects, plan.targets, plan.limit)

    def next_round(self, damped: Sequence[str]) -> None:
        """Begin another round, in which the operators `damped` are chosen less often."""
        self._agents.damp(damped)
        self._garden.damp(damped)
        self.round = Round()

    def trees(self, step: Step) -> Trees:
        """The script of a step."""
        choice = step.choice
        if choice.loop == MUTATE and step.parent is not None:
            return self._garden.mutant(step.parent, choice.construct, choice.seed)
        return self._garden.new(choice.seed)

    def texts(self, step: Step) -> dict[str, str]:
        """The script of a step in the dialects of the solvers."""
        return texts_in(self._plan.dialects, self._garden.script(self.trees(step)))

    def weighed(self, step: Step) -> Questions[Attempt]:
        """Return the result of a step: the weights of as many solvers as are needed to know whether
        the script is better than the best one. Limits follow the best margin.
        """
        plan = self._plan
        asking = _Asking(self._weighing, self.texts(step), plan, step.best)
        limit = min(plan.limit, max(LEAST_LIMIT, _ABOVE * step.best))
        while True:
            found = yield from asking.within(limit)
            margin = self._margin(found)
            reached = any(
                not (weight.decided or weight.gave_up) for weight in found[: plan.targets]
            )
            if margin is None or limit >= plan.limit or not reached:
                return Attempt(found, margin, asking.spent)
            limit = min(plan.limit, _RAISED * limit)

    def _margin(self, weights: Sequence[Weight]) -> float | None:
        wanted = self._plan.targets
        if len(weights) < len(self._plan.dialects):
            return None  # a solver already showed that the script cannot be better
        return margin(weights[:wanted], weights[wanted:])


class _Asking:
    """The questions about one script, which is to be better than the margin `best`. `spent` are the
    milliseconds of a usual machine that they cost.
    """

    def __init__(
        self, weighing: Weighing, texts: Mapping[str, str], plan: Plan, best: float
    ) -> None:
        self._weighing, self._texts, self._plan, self._best = weighing, texts, plan, best
        self._known: dict[int, Weight] = {}
        self.spent = 0.0

    def within(self, limit: float) -> Questions[tuple[Weight, ...]]:
        """The weights within a limit, up to the first solver that tells that the script is no
        better.
        """
        found, wanted = list[Weight](), self._plan.targets
        needed = self._best + LEAST_GAIN
        for number in range(len(self._plan.dialects)):
            target = number < wanted
            least = min([weight.par2 for weight in found[:wanted]], default=0.0)
            bound = limit if target else min(limit, least - needed)
            weight = yield from self._weight(number, bound)
            found.append(weight)
            if target and weight.gave_up:  # the references may decide it
                found[-1] = replace(weight, limit=self._plan.limit)
                continue
            if not weight.counts or (weight.par2 <= needed if target else not weight.decided):
                break
        return tuple(found)

    def _weight(self, number: int, bound: float) -> Questions[Weight]:
        """The weight of one solver. A solver that decided the script under an earlier limit is not
        asked again.
        """
        known = self._known.get(number)
        if known is not None and known.decided:
            return known.within(bound)
        text = self._texts[self._plan.dialects[number]]
        weight = self._known[number] = yield from self._weighing(number, text, bound)
        self.spent += weight.ms
        return weight


def gain_of(found: float | None, best: float) -> float:
    """The share by which a margin, if there is one, is above the best, at most 1. Margins of less than
    the least limit count as that: whether scripts cost 3 ms or 4 ms tells nothing of slow ones.
    """
    gain = 0.0 if found is None else (found - best) / max(best, LEAST_LIMIT)
    return min(1.0, max(0.0, gain))


# ----------------------------------------------------------------------
# The steps of a search that are under way, so that several solvers are asked at the same time. A
# step is chosen by what the steps before it gave, except for the last ones before it, whose answers
# nobody waits for. Their number is fixed, and the search learns from all of them in their order.
# The answers therefore decide what is chosen, and never the time at which they come.


_AHEAD = 3  # steps for each process that may be under way, where there are several


class Pipeline:
    """Makes the steps of `search`, of which `jobs` ask solvers at a time. Steps whose results are
    `known`, by number, ask nobody.
    """

    def __init__(
        self, search: Search, solvers: Solvers, jobs: int, known: Mapping[int, Attempt]
    ) -> None:
        self._search, self._solvers, self._known = search, solvers, known
        self._most = 1 if jobs == 1 else _AHEAD * jobs
        self._open: deque[Step] = deque()  # chosen, and not learnt from
        self._waiting: deque[Step] = deque()  # those of them for which nobody was asked yet
        self._done: dict[int, Attempt] = {}

    def next(self, last: int | None = None) -> tuple[Step, Attempt] | None:
        """The next step and its result, once the search has learnt from it. The result is None if no
        step is left: the round is over, or `last` steps were made.
        """
        self._fill(last)
        if not self._open:
            return None
        self._begin()
        step = self._open.popleft()
        attempt = self._result(step)
        self._search.learn(step, attempt)
        return step, attempt

    def _fill(self, last: int | None) -> None:
        search = self._search
        while len(self._open) < self._most and not search.over and search.number != last:
            step = search.choose()
            self._open.append(step)
            if step.choice.number not in self._known:
                self._waiting.append(step)

    def _result(self, step: Step) -> Attempt:
        number = step.choice.number
        if number in self._known:
            return self._known[number]
        while number not in self._done:
            self._solvers.step()
            self._begin()
        return self._done.pop(number)

    def _begin(self) -> None:
        while self._waiting:
            first = self._waiting[0]
            done = partial(self._done.__setitem__, first.choice.number)
            if not self._solvers.begin(self._search.weighed(first), done):
                return
            self._waiting.popleft()
