"""Expected visits: against walks of the same chain, and on machines that can be solved by hand."""

from __future__ import annotations

import random
from typing import Any

import pytest

from murxpy.data import load_catalogue, load_machine, machine_names
from murxpy.data.machine_check import ANSWERS, assignments, enabled, mentioned
from murxpy.data.visits import expected_operators, expected_visits, mean_of, weight_of
from murxpy.errors import InputError


def machine_of(states: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A machine in normal form; a transition is (action, weight, target) or (action, weight,
    target, conditions).
    """
    listed = {
        name: {
            "needs": [],
            "kind": "normal",
            "do": [dict(zip(("do", "weight", "to", "when"), (*t, []), strict=False)) for t in do],
        }
        for name, do in states.items()
    }
    length = {"run-length": {"choices": [[10, 1]]}}
    return {
        "name": "m",
        "start": "a",
        "final": "z",
        "states": listed,
        "expect": {},
        "distributions": length,
    } | more


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


class Walker:
    """Walks the chain that `visits` solves, drawing conditions and transitions one by one."""

    def __init__(self, machine: dict[str, Any], seed: int) -> None:
        self.machine = machine
        self.rng = random.Random(seed)
        self.terms = mean_of(machine["distributions"]["run-length"])
        self._known: dict[
            tuple[str, bool, bool, bool], tuple[list[list[dict[str, Any]]], list[float]]
        ] = {}

    def transitions(
        self, state: str, spent: bool, checked: bool, incremental: bool
    ) -> list[dict[str, Any]]:
        """The transitions that can be drawn, with truth values for the conditions that matter in a
        state.
        """
        key = (state, spent, checked, incremental)
        if key not in self._known:
            can_check = incremental or not checked
            fixed = {
                "spent": spent,
                "checked": checked,
                "incremental": incremental,
                "can-check": can_check,
            }
            possible = [
                (drawn, self._likelihood(assignment, fixed))
                for assignment in assignments(mentioned(self.machine, state))
                if (drawn := enabled(self.machine, state, assignment))
            ]
            self._known[key] = ([drawn for drawn, _ in possible], [p for _, p in possible])
        return self.rng.choices(*self._known[key])[0]

    def _likelihood(self, assignment: dict[str, bool], fixed: dict[str, bool]) -> float:
        result = 1.0
        for name, value in assignment.items():
            chance = float(fixed[name]) if name in fixed else self.machine["expect"].get(name, 1.0)
            result *= chance if value else 1.0 if name in ANSWERS else 1 - chance
        return result

    def walk(self) -> dict[str, int]:
        """One walk: the number of each action."""
        incremental = self.rng.random() < self.machine["expect"]["incremental"]
        spent, checked, state = False, False, self.machine["start"]
        actions: dict[str, int] = {}
        while state != self.machine["final"]:
            transitions = self.transitions(state, spent, checked, incremental)
            taken = self.rng.choices(
                transitions, [transition["weight"] for transition in transitions]
            )[0]
            action = taken["do"]
            actions[action] = actions.get(action, 0) + 1
            spent = spent or (action == "mk-term" and self.rng.random() < 1 / self.terms)
            checked = action.startswith("check-sat") or (checked and not action.startswith("reset"))
            state = taken["to"]
        return actions


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ("default", "contract") else pytest.mark.slow)
        for name in machine_names()
    ],
)
def test_expected_numbers_are_those_of_walks(name: str) -> None:
    # its walks are short, so that some actions come seldom
    machine, runs = load_machine(name), 4000 if name == "contract" else 600
    visits, walker = expected_visits(machine), Walker(load_machine(name), seed=1)
    walks = [walker.walk() for _ in range(runs)]
    for action in (
        "mk-term",
        "check-sat",
        "check-sat-assuming",
        "assert-formula",
        "get-value",
        "go",
    ):
        mean = sum(found.get(action, 0) for found in walks) / runs
        assert visits.actions.get(action, 0) == pytest.approx(mean, rel=0.15)


# Runs in contract mode have other aims: few terms, then calls that must be refused
# (bench/contract.py). Those of the parts ask a solver other questions than checks.
@pytest.mark.parametrize(
    "name", [name for name in machine_names() if name not in ("contract", "parts")]
)
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
    assert [row.operator for row in rows] == [
        kind for t in catalogue["theories"] for kind in t["operators"]
    ]
    assert sum(row.count for row in rows) == pytest.approx(terms)
    assert min(row.count for row in rows) > 100


def test_spellings_share_their_operator() -> None:
    wrapper = {
        "theories": ["INT"],
        "operators": {
            "OP_NOT": {
                "a": "x",
                "b": {"is": "y", "weight": 3, "when": "h.f"},
                "c": {"is": "z", "unsound": True},
            },
            "OP_INT_NEG": "-{0}",
            "OP_BV_NOT": "~{0}",
            "OP_LAMBDA": "l",
        },
        "profile": {"exclude-operators": ["OP_INT_NEG"]},
        "higher-order": False,
    }
    rows = expected_operators(load_catalogue(), load_machine("default"), wrapper, 100)
    assert [(row.operator, row.spelling, row.guarded) for row in rows] == [
        ("OP_NOT", None, False),
        ("OP_NOT", "a", False),
        ("OP_NOT", "b", True),
        ("OP_NOT", "c", False),
    ]
    assert [row.count for row in rows] == pytest.approx([100, 25, 75, 0])


def test_a_profile_makes_operators_rarer() -> None:
    spelled = {"OP_NOT": "~{0}", "OP_AND": "{0}&{1}"}
    wrapper: dict[str, Any] = {"theories": ["BOOL"], "operators": spelled, "profile": {}}
    counts = []
    for profile in ({}, {"weights": {"OP_AND": 0.25}}):
        rows = expected_operators(
            load_catalogue(), load_machine("default"), {**wrapper, "profile": profile}, 100
        )
        counts.append({row.operator: row.count for row in rows if row.spelling is None})
    assert counts[0] == pytest.approx({"OP_NOT": 50, "OP_AND": 50})
    assert counts[1] == pytest.approx({"OP_NOT": 80, "OP_AND": 20})


def test_weight_of() -> None:
    assert [weight_of({"default": 3, "A": 0.5}, name) for name in "AB"] == [0.5, 3]
    assert weight_of({}, "A") == 1
