"""Computes what a state machine's weights mean: how often a run is expected to visit each state and
to take each transition.

A run is a Markov chain over the states. The state of the chain also has three facts that depend on
what was done: `incremental` is drawn once in a run, `checked` becomes true with a check, and
`spent` becomes true with the operator terms. Their number is geometric here, with the mean of the
machine's `run-length`. Every other condition is assumed to hold independently in each step, with
the chance in the machine's `expect`, or always. Actions are assumed to succeed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from murxpy.data.machine_check import ANSWERS, Assignment, assignments, enabled, mentioned
from murxpy.data.spellings import forms
from murxpy.errors import InputError
from murxpy.logic.walks import subterms
from murxpy.machine.checks.registry import ANSWERING

Machine = dict[str, Any]
_RESETS = ("new", "reset", "reset-assertions")


class _Node(NamedTuple):
    """A state of the chain."""

    state: str
    spent: bool
    checked: bool


@dataclass(frozen=True)
class Visits:
    """Expected numbers in a run.

    `entered` and `steps` are by state, where a step is one drawn action. `taken` is by state and
    position of the transition, and `actions` by action. `unchecked` is the share of runs that end
    without a check since their last reset.
    """

    entered: dict[str, float]
    steps: dict[str, float]
    taken: dict[tuple[str, int], float]
    actions: dict[str, float]
    unchecked: float

    @property
    def length(self) -> float:
        """Return the number of actions in a run, not counting `go`."""
        return sum(count for action, count in self.actions.items() if action != "go")

    def probability(self, state: str, position: int) -> float:
        """Return the share of the steps in a state that take this transition."""
        return self.taken[state, position] / self.steps[state] if self.steps[state] else 0.0


def expected_visits(machine: Machine, given: Mapping[str, float] | None = None) -> Visits:
    """Return the expected visits in a run of a checked machine.

    `given` has chances of conditions that replace those of `expect`. Raises InputError if the run
    would never end.
    """
    chances = dict.fromkeys(ANSWERS, 1.0) | machine["expect"] | dict(given or {})
    incremental = chances.get("incremental", 1.0)
    taken: dict[tuple[str, int], float] = {
        (name, position): 0.0
        for name, state in machine["states"].items()
        for position in range(len(state["do"]))
    }
    unchecked = 0.0
    for flag, share in ((True, incremental), (False, 1.0 - incremental)):
        if share > 0:
            unchecked += share * _add_chain(machine, chances, flag, share, taken)
    return _sum_up(machine, taken, unchecked)


def mean_of(distribution: dict[str, Any]) -> float:
    """Return the mean of a distribution of numbers and ranges."""
    choices = distribution["choices"]
    total = sum(
        (sum(value) / 2 if isinstance(value, list) else value) * weight for value, weight in choices
    )
    return float(total / sum(weight for _, weight in choices))


def _sum_up(machine: Machine, taken: dict[tuple[str, int], float], unchecked: float) -> Visits:
    states = machine["states"]
    entered = dict.fromkeys(states, 0.0)
    steps = dict.fromkeys(states, 0.0)
    actions: dict[str, float] = {}
    entered[machine["start"]] = 1.0
    for (name, position), count in taken.items():
        transition = states[name]["do"][position]
        steps[name] += count
        actions[transition["do"]] = actions.get(transition["do"], 0.0) + count
        if transition["to"] != name:
            entered[transition["to"]] += count
    return Visits(entered, steps, taken, actions, unchecked)


def _add_chain(
    machine: Machine,
    chances: Mapping[str, float],
    incremental: bool,
    share: float,
    taken: dict[tuple[str, int], float],
) -> float:
    """Add what the runs with this value of `incremental` do, which are the share `share` of all
    runs. Return how many of them end unchecked.
    """
    start = _Node(machine["start"], False, False)
    moves = _moves(machine, chances, incremental, start)
    nodes = list(moves)
    rows: list[dict[int, float]] = [{index: 1.0} for index in range(len(nodes))]
    index_of = {node: index for index, node in enumerate(nodes)}
    for node, leaving in moves.items():
        for _, target, probability in leaving:
            row = rows[index_of[target]]
            row[index_of[node]] = row.get(index_of[node], 0.0) - probability
    counts = _solve(rows, [1.0 if node == start else 0.0 for node in nodes])
    for node, count in zip(nodes, counts, strict=True):
        for position, _, probability in moves[node]:
            taken[node.state, position] += share * count * probability
    return sum(
        count
        for node, count in zip(nodes, counts, strict=True)
        if node[::2] == (machine["final"], False)
    )


def _moves(
    machine: Machine, chances: Mapping[str, float], incremental: bool, start: _Node
) -> dict[_Node, list[tuple[int, _Node, float]]]:
    """Return the transitions of each node that is reached: their positions, where they lead, and
    with which probability.
    """
    terms = max(1.0, mean_of(machine["distributions"]["run-length"]))
    moves: dict[_Node, list[tuple[int, _Node, float]]] = {}
    for node in subterms([start], lambda node: (target for _, target, _ in moves[node])):
        transitions = machine["states"][node.state]["do"]
        moves[node] = [
            (position, target, probability * part)
            for position, probability in _draws(machine, chances, incremental, node).items()
            for target, part in _targets(node, transitions[position], terms)
        ]
    return moves


def _targets(
    node: _Node, transition: dict[str, Any], terms: float
) -> Iterator[tuple[_Node, float]]:
    """Return the nodes to which a transition leads, with their shares. `terms` is the mean number
    of terms in a run.
    """
    checked = transition["do"] in ANSWERING or (node.checked and transition["do"] not in _RESETS)
    if transition["do"] == "mk-term" and not node.spent:
        yield _Node(transition["to"], True, checked), 1.0 / terms
        yield _Node(transition["to"], False, checked), 1.0 - 1.0 / terms
    else:
        yield _Node(transition["to"], node.spent, checked), 1.0


def _draws(
    machine: Machine, chances: Mapping[str, float], incremental: bool, node: _Node
) -> dict[int, float]:
    """Return the probability of each transition at a node, by its position."""
    if node.state == machine["final"]:
        return {}
    fixed = {
        "spent": node.spent,
        "checked": node.checked,
        "incremental": incremental,
        "can-check": incremental or not node.checked,
    }
    names = mentioned(machine, node.state)
    all_positions = {
        id(transition): index
        for index, transition in enumerate(machine["states"][node.state]["do"])
    }
    drawn: dict[int, float] = {}
    for assignment in assignments(names):
        likelihood = _likelihood(assignment, chances, fixed)
        transitions = enabled(machine, node.state, assignment) if likelihood > 0 else []
        total = sum(transition["weight"] for transition in transitions)
        for transition in transitions:
            position = all_positions[id(transition)]
            drawn[position] = drawn.get(position, 0.0) + likelihood * transition["weight"] / total
    mass = sum(drawn.values())
    if mass == 0:
        raise InputError(
            f"with these conditions nothing can be done in state '{node.state}' of '{machine['name']}'"
        )
    return {position: part / mass for position, part in drawn.items()}


def _likelihood(
    assignment: Assignment, chances: Mapping[str, float], fixed: Mapping[str, bool]
) -> float:
    """Return how likely an assignment is, up to a factor. Impossible assignments are left out."""
    result = 1.0
    for name, value in assignment.items():
        if name in fixed:
            result *= float(fixed[name] is value)
        elif name in ANSWERS:
            result *= chances[name] if value else 1.0
        else:
            chance = chances.get(name, 1.0)
            result *= chance if value else 1.0 - chance
    return result


def _solve(rows: list[dict[int, float]], right: list[float]) -> list[float]:
    """Solve a sparse system of linear equations by elimination with pivots. Raises InputError if the
    system does not have exactly one solution.
    """
    size = len(rows)
    for column in range(size):
        pivot = max(range(column, size), key=lambda index: abs(rows[index].get(column, 0.0)))
        if abs(rows[pivot].get(column, 0.0)) < 1e-12:
            raise InputError(
                "with these conditions a run never ends: some state is not left any more"
            )
        rows[column], rows[pivot] = rows[pivot], rows[column]
        right[column], right[pivot] = right[pivot], right[column]
        for index in range(column + 1, size):
            factor = rows[index].pop(column, 0.0) / rows[column][column]
            if factor:
                right[index] -= factor * right[column]
                for position, value in rows[column].items():
                    if position != column:
                        rows[index][position] = rows[index].get(position, 0.0) - factor * value
    values = [0.0] * size
    for index in reversed(range(size)):
        known = sum(
            value * values[position] for position, value in rows[index].items() if position > index
        )
        values[index] = (right[index] - known) / rows[index][index]
    return values


# ----------------------------------------------------------------------
# Estimates how often operators and their spellings are called in a campaign, so that weights
# can be set by calculation. `murxpy.data.visits` says how many operator terms a run makes. Many
# swarms, drawn with a fixed seed, say how often a theory is among those of a run. Within a run,
# `mk-term` draws a theory and then an operator by their weights, among those whose sort kinds
# the run has. The estimate does not count that arguments may be missing, that other actions
# also make terms, and that random factors on weights do not cancel exactly. A spelling with a
# guard is counted as if the guard held.


Plain = dict[str, Any]
SAMPLES = 4000
_SORT_NAME = re.compile(r"\b[A-Z]{2,}\b")


@dataclass(frozen=True)
class Expected:
    """An operator or one of its spellings, and the number of its calls in all runs. If it is
    `guarded`, there are at most so many.
    """

    theory: str
    operator: str
    spelling: str | None
    count: float
    guarded: bool = False


def expected_operators(
    catalogue: Plain, machine: Plain, wrapper: Plain | None, mk_terms: float
) -> list[Expected]:
    """Return the calls of each operator, in the order of the catalogue, if `mk_terms` operator
    terms are made in all runs.

    With a `wrapper`, these are only the calls of its operators, each followed by its spellings.
    """
    offered = _offered(catalogue, wrapper)
    shares = _shares(catalogue, machine, wrapper, offered)
    rows: list[Expected] = []
    for theory, operators in offered.items():
        for kind in operators:
            count = mk_terms * shares.get(kind, 0.0)
            rows.append(Expected(theory, kind, None, count))
            if wrapper is not None:
                rows += _spellings(theory, kind, wrapper["operators"][kind], count)
    return rows


def _spellings(theory: str, kind: str, entry: Any, count: float) -> list[Expected]:
    weights = {name: _weight(form) for name, form in forms(entry).items()}
    total = sum(weights.values()) or 1.0
    return [
        Expected(
            theory,
            kind,
            name,
            count * weights[name] / total,
            isinstance(form, dict) and bool(form.get("when")),
        )
        for name, form in forms(entry).items()
    ]


def _weight(form: Any) -> float:
    if isinstance(form, str):
        return 1.0
    return 0.0 if form.get("unsound") else float(form.get("weight", 1))


def _offered(catalogue: Plain, wrapper: Plain | None) -> dict[str, dict[str, Plain]]:
    """Return the operators that can be generated, by theory."""
    offered = {}
    excluded = [] if wrapper is None else wrapper["profile"].get("exclude-operators", [])
    for theory in catalogue["theories"]:
        kinds = theory["operators"]
        if wrapper is not None:
            if theory["name"] not in wrapper["theories"] and not theory["always"]:
                continue
            kinds = {
                kind: op
                for kind, op in kinds.items()
                if _usable(kind, op, wrapper) and kind not in excluded
            }
        offered[theory["name"]] = kinds
    return offered


def _usable(kind: str, operator: Plain, wrapper: Plain) -> bool:
    return kind in wrapper["operators"] and (
        operator["feature"] is None or bool(wrapper.get(operator["feature"]))
    )


def _shares(
    catalogue: Plain, machine: Plain, wrapper: Plain | None, offered: dict[str, dict[str, Plain]]
) -> dict[str, float]:
    """Return the mean share of each operator among the operator terms of a run."""
    owners = {
        kind.removeprefix("SORT_"): t["name"] for t in catalogue["theories"] for kind in t["sorts"]
    }
    needs = {
        kind: {owners[name] for name in _SORT_NAME.findall(operator["sig"]) if name in owners}
        for operators in offered.values()
        for kind, operator in operators.items()
    }
    factors = {} if wrapper is None else wrapper["profile"].get("weights", {})
    own = machine["weights"]["operators"]
    weights = {
        **machine["weights"],
        "operators": {k: weight_of(own, k) * factors.get(k, 1.0) for k in needs},
    }
    shares: dict[str, float] = {}
    linear = machine["swarm"]["linear"] or 0.0
    nonlinear = {
        k
        for ops in offered.values()
        for k, op in ops.items()
        if op["nonlinear"] in ("quotient", "always")
    }
    for chosen, count in _theory_sets(catalogue, machine, wrapper, offered).items():
        for part, banned in ((1.0 - linear, set[str]()), (linear, nonlinear)):
            for kind, share in _shares_among(weights, offered, needs, chosen, banned).items():
                shares[kind] = shares.get(kind, 0.0) + part * share * count / SAMPLES
    return shares


def _shares_among(
    weights: dict[str, dict[str, float]],
    offered: dict[str, dict[str, Plain]],
    needs: dict[str, set[str]],
    chosen: tuple[str, ...],
    banned: set[str],
) -> dict[str, float]:
    """Return the share of each operator in a run that has the theories `chosen` and lacks the
    operators `banned`. `weights` are those of theories and operators.
    """
    present = set(chosen)
    drawable = {
        name: [kind for kind in offered[name] if needs[kind] <= present and kind not in banned]
        for name in chosen
    }
    theories = {name: weight_of(weights["theories"], name) for name in chosen if drawable[name]}
    shares: dict[str, float] = {}
    for name, weight in theories.items():
        operators = {kind: weight_of(weights["operators"], kind) for kind in drawable[name]}
        factor = weight / sum(theories.values()) / sum(operators.values())
        shares |= {kind: factor * own for kind, own in operators.items()}
    return shares


def _theory_sets(
    catalogue: Plain, machine: Plain, wrapper: Plain | None, offered: dict[str, dict[str, Plain]]
) -> dict[tuple[str, ...], int]:
    """Return the sets of theories of many drawn runs, in the order of the catalogue, and how many
    runs had each set.
    """
    rng = random.Random(0)
    requires = {theory["name"]: theory["requires"] for theory in catalogue["theories"]}
    always = [theory["name"] for theory in catalogue["theories"] if theory["always"]]
    drawn = [name for name in offered if name not in always]
    profile = {} if wrapper is None else wrapper["profile"]
    excluded, factors = profile.get("exclude-combinations", {}), profile.get("weights", {})
    sets: dict[tuple[str, ...], int] = {}
    for _ in range(SAMPLES):
        chosen = list(always)
        for name in _draw_theories(rng, machine["swarm"]["theories"], drawn, factors):
            wanted = [n for n in _closure(name, requires) if n in offered and n not in chosen]
            if not any(_clash(excluded, one, other) for one in wanted for other in chosen):
                chosen += wanted
        key = tuple(name for name in offered if name in chosen)
        sets[key] = sets.get(key, 0) + 1
    return sets


def _draw_theories(
    rng: random.Random, swarm: Plain, names: list[str], factors: dict[str, float]
) -> list[str]:
    """Return the theories that a run draws, in the order in which it draws them. `factors` are those
    of a profile.
    """
    count = len(names)
    if rng.random() >= swarm["all"]:
        values, weights = zip(*swarm["count"]["choices"], strict=True)
        value = rng.choices(values, weights)[0]
        count = rng.randint(*value) if isinstance(value, list) else value
    left = list(names)
    drawn: list[str] = []
    while left and len(drawn) < count:
        chances = [weight_of(swarm["weights"], name) * factors.get(name, 1.0) for name in left]
        name = rng.choices(left, chances)[0]
        left.remove(name)
        drawn.append(name)
    return drawn


def _closure(name: str, requires: dict[str, list[str]]) -> list[str]:
    """Return a theory and all theories that it requires, directly or not."""
    names = [name]
    for known in names:
        names += [other for other in requires[known] if other not in names]
    return names


def _clash(excluded: dict[str, list[str]], one: str, other: str) -> bool:
    return other in excluded.get(one, []) or one in excluded.get(other, [])


def weight_of(weights: Plain, name: str) -> float:
    """Return the weight of a name, or the weight of all that are not named."""
    return float(weights[name] if name in weights else weights.get("default", 1))
