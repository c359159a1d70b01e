"""Expected visits: against walks of the same chain, and on machines that can be solved by hand."""

from __future__ import annotations

import random
from typing import Any

import pytest

from murxpy.data import load_catalogue, load_machine, machine_names
from murxpy.data.conditions import assignments, enabled, mentioned
from murxpy.data.machine_names import ANSWERS
from murxpy.data.reach import expected_operators, weight_of
from murxpy.data.visits import expected_visits, mean_of
from murxpy.errors import InputError


def machine_of(states: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A machine in normal form; a transition is (action, weight, target) or (action, weight, target, conditions)."""
    listed = {
        name: {
            "needs": [],
            "kind": "normal",
            "do": [dict(zip(("do", "weight", "to", "when"), (*t, []), strict=False)) for t in do],
        }
        for name, do in states.items()
    }
    length = {"run-length": {"choices": [[10, 1]]}}
    return {"name": "m", "start": "a", "final": "z", "states": listed, "expect": {}, "distributions": length} | more


def test_geometric_stay() -> None:
    visits = expected_visits(machine_of({"a": [("gc", 3, "a"), ("go", 1, "z")], "z": []}))
    assert visits.steps == pytest.approx({"a": 4, "z": 0})
    assert visits.entered == pytest.approx({"a": 1, "z": 1})
    assert visits.length == pytest.approx(3)
    assert visits.probability("a", 1) == pytest.approx(0.25)
    assert visits.unchecked == pytest.approx(1)


def test_terms_end_with_the_run_length() -> None:
    do = [("mk-term", 1, "a", ["not-spent"]), ("go", 1, "z", ["spent"])]
    assert expected_visits(machine_of({"a": do, "z": []})).actions["mk-term"] == pytest.approx(10)


def test_given_chances_and_answers() -> None:
    states = {
        "a": [("check-sat", 1, "b")],
        "b": [("go", 1, "c", ["sat"]), ("go", 1, "z", ["unsat"]), ("go", 1, "z", ["unknown"])],
        "c": [("get-model", 1, "c", ["models"]), ("go", 1, "z")],
        "z": [],
    }
    machine = machine_of(states, expect={"sat": 0.5, "unsat": 0.25, "unknown": 0.25})
    assert expected_visits(machine).entered["c"] == pytest.approx(0.5)
    assert expected_visits(machine, {"sat": 0}).entered["c"] == pytest.approx(0)
    assert expected_visits(machine, {"sat": 1}).entered["c"] == pytest.approx(1 / 1.5)
    assert expected_visits(machine, {"models": 0}).actions["get-model"] == pytest.approx(0)
    assert expected_visits(machine).unchecked == pytest.approx(0)


def test_runs_that_never_end() -> None:
    machine = machine_of({"a": [("gc", 1, "a"), ("go", 1, "z", ["pushed"])], "z": []})
    with pytest.raises(InputError, match="never ends"):
        expected_visits(machine, {"pushed": 0})
    machine = machine_of({"a": [("go", 1, "z", ["pushed"])], "z": []})
    with pytest.raises(InputError, match="nothing can be done in state 'a'"):
        expected_visits(machine, {"pushed": 0})


def walk(machine: dict[str, Any], rng: random.Random, terms: float) -> dict[str, int]:
    """One walk of the chain that `visits` solves: the number of each action."""
    chances = machine["expect"]
    incremental, spent, checked, state = rng.random() < chances["incremental"], False, False, machine["start"]
    actions: dict[str, int] = {}
    while state != machine["final"]:
        fixed = {
            "spent": spent,
            "checked": checked,
            "incremental": incremental,
            "can-check": incremental or not checked,
        }
        possible = list(assignments(mentioned(machine, state)))
        weights = []
        for assignment in possible:
            weight = 1.0
            for name, value in assignment.items():
                chance = float(fixed[name]) if name in fixed else chances.get(name, 1.0)
                weight *= (chance if value else 1.0) if name in ANSWERS else chance if value else 1 - chance
            weights.append(weight if enabled(machine, state, assignment) else 0.0)
        transitions = enabled(machine, state, rng.choices(possible, weights)[0])
        taken = rng.choices(transitions, [transition["weight"] for transition in transitions])[0]
        action = taken["do"]
        actions[action] = actions.get(action, 0) + 1
        spent = spent or (action == "mk-term" and rng.random() < 1 / terms)
        checked = action in ("check-sat", "check-sat-assuming") or (
            checked and action not in ("reset", "reset-assertions")
        )
        state = taken["to"]
    return actions


@pytest.mark.slow
@pytest.mark.parametrize("name", machine_names())
def test_expected_numbers_are_those_of_walks(name: str) -> None:
    machine, rng, runs = load_machine(name), random.Random(1), 400
    visits = expected_visits(machine)
    terms = mean_of(machine["distributions"]["run-length"])
    walks = [walk(machine, rng, terms) for _ in range(runs)]
    for action in ("mk-term", "check-sat", "check-sat-assuming", "assert-formula", "get-value", "go"):
        mean = sum(found.get(action, 0) for found in walks) / runs
        assert visits.actions[action] == pytest.approx(mean, rel=0.2)


@pytest.mark.parametrize("name", machine_names())
def test_shipped_machines_reach_their_aims(name: str) -> None:
    machine = load_machine(name)
    visits = expected_visits(machine)
    assert visits.unchecked < 0.02
    assert visits.actions["mk-term"] > 0.8 * mean_of(machine["distributions"]["run-length"])
    assert all(steps > 0.01 for state, steps in visits.steps.items() if state != "final")


def test_every_operator_is_in_reach() -> None:
    machine, catalogue = load_machine("default"), load_catalogue()
    terms = 20_000 * expected_visits(machine).actions["mk-term"]
    rows = expected_operators(catalogue, machine, None, terms)
    assert [row.operator for row in rows] == [kind for t in catalogue["theories"] for kind in t["operators"]]
    assert sum(row.count for row in rows) == pytest.approx(terms)
    assert min(row.count for row in rows) > 100


def test_spellings_share_their_operator() -> None:
    wrapper = {
        "theories": ["INT"],
        "operators": {
            "OP_NOT": {"a": "x", "b": {"is": "y", "weight": 3, "when": "h.f"}, "c": {"is": "z", "unsound": True}},
            "OP_INT_NEG": "-{0}",
            "OP_BV_NOT": "~{0}",
            "OP_LAMBDA": "l",
        },
        "profile": {"exclude-operators": ["OP_INT_NEG"]},
        "higher-order": False,
    }
    rows = expected_operators(load_catalogue(), load_machine("default"), wrapper, 100)
    assert [(row.operator, row.spelling, row.guarded) for row in rows] == [
        ("OP_NOT", None, False), ("OP_NOT", "a", False), ("OP_NOT", "b", True), ("OP_NOT", "c", False),
    ]  # fmt: skip
    assert [row.count for row in rows] == pytest.approx([100, 25, 75, 0])


def test_weight_of() -> None:
    assert [weight_of({"default": 3, "A": 0.5}, name) for name in "AB"] == [0.5, 3]
    assert weight_of({}, "A") == 1
