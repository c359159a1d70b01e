"""Laws of tactics and consequences: z3 keeps them, and a z3 that breaks one is told so."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from toy import live, replay

z3 = pytest.importorskip("z3")


@functools.cache
def helpers() -> Any:
    """The helpers of the wrapper, as a session loads them."""
    return live("z3").wrapper.namespace["h"]


def solver(*formulas: Any) -> Any:
    made = z3.SimpleSolver()
    made.add(*formulas)
    return made


def formulas() -> list[Any]:
    x, y = z3.Ints("x y")
    return [x > 0, x + y < 5, z3.Or(x == 2, y == 1)]


class Lying:
    """Stands for what a tactic gives, with some of its methods replaced."""

    def __init__(self, part: Any, **lies: Any) -> None:
        self.part, self.lies = part, lies

    def __getattr__(self, name: str) -> Any:
        return self.lies.get(name) or getattr(self.part, name)

    def __len__(self) -> int:
        return len(self.part)


def plant(monkeypatch: pytest.MonkeyPatch, made: Any) -> None:
    """Let each tactic give what `made` makes of a list of subgoals."""

    class Tactic:
        def __init__(self, name: str, ctx: Any) -> None:
            self.tactic = z3.Tactic(name, ctx)

        def apply(self, goal: Any) -> Any:
            return made(list(self.tactic.apply(goal)))

    names = helpers().__dict__["tactic"].__globals__["z3"]
    fake = type("Fake", (), {**vars(names), "Tactic": Tactic})
    monkeypatch.setitem(helpers().__dict__["tactic"].__globals__, "z3", fake)


@pytest.mark.parametrize("name", ["simplify", "solve-eqs", "elim-uncnstr", "split-clause", "smt"])
def test_z3_keeps_the_laws_of_tactics(name: str) -> None:
    x = z3.Int("x")
    assert helpers().tactic(solver(*formulas()), name) is None
    assert helpers().tactic(solver(x > 0, x < 0), name) is None


def test_a_lost_subgoal_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = z3.Ints("x y")
    split = solver(z3.Or(x == 1, x == 2), x > 1, y == x)
    assert helpers().tactic(split, "split-clause") is None
    plant(monkeypatch, lambda parts: parts[:1])  # the one that has no model
    found = helpers().tactic(split, "split-clause")
    assert found == "tactic split-clause gives subgoals that are unsat together instead of sat"


def test_a_goal_that_loses_its_formulas_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    x = z3.Int("x")
    plant(monkeypatch, lambda parts: [z3.Goal()])
    found = helpers().tactic(solver(x > 0, x < 0), "simplify")
    assert found is not None
    assert "instead of a model of the goal" in found or "together instead of unsat" in found


def test_a_model_that_is_not_converted_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = z3.Ints("x y")
    other = z3.SimpleSolver()
    other.add(x == -7, y == 0)
    assert str(other.check()) == "sat"
    model = other.model()
    plant(monkeypatch, lambda parts: [Lying(p, convert_model=lambda m: model) for p in parts])
    found = helpers().tactic(solver(*formulas()), "solve-eqs")
    assert found == (
        "convert_model of tactic solve-eqs gives other values instead of a model of the goal"
    )


def test_an_approximation_promises_one_answer_only(monkeypatch: pytest.MonkeyPatch) -> None:
    x = z3.Int("x")
    assert helpers().tactic(solver(x > 1000, x < 1003), "add-bounds") is None
    over = {"prec": lambda: z3.Z3_GOAL_OVER}
    plant(monkeypatch, lambda parts: [Lying(z3.Goal(), **over)])
    assert helpers().tactic(solver(x > 0, x < 0), "simplify") is None


def test_a_consequence_that_does_not_follow_is_found() -> None:
    x, p, q = z3.Int("x"), *z3.Bools("p q")
    real = solver(z3.Implies(p, x == 3), p, z3.Or(q, x > 1))
    assert helpers().consequences(real) is None
    lying = Lying(real, consequences=lambda assumed, found: (z3.sat, [z3.Implies(True, q)]))
    assert helpers().consequences(lying) == (
        "consequences gives (=> true q) instead of what the assertions imply"
    )
    lying = Lying(real, consequences=lambda assumed, found: (z3.sat, [x]))
    assert "instead of a formula" in str(helpers().consequences(lying))


def test_a_trace_applies_a_tactic_by_its_name() -> None:
    lines = (
        'new\nmk-sort SORT_BOOL\n return s1\nmk-const s1 "p"\n return t1 s1\nassert-formula t1\n'
    )
    report = replay(live("z3"), f"{lines}z3-tactic@simplify\nz3-tactic@smt\nz3-consequences\n")[1]
    assert report["finding"] is None
    assert report["counts"]["action-ok:z3-tactic"] == 2
