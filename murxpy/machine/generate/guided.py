"""The arms of walks: theories, groups of operators, options of the solver, transitions of the machine;
and what the arms of a run mean for its walk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.learning.arms import (
    GROUP,
    OPTION,
    THEORY,
    TRANSITION,
    Arm,
    Arms,
    Turn,
    is_guided,
    turns_of,
)
from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.machine.generate.options import draw_value
from murxpy.machine.generate.swarm import needed_theories
from murxpy.machine.random import Stream, mix
from murxpy.solvers.facts import Option, Pairs, option_text

_VALUE = 0x0A64  # the key of the random stream that draws the values of numeric options


@dataclass(frozen=True)
class Guided:
    """The choices of a campaign's guidance for a run. `guided` is false for a run of a campaign
    without guidance, and true, without any arms, for one that is to be like that. `turns` are where a
    run leaves the earlier walk that it varies.
    """

    guided: bool = False
    arms: tuple[Arm, ...] = ()
    theories: tuple[str, ...] = ()
    operators: frozenset[str] = frozenset()
    options: Pairs = ()
    transition: str = ""
    turns: tuple[Turn, ...] = ()

    def rows(self) -> list[str]:
        """The line of the trace's header that records the arms, or the turns."""
        turns = [f"turn:{turn.step}" for turn in self.turns]
        return [" ".join(["guided", *map(str, self.arms), *turns])] if self.guided else []


def transition_name(state: str, transition: Mapping[str, Any]) -> str:
    """The name of a transition of a machine, in which no two transitions of a state agree."""
    when = transition.get("when") or ()
    words = [when] if isinstance(when, str) else list(when)
    target = transition.get("to")
    led = f"{transition['do']}>{target}" if target not in (None, state) else str(transition["do"])
    return f"{state}/{led}" + (f"[{','.join(words)}]" if words else "")


def group_of(operator: Operator, catalogue: Catalogue) -> str:
    """The group of an operator: its theory, and what kind of terms it makes."""
    theory, result = operator.theory, operator.signature.result.kind
    kinds = {kind: sort.theory for kind, sort in catalogue.sorts.items()}
    others = needed_theories(operator, kinds) - {theory, "BOOL"}
    if operator.signature.binder:
        shape = "binders"
    elif operator.nonlinear:
        shape = "nonlinear"
    elif others:
        shape = "conversions"
    elif result == "SORT_BOOL":
        shape = "predicates"
    else:
        shape = "functions"
    return f"{theory}/{shape}"


def groups_of(catalogue: Catalogue) -> dict[str, list[str]]:
    """The kinds of the operators of each group."""
    groups: dict[str, list[str]] = {}
    for operator in catalogue.operators.values():
        groups.setdefault(group_of(operator, catalogue), []).append(operator.kind)
    return groups


def option_names(option: Option) -> list[str]:
    """The arms of an option: one for each value of a choice, and one for all values of a number."""
    if option.type == "bool":
        return [f"{option.name}=false", f"{option.name}=true"]
    if option.values:
        return [f"{option.name}={option_text(value)}" for value in option.values]
    return [option.name]


def transition_names(machine: Mapping[str, Any]) -> list[str]:
    """The transitions of the states in which there is a choice."""
    return [
        transition_name(state, transition)
        for state, data in machine["states"].items()
        if len(data.get("do") or ()) > 1 and data.get("kind") != "decision"
        for transition in data["do"]
    ]


class Reader:
    """Reads the arms of runs from their seeds. `options` are all options of the wrapper, also those
    that the release does not take and those that the user does not want to be drawn, so that a run
    seed means the same everywhere.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        machine: Mapping[str, Any],
        options: Sequence[Option],
    ) -> None:
        self._groups = groups_of(catalogue)
        self._options = {name: option for option in options for name in option_names(option)}
        self.arms = Arms(
            {
                THEORY: list(catalogue.theories),
                GROUP: list(self._groups),
                OPTION: list(self._options),
                TRANSITION: list(dict.fromkeys(transition_names(machine))),
            }
        )

    def of(self, run_seed: int) -> Guided:
        """Return the choices for the run with this seed."""
        if not is_guided(run_seed):
            return Guided()
        arms = self.arms.of(run_seed)
        named = {kind: [a.name for a in arms if a.kind == kind] for kind in (THEORY, GROUP, OPTION)}
        return Guided(
            True,
            arms,
            tuple(named[THEORY]),
            frozenset(kind for name in named[GROUP] for kind in self._groups[name]),
            tuple(
                pair
                for at, name in enumerate(named[OPTION])
                for pair in self._pairs(name, Stream(mix(run_seed, _VALUE + at)))
            ),
            next((arm.name for arm in arms if arm.kind == TRANSITION), ""),
            turns_of(run_seed),
        )

    def _pairs(self, name: str, stream: Stream) -> Pairs:
        """The options that an arm sets: its own, and those that it does nothing without."""
        option = self._options[name]
        value = name.partition("=")[2] or draw_value(option, stream)
        return ((option.name, value), *(option.beside if value != "false" else ()))
