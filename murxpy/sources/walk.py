"""The walk: from state to state by weight, with the action of each transition carried out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from murxpy.learning.arms import turns_of
from murxpy.logic.sorts import Sort
from murxpy.machine.actions.making import check_newest
from murxpy.machine.checks.registry import ACTIONS, ANSWERING, MAKING
from murxpy.machine.generate import terms
from murxpy.machine.generate.base import Generator
from murxpy.machine.generate.guided import transition_name
from murxpy.machine.outcomes import NoSpelling, Refused, Stopped
from murxpy.machine.random import Weighted, mix
from murxpy.machine.run import Run
from murxpy.machine.state import HOLDS
from murxpy.solvers.spelling import Spelling

PREFERRED = 4.0  # the factor of the weight of the transition that the guidance of a campaign chose

Condition = Callable[[Generator], bool]


def _of_state(name: str) -> Condition:
    holds = HOLDS[name]
    return lambda gen: holds(gen.run.state)


_OF_STATE = ("incremental", "checked", "sat", "unsat", "models", "cores", "asserted", "optimizer")
CONDITIONS: dict[str, Condition] = {
    **{name: _of_state(name) for name in _OF_STATE},
    "has-sort": lambda g: bool(g.run.db.sorts),
    "has-input": lambda g: bool(g.run.db.terms),
    "has-term": lambda g: bool(g.run.db.terms),
    "has-bool": lambda g: g.run.db.has(g.run.sorts.get("SORT_BOOL")),
    "has-root": lambda g: bool(g.run.db.scopes[0].roots),
    "can-check": lambda g: g.run.state.incremental or g.run.state.checks == 0,
    "unknown": lambda g: g.run.state.answer not in (None, "sat", "unsat"),
    "assumptions-used": lambda g: g.run.state.unsat_assumptions and bool(g.run.state.assumptions),
    "quantifiers": lambda g: "QUANT" in g.swarm.theories,
    "spent": lambda g: g.spent,
    "pushed": lambda g: g.run.state.level > 0,
}


class Transition:
    """One transition of a state: its action, its target, and its conditions."""

    __slots__ = ("action", "name", "target", "weight", "when")

    def __init__(self, data: dict[str, Any], state: str) -> None:
        self.name = transition_name(state, data)
        self.action: str = data["do"]
        self.weight = float(data["weight"])
        self.target: str = data.get("to") or state
        when = data.get("when") or ()
        self.when: tuple[str, ...] = (when,) if isinstance(when, str) else tuple(when)


class State:
    """A state: its transitions, and a weighted choice for each preferred transition and combination
    of conditions that occurred so far.
    """

    def __init__(self, transitions: list[Transition], needs: dict[str, tuple[str, ...]]) -> None:
        # A transition without an action needs a target that can be entered now; an action may
        # itself make that possible.
        self._demands = [
            (t, [*t.when, *(needs[t.target] if t.action == "go" else ())]) for t in transitions
        ]
        names = dict.fromkeys(
            n.removeprefix("not-") for _, demands in self._demands for n in demands
        )
        self._names = list(names)
        self._conditions = [CONDITIONS[name] for name in self._names]
        self._own = frozenset(t.name for t in transitions)
        self._choices: dict[tuple[int, str], Weighted[Transition]] = {}

    def choose(self, gen: Generator) -> Transition | None:
        """A transition, by weight, among those whose conditions hold now; None if there is none."""
        key = 0
        for condition in self._conditions:
            key = key * 2 + condition(gen)
        preferred = gen.preferred if gen.preferred in self._own else ""
        choice = self._choices.get((key, preferred))
        if choice is None:
            choice = self._choices[key, preferred] = self._prepare(key, preferred)
        return gen.stream.weighted(choice) if choice.items else None

    def _prepare(self, key: int, preferred: str) -> Weighted[Transition]:
        count = len(self._names)
        true = {name: bool(key >> (count - 1 - at) & 1) for at, name in enumerate(self._names)}
        return Weighted(
            [
                (t, t.weight * (PREFERRED if t.name == preferred else 1.0))
                for t, demands in self._demands
                if all(_met(n, true) for n in demands)
            ]
        )


def _met(name: str, true: dict[str, bool]) -> bool:
    return true[name.removeprefix("not-")] is not name.startswith("not-")


class StateMachine:
    """The state machine of a file, ready for walks. `actions` are the actions of its transitions."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.start: str = data["start"]
        self.final: str = data["final"]
        states = data["states"]
        self._needs = {name: _names(state.get("needs")) for name, state in states.items()}
        self._states = {
            name: State([Transition(t, name) for t in state.get("do") or ()], self._needs)
            for name, state in states.items()
        }
        steps = [step for state in states.values() for step in state.get("do") or ()]
        self.actions = frozenset(step["do"] for step in steps)

    def walk(self, gen: Generator, step_limit: int) -> None:
        """Walk from the start to the final state. After `step_limit` steps the run ends without
        reaching it.
        """
        state = self.start
        run = gen.run
        seed, turns = run.seed, {turn.step: turn.seed for turn in turns_of(run.seed)}
        for step in range(1, step_limit):
            if state == self.final:
                return
            seed = turns.get(step, seed)
            run.stream.reset(mix(seed, step))
            run.counts[f"state:{state}"] += 1
            chosen = self._states[state].choose(gen)
            if chosen is None:
                return
            done = chosen.action == "go" or perform(gen, chosen.action)
            if done and (chosen.target == state or self._enters(gen, chosen.target)):
                state = chosen.target

    def _enters(self, gen: Generator, target: str) -> bool:
        return all(
            CONDITIONS[n.removeprefix("not-")](gen) is not n.startswith("not-")
            for n in self._needs[target]
        )


def _names(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())


def perform(gen: Generator, name: str) -> bool:
    """Carry out the action called `name`. The result is False if the action was not possible, or the
    binding refused it.
    """
    if name in gen.damped and gen.stream.random() >= terms.DAMPED:
        return False
    action = ACTIONS[name]
    try:
        done = action.draw(gen)
        if done and action.reads_made and gen.settings.chance("check-new-object", gen.stream):
            check_newest(gen)
        return done
    except Refused as refused:
        made = not isinstance(refused, NoSpelling)
        if (
            made and action.fatal
        ):  # after such a refusal, a solver may drop what it had still to process
            raise Stopped(None) from None
        return False


class SolverlessRun(Run):
    """A run of which no call reaches the solver: whatever is made is made, and each check is answered
    unknown. So its trace depends on its seed and on the calls that the release has, and on nothing
    that the solver does.
    """

    asks = False

    def call(
        self,
        spelling: Spelling,
        args: Sequence[Any],
        indices: Sequence[Any],
        action: str,
        operator: str = "",
    ) -> Any:
        """Make no call, and return what stands for its result."""
        self.meter.went_well()
        if action == "mk-sort" and self.frame.result is None:  # a block of datatypes
            return [True] * len(self.frame.value)
        if action in ANSWERING:
            return "unknown"
        return True if action in MAKING else None

    def sort_object(self, sort: Sort) -> Any:
        """Return what stands for the object of a sort."""
        return True

    def _sort_of(self, obj: Any, sort: Sort) -> Any:
        return True
