"""Whether formulas have no model: by all values, or by the smallest ones."""

from __future__ import annotations

import pytest
from toy import catalogue

from murxpy.semantics.refuting import Refuted, refuted, satisfying
from murxpy.semantics.values import Value
from murxpy.smtlib.reading.scripts import read_script

CATALOGUE = catalogue()


def found(script: str) -> Refuted | None:
    return refuted(read_script(script, "a", CATALOGUE, dialect="z3").assertions(), CATALOGUE)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("(declare-const a (_ BitVec 8))(assert (bvult a #x00))", Refuted(256, True)),
        ("(declare-const a (_ BitVec 8))(assert (bvult a #x01))", None),
        ("(assert (= 1 2))", Refuted(1, True)),
        ("(declare-const a (Seq Int))(assert (< (seq.last_indexof a a) 0))", Refuted(121, False)),
        ("(declare-const a (Seq Int))(assert (= (seq.last_indexof a a) 0))", None),
        (
            "(declare-const a Int)(declare-const b Int)(assert (< (* a a b b) 0))",
            Refuted(1089, False),
        ),
    ],
)
def test_all_values_are_tried_where_there_are_few(script: str, expected: Refuted | None) -> None:
    assert found(script) == expected


@pytest.mark.parametrize(
    "script",
    [
        "(declare-const a Int)(assert (= (* a 7) 210))",
        "(declare-const a String)(assert (= (str.len a) 5))",
        "(declare-const a Real)(assert (= (* a a) 2.0))",
        "(declare-const a (_ BitVec 64))(assert (= (bvmul a #x0000000000000003) #x0000000000000001))",
        "(declare-const a Int)(declare-const b Int)(declare-const c Int)(assert (< (* a b c) (+ a b)))",
        "(declare-sort U 0)(declare-const a U)(declare-const b U)(assert (distinct a b))",
        "(declare-const a Int)(assert (and (= (div a 0) 3) (= a 1)))",
        "(declare-const b (_ BitVec 7))(declare-const a (Set (Array Int Int)))"
        "(assert (and (= b b) (select a (lambda ((c Int)) c))))",
        "(declare-const a (Set Int))(declare-const b Int)(assert (and (= b b) (select a 3)))",
        "(declare-const a (Set Int))(declare-const b Int)"
        "(assert (and (= b b) (not (select a 0)) (select a 2)))",
        "(declare-const a (Seq Int))(assert (= a (seq.unit 3)))",
        "(declare-const a (Set Int))(declare-const b Int)(assert (and (< b (- 2)) (select a b)))",
    ],
    ids=[
        *("number", "length", "real", "wide", "constants", "sort", "open point"),
        *("set of arrays", "set with a number", "set with a gap", "sequence", "cofinite set"),
    ],
)
def test_what_may_have_a_larger_model_is_not_called_wrong(script: str) -> None:
    """Each of these has a model."""
    assert found(script) is None


def test_assertions_without_a_constant_are_told_as_that() -> None:
    shown = found("(assert (= 1 2))")
    assert shown is not None and shown.sentence().endswith("is false whatever the solver chooses")


@pytest.mark.parametrize(
    ("script", "values"),
    [
        ("(declare-const a (_ BitVec 2))(assert (bvugt a #b10))", [3]),
        ("(declare-const a RoundingMode)(assert (distinct a RNE RNA RTP RTN))", ["RTZ"]),
        ("(declare-const a Int)(assert (= (* a a) 1))", [-1]),
        ("(declare-const a (_ BitVec 2))(assert (bvult a #b00))", []),
        ("(declare-const a Int)(assert (and (= (div a 0) 3) (= a 1)))", []),
        ("(assert true)", []),
    ],
    ids=["bits", "rounding", "integer", "none", "open point", "no constant"],
)
def test_values_that_make_all_true_refute_an_answer_unsat(script: str, values: list[Value]) -> None:
    formulas = read_script(script, "a", CATALOGUE, dialect="z3").assertions()
    assert [*satisfying(formulas, CATALOGUE).values()] == values
