"""Synthesis problems and rules of fixed points as scripts: they mean what the problem asks, and they
are seeds.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import outcome
from scriptsolvers import answers
from toy import catalogue

from murxpy.errors import InputError
from murxpy.fuzzers.seeds import collect_seeds
from murxpy.smtlib.problems import as_script, is_problem
from murxpy.smtlib.reading.scripts import read_script

pytestmark = pytest.mark.usefixtures("kept_solvers")

CATALOGUE = catalogue()
MAX = """; the maximum
(set-logic LIA)
(synth-fun max2 ((x Int) (y Int)) Int
  ((I Int) (B Bool)) ((I Int (x y 0 1 (+ I I) (ite B I I))) (B Bool ((<= I I)))))
(declare-var x Int)
(declare-var y Int)
(constraint (>= (max2 x y) x))
(constraint (>= (max2 x y) y))
(constraint (or (= x (max2 x y)) (= y (max2 x y))))
(check-synth)
"""
INVARIANT = """(set-logic LIA)
(synth-inv inv ((x Int)))
(define-fun pre ((x Int)) Bool (= x 0))
(define-fun trans ((x Int) (x! Int)) Bool (and (< x 5) (= x! (+ x 1))))
(define-fun post ((x Int)) Bool (<= x {most}))
(inv-constraint inv pre trans post)
(check-synth)
"""
RULES = """(declare-rel reached (Int))
(declare-var x Int)
(declare-var y Int)
(rule (=> (= x 0) (reached x)))
(rule (=> (and (reached x) (< x 5) (= y (+ x 1))) (reached y)))
(query {query})
"""


def answer(problem: str) -> str:
    text = as_script(problem, "a.sl")
    read_script(text, "a", CATALOGUE)
    (found,) = answers("z3", text, 10_000)
    return found


def test_a_constraint_holds_for_all_values_of_its_variables() -> None:
    text = as_script(MAX, "max.sl")
    assert "(declare-fun max2 (Int Int) Int)" in text
    assert "(assert (forall ((x Int) (y Int)) (>= (max2 x y) x)))" in text
    assert answer(MAX) in ("sat", "unknown")
    # no function is at least both of its arguments, and less than the first one
    wrong = MAX.replace("(check-synth)", "(constraint (< (max2 x y) x))\n(check-synth)")
    assert answer(wrong) == "unsat"
    assumed = wrong.replace("(check-synth)", "(assume false)\n(check-synth)")
    assert answer(assumed) == "sat"


def test_an_invariant_is_wanted_by_three_constraints() -> None:
    assert as_script(INVARIANT.format(most=5), "a").count("(assert (forall ") == 3
    assert answer(INVARIANT.format(most=5)) in ("sat", "unknown")
    assert answer(INVARIANT.format(most=4)) == "unsat"


@pytest.mark.parametrize(
    ("query", "expected"),
    [("(and (reached x) (> x 5))", "sat"), ("(reached 5)", "unsat"), ("reached", "unsat")],
)
def test_a_query_is_asserted_never_to_hold(query: str, expected: str) -> None:
    text = as_script(RULES.format(query=query), "a.smt2")
    assert text.startswith("(set-logic HORN)\n")
    assert answer(RULES.format(query=query)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(synth-fun f () Int)\n(optimize-synth)", "a.sl:2.*'optimize-synth' has no meaning"),
        ("(synth-fun f", "a.sl:1.*the '\\(' of this command is not closed"),
        ("(synth-inv)", "a.sl:1.*a part of this 'synth-inv' is missing"),
        ("(inv-constraint i p t q)(check-synth)", "a part of this 'inv-constraint' is missing"),
        ("(check-synth) x", "expected '\\(' before a command, found 'x'"),
        ('(check-synth "', "a.sl"),
    ],
)
def test_a_bad_problem_is_one_error_with_its_place(text: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        as_script(text, "a.sl")


def test_a_script_is_no_problem() -> None:
    assert not is_problem("(declare-const ruler Int)(assert (> ruler 0))(check-sat)")


def test_problems_are_seeds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "max.sl").write_text(MAX)
    (tmp_path / "rules.smt2").write_text(RULES.format(query="reached"))
    (tmp_path / "bad.sl").write_text("(optimize-synth)")
    found = collect_seeds([tmp_path])
    assert [Path(name).name for name, _, _ in found.files] == ["max.sl", "rules.smt2"]
    assert any("has no meaning in SMT-LIB" in reason for reason in found.left_out)
    traces = ""
    for number in "12":
        args = ("opfuzz", "z3", tmp_path / "rules.smt2", "--run-seed", number, "--iterations", "2")
        traces += outcome(capsys, *args, "--cross-check", "cvc5")[1]
    assert "(set-logic HORN)" in traces and "# opfuzz: " in traces
