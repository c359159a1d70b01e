"""Boolector, to which a Boolean is a bit-vector of width one, and whose checks count the questions to
a callback. Boolector is an extra: without it these tests are skipped.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from toy import catalogue, forked, live, replay, walk

from murxpy.data import load_catalogue, load_machine, load_wrapper
from murxpy.findings.kinds.sights import Shown
from murxpy.machine.trace.grammar import parse_trace
from murxpy.processes.plans import Request, make_plans
from murxpy.reduction.reproducers import write_programs
from murxpy.translate.python import to_python
from murxpy.worker.session import Session

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("pyboolector") is None,
    reason="the extra 'boolector' is not installed",
)

# no two numbers from 2 on, whose product fits 26 bits, have the prime 65521 as their product
PRIME = """new
set-option incremental true
mk-sort SORT_BV 26
 return s1
mk-const s1 "a"
 return t1 s1
mk-const s1 "b"
 return t2 s1
mk-term OP_BV_MULT SORT_BV 2 t1 t2
 return t3 s1
mk-value s1 "00000000001111111111110001" 2
 return t4 s1
mk-term OP_EQUAL SORT_BOOL 2 t3 t4
 return t5 s2
mk-value s1 "00000000000000000000000001" 2
 return t6 s1
mk-term OP_BV_UGT SORT_BOOL 2 t1 t6
 return t7 s2
mk-term OP_BV_UGT SORT_BOOL 2 t2 t1
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

MODEL = """new
set-option incremental true
set-option produce-models true
mk-sort SORT_BV 1
 return s1
mk-sort SORT_BOOL
 return s2
mk-sort SORT_ARRAY s1 s2
 return s3
mk-sort SORT_FUN s2 s1 s2
 return s4
mk-const s3 "a"
 return t1 s3
mk-const s4 "f"
 return t2 s4
mk-const s1 "x"
 return t3 s1
mk-const s2 "p"
 return t4 s2
mk-term OP_ARRAY_SELECT SORT_BOOL 2 t1 t3
 return t5 s2
mk-term OP_UF_APPLY SORT_BOOL 3 t2 t4 t3
 return t6 s2
mk-term OP_XOR SORT_BOOL 3 t4 t5 t6
 return t7 s2
assert-formula t7
check-sat
check-model
get-value 2 t3 t4
check-values 4 t3 t4 t5 t6
"""


def _without_quantifiers() -> Session:
    """A session whose walks have no quantifiers, with which some walks end the process."""
    setup = {"catalogue": load_catalogue(), "machine": load_machine("default")}
    theories = ["ARRAY", "BOOL", "BV", "UF"]
    return Session({**setup, "wrapper": load_wrapper("boolector"), "theories": theories})


def test_walks_make_no_ill_formed_call_and_are_the_same_again() -> None:
    session = _without_quantifiers()
    ill_formed, checks = 0, 0
    for seed in range(20):
        trace, report = walk(session, seed)
        ill_formed += report["counts"].get("refusal:ill-formed", 0)
        checks += report["counts"].get("check:decided", 0)
        if seed < 5:
            assert walk(session, seed)[0] == trace
    assert ill_formed == 0
    assert checks > 20


def test_walks_make_no_call_that_boolector_is_known_to_refuse() -> None:
    """Each of these walks compared arrays with a variable in them, set two options that exclude each
    other, or wrote a function as BTOR, before the wrapper said that Boolector refuses this.
    """
    session = _without_quantifiers()
    for seed in (0, 3, 8, 9, 12, 66, 71, 111, 129):
        assert "refusal:unsupported" not in walk(session, seed)[1]["counts"], seed


def test_a_limit_ends_a_check_and_the_same_limit_gives_the_same_answer() -> None:
    def asked(limit: int) -> list[str]:
        trace = replay(live("boolector"), f"{PRIME}set-limit {limit}\ncheck-sat\n")[0]
        return [row.split()[1] for row in trace.splitlines() if row.split()[0] == "answer"]

    assert [asked(100), asked(100)] == [["unknown"], ["unknown"]]
    assert [asked(10_000), asked(10_000)] == [["unsat"], ["unsat"]]


def test_a_bit_and_a_boolean_are_told_apart_in_models() -> None:
    trace, report = replay(live("boolector"), MODEL)
    assert report.get("finding") is None
    assert report["counts"]["check-model:true"] == 1
    assert 'value t3 "bv" 1 ' in trace


def test_a_program_gives_the_answers_of_its_trace(tmp_path: Path) -> None:
    trace = replay(live("boolector"), f"# solver boolector\n{MODEL}")[0]
    file = tmp_path / "program.py"
    file.write_text(
        to_python(parse_trace(trace, "t.trace"), catalogue(), load_wrapper("boolector"))
    )
    ended = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "answer: 'sat'" in ended.stdout


def test_assumptions_that_were_reset_are_not_asked_about() -> None:
    checked = f"{PRIME}check-sat-assuming 1 t5\n".replace("assert-formula t5\n", "")
    reset = "boolector-reset-assumptions t7\nboolector-failed-suffice\n"
    trace, report = replay(live("boolector"), checked + "boolector-failed-suffice\n" + reset)
    assert report.get("finding") is None
    assert "refused" not in trace


def test_a_simplification_ends_the_answer() -> None:
    """Boolector forgets assumptions and model then, so nothing asks for them."""
    checked = f"{PRIME}check-sat-assuming 1 t5\n".replace("assert-formula t5\n", "")
    asked = f"{checked}boolector-simplify\nboolector-failed-suffice\n"
    ((_, _, why),) = replay(live("boolector"), asked)[1]["refused"]
    assert why == "boolector-failed-suffice needs 'unsat'"


def test_a_plain_program_makes_one_object_and_calls_the_binding_itself(tmp_path: Path) -> None:
    kept = Path(__file__).parents[2] / "traces" / "regressions" / "boolector-3.2.4.38488416565"
    text = (kept / "quantifier-below-an-exclusive-or.trace").read_text(encoding="utf-8")
    (plan,) = make_plans(Request(("boolector",)))
    shown = Shown("wrong-unsat", "", "")
    (form,) = write_programs(plan, tmp_path / "1.trace", text, shown, forms=("python",))
    assert form.reproduces and form.note == "expected sat, got unsat"
    program = Path(form.file).read_text(encoding="utf-8")
    assert program.count("btor = ") == 1


def test_a_check_that_needs_a_second_solver_cannot_say_and_changes_nothing() -> None:
    failed = f"{PRIME}check-sat-assuming 1 t5\ncheck-assumptions\nget-unsat-assumptions\n"
    trace, report = replay(live("boolector"), failed.replace("assert-formula t5\n", ""))
    assert "answer unsat" in trace
    assert report["counts"]["check-assumptions:cannot-say"] == 1
    assert "refused" not in trace
    assert report["counts"]["action-ok:get-unsat-assumptions"] == 1


SCRIPT = """(set-logic QF_BV)
(set-option :produce-models true)
(declare-const a (_ BitVec 8))
(assert (= (bvmul a a) #x31))
(check-sat)
(push 1)
(assert false)
(check-sat)
(exit)
(rubbish)
"""


def helpers() -> Any:
    """The functions of the wrapper's file of helpers."""
    return live("boolector").wrapper.namespace["h"]


def test_a_script_is_read_up_to_its_exit_and_answers_each_check() -> None:
    assert helpers().run_script(SCRIPT, 100_000).splitlines() == ["sat", "unsat"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(assert (frob))", "script error: 1:10: undefined symbol 'frob'"),
        ("(declare-const a Int)", "script error: 1:18: invalid sort 'Int'"),
        ("(check-sat", "script error: .*end-of-file"),
        (
            "(declare-const a (Array Bool Bool)) (assert (forall ((b Bool)) (select a b)))(check-sat)",
            "check error: .*quantifiers with functions not supported",
        ),
    ],
)
def test_a_script_that_is_refused(text: str, message: str) -> None:
    import pyboolector

    with pytest.raises(pyboolector.BoolectorException, match=message):
        helpers().run_script(text, 1000)


def test_the_options_of_the_release_are_known_with_their_types() -> None:
    found = {entry["name"]: entry for entry in helpers().solver_options()}
    assert found["rewrite-level"]["values"] == [0, 1, 2, 3]
    assert found["ucopt"] == {
        "name": "ucopt",
        "type": "bool",
        "default": False,
        "category": "regular",
    }
    assert found["prop-nprops"]["min"] == 0


def test_a_term_of_another_context_is_refused_each_time() -> None:
    """Each context takes a symbol once. Terms of two contexts can end the process that frees them."""
    made = 'new\nmk-sort SORT_BV 8\n return s1\nmk-const s1 "a"\n return t1 s1\n'
    wrong = "misuse@context mk-term@made OP_BV_ADD SORT_BV 2 t1 t1 with {} other t1\n"
    text = made + wrong.format(0) + wrong.format(1)
    trace, report = forked(lambda: replay(live("boolector"), text))
    assert report.get("finding") is None
    assert trace.count("belongs to different Boolector instance") == 2


BINARY = """ADD SUB MULT UDIV UREM SDIV SREM SMOD SHL LSHR ASHR AND OR XOR NAND NOR XNOR
EXT_ROTATE_LEFT EXT_ROTATE_RIGHT"""
PREDICATES = "UADDO SADDO UMULO SMULO USUBO SSUBO SDIVO ULT ULE UGT UGE SLT SLE SGT SGE"


def test_operators_mean_what_the_standard_says() -> None:
    """All values of two operands of three bits, zero as a divisor among them."""
    rows = ["new", "set-option incremental true", "set-option produce-models true"]
    rows += ["mk-sort SORT_BV 3", " return s1", 'mk-const s1 "x"', " return t1 s1"]
    rows += ['mk-const s1 "y"', " return t2 s1"]
    last = 2

    def made(row: str, sort: str) -> str:
        nonlocal last
        last += 1
        rows.extend([row, f" return t{last} {sort}"])
        return f"t{last}"

    terms = [made(f"mk-term OP_BV_{name} SORT_BV 2 t1 t2", "s1") for name in BINARY.split()]
    terms += [made(f"mk-term OP_BV_{name} SORT_BOOL 2 t1 t2", "s2") for name in PREDICATES.split()]
    terms += [made("mk-term OP_BV_NEGO SORT_BOOL 1 t1", "s2")]
    values = [made(f'mk-value s1 "{value:03b}" 2', "s1") for value in range(8)]
    x, y = (
        [made(f"mk-term OP_EQUAL SORT_BOOL 2 {of} {value}", "s2") for value in values]
        for of in ("t1", "t2")
    )
    for left in x:
        for right in y:
            rows.append(f"check-sat-assuming 2 {left} {right}")
            rows.append(f"check-values {len(terms)} {' '.join(terms)}")
    report = replay(live("boolector"), "\n".join([*rows, ""]))[1]
    assert report.get("finding") is None
    assert report["counts"]["check-values:true"] == 64 * len(terms)
