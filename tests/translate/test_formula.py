"""The formula of a trace: what it has, what it lacks, and that it is read back as the same terms."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from toy import catalogue

from murxpy.machine.trace.grammar import parse_trace
from murxpy.machine.trace.lift import lift
from murxpy.smtlib.reading.scripts import read_script
from murxpy.translate.formula import Formula, formula_of

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from scripts import READERS


def formula(script: str, dialect: str = "standard") -> Formula:
    """The formula of the trace that makes the calls of a script."""
    trace = lift(read_script(script, "t.smt2", catalogue())).text()
    return formula_of(parse_trace(trace, "t.trace"), catalogue(), dialect)


def test_an_assertion_that_is_missing_leaves_no_symbol_undeclared() -> None:
    """The missing assertion shares a term with the one that can be said."""
    found = formula(
        "(declare-const x Bool)(declare-const s (Seq Int))"
        "(assert (or (not (and x x)) (= s s) (and x x)))(assert (not (and x x)))(check-sat)"
    )
    assert [reason for _, _, reason in found.lost] == [
        "SORT_SEQ has no name in SMT-LIB's dialect 'standard'"
    ]
    read = read_script(found.text, "f.smt2", catalogue())
    assert len(read.assertions()) == 1


@pytest.mark.parametrize("dialect", ["z3", "cvc5", "standard"])
@pytest.mark.parametrize(
    ("assertions", "answer"),
    [
        # the value for the divisor 0 is free, and belongs to the dividend
        ("(assert (= (rem x 0) 3))(assert (= (rem (+ x 1) 0) 4))", "sat"),
        ("(assert (= x y))(assert (= z 0))(assert (distinct (rem x z) (rem y 0)))", "unsat"),
        ("(assert (distinct (rem 7 (- 2)) (- 1)))", "unsat"),
        ("(push 1)(assert (= (rem x 0) 3))(pop 1)(assert (= (rem x 0) 4))", "sat"),
    ],
)
def test_a_remainder_is_neither_stronger_nor_weaker(
    assertions: str, answer: str, dialect: str
) -> None:
    head = "(declare-const x Int)(declare-const y Int)(declare-const z Int)"
    found = formula(f"{head}{assertions}(check-sat)", dialect)
    assert not found.lost and found.text.count("(declare-fun rem!0") == (dialect != "z3")
    for solver in [dialect] if dialect in READERS else READERS:
        read = READERS[solver](found.text, 10.0, 5000)
        assert (read.answers, read.errors) == ([answer], [])


def test_a_remainder_by_zero_need_not_be_the_modulus() -> None:
    """By the meaning of `rem` in our semantics; z3 itself gives both the same value."""
    script = "(declare-const x Int)(assert (distinct (rem x 0) (mod x 0)))(check-sat)"
    assert READERS["cvc5"](formula(script, "cvc5").text, 10.0, 5000).answers == ["sat"]
    assert READERS["z3"](formula(script, "z3").text, 10.0, 5000).answers == ["unsat"]


def test_only_a_power_with_a_positive_literal_is_a_product() -> None:
    head = "(declare-const x Int)(declare-const y Int)"
    assert "(* x x x)" in formula(f"{head}(assert (= (^ x 3) y))").text
    for exponent in ("0", "(- 1)", "y", "65"):
        found = formula(f"{head}(assert (= (^ x {exponent}) y))")
        assert [why for _, _, why in found.lost] == [
            "OP_INT_POW has no name in SMT-LIB's dialect 'standard'"
        ]


def test_the_logic_has_the_quantifiers_of_definitions() -> None:
    arrays = "(declare-const a (Array Int Int))(declare-const b (Array Int Int))"
    text = formula(f"{arrays}(assert (eqrange a b 0 9))").text
    assert "forall" in text and "(set-logic QF_" not in text


def test_a_symbol_in_the_body_of_a_function_is_declared_before_it() -> None:
    """The body of the function is also an argument beside its application."""
    found = formula(
        "(declare-const x Int)(define-fun f ((y Int)) Bool (distinct y (+ (- x) 0)))"
        "(assert (distinct (> (+ (- x) 0) 1) (f x)))(check-sat)"
    )
    assert len(read_script(found.text, "f.smt2", catalogue()).assertions()) == 1
