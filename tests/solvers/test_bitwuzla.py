"""Bitwuzla, whose solvers read their options when they are made, and whose checks count the questions
to a terminator. Bitwuzla is an extra: without it these tests are skipped.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from toy import catalogue, live, replay, walk

from murxpy.data import load_catalogue, load_wrapper
from murxpy.machine.trace.grammar import parse_trace
from murxpy.translate.python import to_python

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("bitwuzla") is None, reason="the extra 'bitwuzla' is not installed"
)

SQUARE = """new
set-option produce-models true
mk-sort SORT_BV 16
 return s1
mk-const s1 "a"
 return t1 s1
mk-const s1 "b"
 return t2 s1
mk-term OP_BV_MULT SORT_BV 2 t1 t2
 return t3 s1
mk-value s1 "0111111111111111" 2
 return t4 s1
mk-term OP_EQUAL SORT_BOOL 2 t3 t4
 return t5 s2
mk-value s1 "0000000000000001" 2
 return t6 s1
mk-term OP_BV_UGT SORT_BOOL 2 t1 t6
 return t7 s2
mk-term OP_BV_UGT SORT_BOOL 2 t2 t6
 return t8 s2
mk-term OP_BV_UMULO SORT_BOOL 2 t1 t2
 return t9 s2
mk-term OP_NOT SORT_BOOL 1 t9
 return t10 s2
assert-formula t7
assert-formula t8
assert-formula t10
assert-formula t5
"""


def helpers() -> Any:
    """The functions of the wrapper's file of helpers."""
    return live("bitwuzla").wrapper.namespace["h"]


def answers(text: str) -> tuple[list[str], list[int | None]]:
    """The answers of a trace, and what its checks cost."""
    session = live("bitwuzla")
    before: list[Any] = []
    report = session.replay(text, "t.trace", before.append)
    trace = "".join(before)
    found = [row.split()[1] for row in trace.splitlines() if row.split()[0] == "answer"]
    return found, [cost for _, cost, _ in report.get("costs") or ()]


def test_walks_make_no_ill_formed_call_and_are_the_same_again() -> None:
    ill_formed, checks = 0, 0
    for seed in range(20):
        trace, report = walk(live("bitwuzla"), seed)
        ill_formed += report["counts"].get("refusal:ill-formed", 0)
        checks += report["counts"].get("check:decided", 0)
        if seed < 5:
            assert walk(live("bitwuzla"), seed)[0] == trace
    assert ill_formed == 0
    assert checks > 20


def test_a_limit_ends_a_check_and_the_same_limit_gives_the_same_answer() -> None:
    text = f"{SQUARE}check-sat\n"
    assert answers(text.replace("new\n", "new\nset-limit 5\n"))[0] == ["unknown"]
    enough = [answers(text.replace("new\n", "new\nset-limit 100000\n"))[0] for _ in range(2)]
    assert enough == [["sat"], ["sat"]]


def test_options_are_set_before_the_solver_is_made(tmp_path: Path) -> None:
    session = live("bitwuzla")
    trace, report = replay(session, f"# solver bitwuzla\n{SQUARE}check-sat\ncheck-model\n")
    assert report.get("finding") is None
    program = to_python(parse_trace(trace, "t.trace"), catalogue(), load_wrapper("bitwuzla"))
    rows = program.splitlines()
    option = next(k for k, row in enumerate(rows) if row.startswith("set_option("))
    solver = next(k for k, row in enumerate(rows) if row.startswith("solver = "))
    assert option < solver
    file = tmp_path / "program.py"
    file.write_text(program)
    ended = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "answer: 'sat'" in ended.stdout


def test_a_model_of_functions_and_arrays_is_read_and_judged() -> None:
    report = replay(
        live("bitwuzla"),
        """new
set-option produce-models true
mk-sort SORT_BV 4
 return s1
mk-sort SORT_ARRAY s1 s1
 return s2
mk-sort SORT_FUN s1 s1 s1
 return s3
mk-const s2 "a"
 return t1 s2
mk-const s3 "f"
 return t2 s3
mk-const s1 "x"
 return t3 s1
mk-term OP_ARRAY_SELECT SORT_BV 2 t1 t3
 return t4 s1
mk-term OP_UF_APPLY SORT_BV 3 t2 t3 t4
 return t5 s1
mk-term OP_DISTINCT SORT_BOOL 3 t3 t4 t5
 return t6 s4
assert-formula t6
check-sat
check-model
check-values 3 t1 t3 t5
""",
    )[1]
    assert report.get("finding") is None
    assert report["counts"]["check-model:true"] == 1


SCRIPT = """; a comment (
(set-logic QF_BV)
(set-option :produce-models true)
(set-info :source |a ) bar|)
(declare-const a (_ BitVec 8))
(assert (= (bvmul a a) #x31))
(check-sat)
(echo "a "" ) text")
(push 1)
(assert false)
(check-sat)
(pop 1)
(exit)
(rubbish)
"""


def test_a_script_is_read_up_to_its_exit_and_answers_each_check() -> None:
    assert helpers().run_script(SCRIPT, 100_000).splitlines() == [
        "sat",
        '"a "" ) text"',
        "unsat",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(assert (frob))", "script error: .*undefined symbol 'frob'"),
        ("frob (check-sat)", "script error: "),
        ("(declare-const a Int)", "script error: .*invalid sort 'Int'"),
        ("(check-sat", "error: .*missing"),
    ],
)
def test_a_script_that_is_refused(text: str, message: str) -> None:
    import bitwuzla

    with pytest.raises(bitwuzla.BitwuzlaException, match=message):
        helpers().run_script(text, 1000)


def test_a_mode_is_a_string_in_scripts() -> None:
    from murxpy.logic.catalogue import build_catalogue
    from murxpy.smtlib.printing.scripts import print_script
    from murxpy.smtlib.reading.scripts import read_script

    shipped = build_catalogue(load_catalogue())
    text = "(set-option :bv-solver prop)\n(set-option :seed 7)\n(check-sat)\n"
    printed = print_script(read_script(text, "s.smt2", shipped), "bitwuzla")
    assert printed == text.replace("prop", '"prop"')
    assert helpers().run_script(printed, 1000) == "sat\n"


def test_the_options_of_the_release_are_known_with_their_types() -> None:
    found = {entry["name"]: entry for entry in helpers().solver_options()}
    assert found["bv-solver"]["values"] == ["bitblast", "preprop", "prop"]
    assert (found["rewrite-level"]["min"], found["rewrite-level"]["max"]) == (0, 2)
    assert found["preprocess"]["type"] == "bool"
