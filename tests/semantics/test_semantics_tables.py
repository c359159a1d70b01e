"""Tables, relations of any width and nullables: our values are cvc5's, and scripts with them replay
through its API.
"""

from __future__ import annotations

import cvc5
import pytest
from parsers import refused_by_cvc5
from toy import catalogue, live, replay

from murxpy.machine.trace.lift import lift
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.values import CannotSay, Interpretation
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script

T = '(bag.union_disjoint (bag (tuple "a" 1) 2) (bag (tuple "b" 1) 1) (bag (tuple "b" 2) 3))'
R = '(set.union (set.singleton (tuple "a" 1)) (set.singleton (tuple "b" 1)) (set.singleton (tuple "b" 2)))'
E = "(as bag.empty (Table String Int))"
N = "(as nullable.null (Nullable Int))"
SUM = "(lambda ((r (Tuple String Int)) (s Int)) (+ s ((_ tuple.select 1) r)))"
TRUE = [
    f"(= ((_ table.project 1) {T}) (bag.union_disjoint (bag (tuple 1) 3) (bag (tuple 2) 3)))",
    f'(= ((_ table.project 1 0 1) {T}) (bag.union_disjoint (bag (tuple 1 "a" 1) 2) (bag (tuple 1 "b" 1) 1) (bag (tuple 2 "b" 2) 3)))',
    f"(= (table.project {T}) (bag tuple.unit 6))",
    f'(= ((_ table.group 0) {T}) (bag.union_disjoint (bag (bag (tuple "a" 1) 2) 1)'
    ' (bag (bag.union_disjoint (bag (tuple "b" 1) 1) (bag (tuple "b" 2) 3)) 1)))',
    f"(= ((_ table.group 0) {E}) (bag {E} 1))",
    f"(= (table.group {T}) (bag {T} 1))",
    f'(= (bag.count (tuple "b" 1 "b" 2) ((_ table.join 0 0) {T} {T})) 3)',
    f"(= (bag.card ((_ table.join 1 1 0 0) {T} {T})) 14)",
    f"(= (bag.card (table.product {T} {T})) 36)",
    f"(= ((_ table.aggr 0) {SUM} 0 {T}) (bag.union_disjoint (bag 2 1) (bag 7 1)))",
    f"(= ((_ table.aggr 0) {SUM} 5 {E}) (bag 5 1))",
    f"(= ((_ rel.project 1) {R}) (set.union (set.singleton (tuple 1)) (set.singleton (tuple 2))))",
    f"(= (set.card ((_ rel.group 0) {R})) 2)",
    "(= ((_ rel.group 0) (as set.empty (Relation Int))) (set.singleton (as set.empty (Relation Int))))",
    f"(= ((_ rel.aggr 1) {SUM} 0 {R}) (set.singleton 2))",
    f"(= (set.card ((_ rel.table_join 0 0) {R} {R})) 5)",
    "(= (rel.join (set.singleton (tuple 1 2 3)) (set.singleton (tuple 3 4 5))) (set.singleton (tuple 1 2 4 5)))",
    "(= (rel.join (set.singleton (tuple 1 2)) (set.singleton (tuple 2))) (set.singleton (tuple 1)))",
    "(= (rel.transpose (set.singleton (tuple 1 true 3))) (set.singleton (tuple 3 true 1)))",
    "(= (nullable.val (nullable.some 3)) 3)",
    f"(and (nullable.is_null {N}) (nullable.is_some (nullable.some 1)) (not (= {N} (nullable.some 0))))",
    f"(= (nullable.lift (lambda ((x Int) (y Int)) (+ x y)) (nullable.some 1) {N}) {N})",
    "(= (nullable.lift (lambda ((x Int) (y Int)) (+ x y)) (nullable.some 1) (nullable.some 2)) (nullable.some 3))",
    "(= (nullable.lift (lambda ((x Int)) (- x)) (nullable.some 1)) (nullable.some (- 1)))",
]


def script_of(formula: str) -> str:
    """A script that asserts it."""
    return f"(set-logic HO_ALL)(set-option :fmf-bound true)(assert {formula})(check-sat)"


@pytest.mark.parametrize("formula", TRUE, ids=lambda f: f[:40])
def test_they_have_the_values_that_cvc5_gives_them(formula: str) -> None:
    script = read_script(script_of(formula), "f.smt2", catalogue())
    assert Evaluator(catalogue(), Interpretation()).value(script.assertions()[0]) is True
    printed = print_script(script, "cvc5")
    assert refused_by_cvc5(printed) is None
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", "400")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, printed, "script")
    answers = []
    while not (command := parser.nextCommand()).isNull():
        answers.append(str(command.invoke(solver, parser.getSymbolManager())).strip())
    assert "unsat" not in answers


def test_a_model_with_nullables_is_judged() -> None:
    script = """
        (declare-const x (Nullable Int))
        (declare-const y (Nullable Int))
        (assert (= (nullable.val x) 3))
        (assert (nullable.is_some x))
        (assert (nullable.is_null y))
        (check-sat)
    """
    trace = lift(read_script(script, "f.smt2", catalogue())).text()
    text, report = replay(live("cvc5"), f"{trace.rstrip()}\n0 check-model@default\n")
    assert report["status"] == "ok" and "answer sat" in text, text
    counts = report["counts"]
    assert counts["check-model-of:NULLABLE:true"] == 3, counts


def test_the_value_in_null_is_open() -> None:
    script = read_script(script_of(f"(= (nullable.val {N}) 0)"), "f.smt2", catalogue())
    with pytest.raises(CannotSay):
        Evaluator(catalogue(), Interpretation()).value(script.assertions()[0])


@pytest.mark.parametrize(
    "formula",
    [TRUE[1], TRUE[7], TRUE[8], TRUE[12], TRUE[16], TRUE[19], TRUE[20]],
    ids=lambda f: f[:40],
)
def test_a_lifted_script_replays(formula: str) -> None:
    trace = lift(
        read_script(
            script_of(formula).replace("(set-option :fmf-bound true)", ""), "f.smt2", catalogue()
        )
    )
    text, report = replay(live("cvc5"), trace.text())
    assert report["status"] == "ok" and "refused" not in text, text
    assert "answer unsat" not in text
