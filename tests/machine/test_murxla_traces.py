"""Traces of Murxla: operators of single solvers have the values that these solvers give them, and
each operator of Murxla's grammar is known here.
"""

from __future__ import annotations

import re

import pytest
from toy import forked, live, replay

from murxpy.data import load_catalogue
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.trace.murxla import defines, old_operator
from murxpy.translate.murxla import OPERATORS

SOLVERS = ("z3", "cvc5")
HEAD = """set-murxla-options --yices
1 new
1 mk-sort SORT_BV 4
return s1
1 mk-sort SORT_INT
return s2
1 mk-sort SORT_REAL
return s3
1 mk-sort SORT_BOOL
return s4
1 mk-value s1 "1001" 2
return t1
1 mk-value s2 "-3"
return t2
1 mk-value s3 "5/2"
return t3
1 mk-value s4 true
return t4
1 mk-value s4 false
return t5
"""
# operator, kind of the result, operands with index, and the line that makes the expected value
CASES = [
    ("BVSQUARE", "BV", "1 t1", 's1 "0001" 2'),
    ("BVPOWER", "BV", "1 t1 1 8", 's1 "1001" 2'),
    ("BVPOWER", "BV", "1 t1 1 5", 's1 "0001" 2'),
    ("SHIFT_LEFT0", "BV", "1 t1 1 6", 's1 "0010" 2'),
    ("SHIFT_LEFT1", "BV", "1 t1 1 2", 's1 "0111" 2'),
    ("SHIFT_RIGHT0", "BV", "1 t1 1 1", 's1 "0100" 2'),
    ("SHIFT_RIGHT1", "BV", "1 t1 1 1", 's1 "1100" 2'),
    ("ASHIFT_RIGHT", "BV", "1 t1 1 1", 's1 "1100" 2'),
    ("BITEXTRACT", "BOOL", "1 t1 1 5", "s4 false"),
    ("BITEXTRACT", "BOOL", "1 t1 1 4", "s4 true"),
    ("BVARRAY", "BV", "4 t4 t4 t5 t5", 's1 "0011" 2'),
    ("INT_EQ0", "BOOL", "1 t2", "s4 false"),
    ("REAL_NEQ0", "BOOL", "1 t3", "s4 true"),
    ("INT_GEQ0", "BOOL", "1 t2", "s4 false"),
    ("REAL_GT0", "BOOL", "1 t3", "s4 true"),
    ("INT_LEQ0", "BOOL", "1 t2", "s4 true"),
    ("REAL_LT0", "BOOL", "1 t3", "s4 false"),
    ("INT_POWER", "INT", "1 t2 1 14", 's2 "-27"'),
    ("INT_POWER", "INT", "1 t2 1 11", 's2 "1"'),
    ("REAL_SQUARE", "REAL", "1 t3", 's3 "25/4"'),
    ("REAL_CEIL", "REAL", "1 t3", 's3 "3"'),
    ("REAL_FLOOR", "REAL", "1 t3", 's3 "2"'),
    ("INT_CEIL", "INT", "1 t2", 's2 "-3"'),
    ("INT_POLY", "INT", "2 t2 t2", 's2 "-9"'),
    ("REAL_POLY", "REAL", "2 t3 t2", 's3 "-7/2"'),
    ("REAL_RPOLY", "REAL", "2 t3 t2", 's3 "-3/4"'),
]


def answers(solver: str, text: str) -> list[str]:
    """The answers of a solver to the checks of a trace that replays whole."""

    def run() -> list[str]:
        written, report = replay(live(solver), text)
        assert report["status"] == "ok", report
        refused = [name for name in report["counts"] if name.startswith("replay-refused:")]
        assert not refused, refused
        again, once_more = replay(live(solver), written)
        assert once_more["status"] == "ok" and again == written
        return re.findall(r"^ +answer (\w+)", written, re.MULTILINE)

    return forked(run)


@pytest.mark.parametrize("solver", SOLVERS)
def test_operators_of_single_solvers_have_their_values(solver: str) -> None:
    rows, at = [], 10
    for operator, kind, operands, value in CASES:
        sort = {"BV": "s1", "INT": "s2", "REAL": "s3", "BOOL": "s4"}[kind]
        rows += [f"1 mk-term yices-OP_{operator} SORT_{kind} {operands}", f"return t{at} {sort}"]
        rows += [f"1 mk-value {value}", f"return t{at + 1}"]
        rows += [f"1 mk-term OP_DISTINCT SORT_BOOL 2 t{at} t{at + 1}", f"return t{at + 2} s4"]
        rows += [f"1 check-sat-assuming 1 t{at + 2}"]
        at += 3
    text = HEAD + "\n".join(["1 set-option incremental true", *rows, ""])
    assert answers(solver, text) == ["unsat"] * len(CASES)


@pytest.mark.parametrize("solver", SOLVERS)
def test_integers_stand_where_reals_are_expected(solver: str) -> None:
    """One of Murxla's solvers has one type of numbers; here they are converted."""
    text = f"""{HEAD}1 set-option incremental true
1 mk-sort SORT_FUN s3 s4
return s5
1 mk-const s5 "f"
return t6
1 mk-term OP_UF_APPLY SORT_BOOL 2 t6 t2
return t7 s4
1 mk-term OP_REAL_ADD SORT_REAL 3 t2 t3 t2
return t8 s3
1 mk-term OP_REAL_LT SORT_BOOL 2 t8 t2
return t9 s4
1 mk-term OP_ITE SORT_REAL 3 t7 t2 t3
return t10 s3
1 mk-term OP_INT_ADD SORT_INT 2 t2 t3
return t11 s3
1 mk-term OP_INT_IS_DIV SORT_BOOL 1 t3 1 5
return t12 s4
1 mk-term yices-OP_REAL_CEIL SORT_REAL 1 t3
return t13 s2
1 mk-term OP_INT_MOD SORT_INT 2 t13 t2
return t14 s2
1 term-get-children t6
1 check-sat-assuming 1 t9
1 check-sat-assuming 1 t12
1 delete
"""
    assert answers(solver, text) == ["sat", "unsat"]


def test_operators_that_one_release_lacks_are_expanded() -> None:
    text = """set-murxla-options --bitwuzla
1 new
1 set-option incremental true
1 set-option produce-models true
1 mk-sort SORT_BV 4
return s1
1 mk-value s1 "1011" 2
return t1
1 mk-value s1 "0001" 2
return t2
1 mk-value s1 "0111" 2
return t3
1 mk-term bitwuzla-OP_BV_ROL SORT_BV 2 t1 t2
return t4 s1
1 mk-term OP_DISTINCT SORT_BOOL 2 t3 t4
return t5 s2
1 mk-term bitwuzla-OP_BV_REDXOR SORT_BV 1 t1
return t6 s3
1 mk-value s3 "0" 2
return t7
1 mk-term OP_EQUAL SORT_BOOL 2 t6 t7
return t8 s2
1 mk-sort SORT_RM
return s4
1 mk-special-value s4 "rne"
return t9
1 mk-sort SORT_FP 5 11
return s5
1 mk-special-value s5 "nan"
return t10
1 mk-term bitwuzla-OP_FP_TO_FP_FROM_REAL SORT_FP 2 t9 t10
return t11 s5
1 mk-term OP_FP_IS_NAN SORT_BOOL 1 t11
return t12 s2
1 check-sat-assuming 1 t5
1 check-sat-assuming 1 t8
1 check-sat-assuming 1 t12
1 check-sat
1 bitwuzla-term-value t4
"""
    assert answers("cvc5", text) == ["unsat", "unsat", "unsat", "sat"]


def test_loops_and_substitutions_of_murxla() -> None:
    text = """set-murxla-options --cvc5
1 new
1 mk-sort SORT_STRING
return s1
1 mk-const s1 "x"
return t1
1 mk-const s1 "y"
return t2
1 mk-term OP_STR_TO_RE SORT_REGLAN 1 t1
return t3 s2
1 mk-term OP_RE_LOOP SORT_REGLAN 1 t3 2 3 4294967295
return t4 s2
1 mk-term OP_RE_LOOP SORT_REGLAN 1 t3 2 4294967295 7
return t5 s2
1 mk-term OP_STR_IN_RE SORT_BOOL 2 t1 t5
return t6 s3
1 cvc5-term-substitute t6 2 t1 t2 2 t2 t1
1 cvc5-sort-substitute s3 1 s1 1 s2
1 assert-formula t6
1 check-sat
"""
    assert answers("cvc5", text) == ["unsat"]


def test_each_operator_of_the_grammar_is_known() -> None:
    catalogue = build_catalogue(load_catalogue())
    assert not OPERATORS.difference(catalogue.operators)
    for name in ("btor-OP_SDIVO", "btor-OP_INC"):
        assert old_operator(name) in catalogue.operators
    assert defines("yices-OP_REAL_RPOLY") and not defines("OP_REAL_ADD")
