"""Finite sets of z3: our values are z3's, scripts with them replay through its API, and a name that
two theories of sets share is read as the script means it.
"""

from __future__ import annotations

import pytest
import z3
from toy import catalogue, live, replay

from murxpy.machine.trace.lift import lift
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.meanings.sets import MAX_RANGE
from murxpy.semantics.values import CannotSay, Interpretation
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script

E = "(as set.empty (FiniteSet Int))"
TRUE = [
    "(= (set.union (set.singleton 1) (set.singleton 2)) (set.range 1 2))",
    f"(= (set.intersect (set.range 1 3) (set.range 4 5)) {E})",
    "(= (set.difference (set.range 1 3) (set.singleton 2)) (set.union (set.singleton 1) (set.singleton 3)))",
    "(set.in 3 (set.range 1 3))",
    f"(not (set.in 3 {E}))",
    f"(= (set.range 2 1) {E})",
    "(set.subset (set.range 1 2) (set.range 0 2))",
    "(not (set.subset (set.range 1 2) (set.singleton 1)))",
    "(= (set.size (set.range (- 1) 3)) 5)",
    f"(= (set.size {E}) 0)",
    "(set.in 2 (set.filter (lambda ((x Int)) (> x 1)) (set.range 1 3)))",
    "(not (set.in 1 (set.filter (lambda ((x Int)) (> x 1)) (set.range 1 3))))",
    "(set.in 4 (set.map (lambda ((x Int)) (* x x)) (set.singleton (- 2))))",
]


def asserted(text: str) -> bool:
    """Whether the last formula of a script is true."""
    script = read_script(text, "f.smt2", catalogue())
    return Evaluator(catalogue(), Interpretation()).value(script.assertions()[-1]) is True


@pytest.mark.parametrize("formula", TRUE)
def test_they_have_the_values_that_z3_gives_them(formula: str) -> None:
    text = f"(assert {formula})(check-sat)"
    assert asserted(text)
    printed = print_script(read_script(text, "f.smt2", catalogue()), "z3")
    solver = z3.Solver()
    solver.set("timeout", 400)
    solver.from_string(printed)
    assert len(solver.assertions()) == 1 and solver.check() != z3.unsat


@pytest.mark.parametrize("formula", TRUE[:-1])
def test_a_lifted_script_replays(formula: str) -> None:
    script = read_script(f"(assert {formula})(check-sat)", "f.smt2", catalogue())
    text, report = replay(live("z3"), lift(script).text())
    assert report["status"] == "ok" and "refused" not in text, text
    assert "answer unsat" not in text


def test_a_set_of_too_many_integers_is_not_listed() -> None:
    assert asserted(f"(assert (= (set.size (set.range 1 {MAX_RANGE})) {MAX_RANGE}))")
    with pytest.raises(CannotSay):
        asserted(f"(assert (= (set.size (set.range 0 {MAX_RANGE})) 1))")


@pytest.mark.parametrize(
    ("formula", "operator"),
    [
        ("(= (set.singleton 1) (set.singleton 2))", "OP_SET_SINGLETON"),
        ("(= (set.singleton 1) (as set.empty (Set Int)))", "OP_SET_SINGLETON"),
        ("(= (set.singleton 1) (as set.empty (FiniteSet Int)))", "OP_FINITE_SET_SINGLETON"),
        ("(set.in 1 (set.singleton 1))", "OP_FINITE_SET_SINGLETON"),
    ],
)
def test_a_name_of_two_theories_is_of_the_one_that_the_script_uses(
    formula: str, operator: str
) -> None:
    (term,) = read_script(f"(assert {formula})", "f.smt2", catalogue()).assertions()
    assert operator in [part.op for part in term.args]


def test_a_model_with_finite_sets_is_judged() -> None:
    script = """
        (declare-const x (FiniteSet Int))
        (declare-const y (FiniteSet Int))
        (assert (= y (set.range 0 9)))
        (assert (set.in 3 x))
        (check-sat)
    """
    trace = lift(read_script(script, "f.smt2", catalogue())).text()
    text, report = replay(live("z3"), f"{trace.rstrip()}\n0 check-model@default\n")
    assert report["status"] == "ok" and "answer sat" in text, text
    counts = report["counts"]
    assert counts["check-model-of:FINITE_SET:true"] == 2, counts
    assert "check-model-of:FINITE_SET:unknown" not in counts
