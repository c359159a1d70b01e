"""A solver that reads SMT-LIB on its standard input is a target like any other."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import outcome
from toy import Crashed, forked, replay

from murxpy.data import load_catalogue, load_machine, load_wrapper
from murxpy.errors import InputError, TargetError
from murxpy.findings.buckets import new_bucket
from murxpy.findings.defects import Grouping
from murxpy.findings.kinds.sights import Shown
from murxpy.findings.replayed import replay_trace
from murxpy.grants import only_granted
from murxpy.machine.trace.finished import last_call
from murxpy.oracles.crash import judge
from murxpy.processes.plans import Request, make_plans
from murxpy.processes.targets import (
    Plan,
    TargetName,
    absolute_target,
    grant_target,
    parse_target,
    resolve,
    solver_of,
    unnamed,
)
from murxpy.records.finding import Reproducer
from murxpy.reduction.pipeline import Task
from murxpy.reduction.reproducers import write_programs
from murxpy.reduction.traces import minimize
from murxpy.worker.confine import landlock_abi
from murxpy.worker.session import Session

pytestmark = pytest.mark.usefixtures("kept_solvers")

WHEEL = Path(sys.prefix, "bin", "z3")  # the program that the package z3-solver has
FUZZED = "BOOL,BV,INT"

with_wheel = pytest.mark.skipif(not WHEEL.exists(), reason="no program of z3 beside this Python")


def test_a_name_has_the_command_behind_a_colon() -> None:
    name = parse_target("smt2:/opt/s@2 --mode=a,b [seed=3]")
    assert name == TargetName("smt2", "", (("seed", "3"),), "/opt/s@2 --mode=a,b")
    assert str(name) == "smt2:/opt/s@2 --mode=a,b[seed=3]"
    assert solver_of("smt2:/opt/s@2 -x") == "smt2"
    assert parse_target("own/my:wrapper.yaml").command == ""


def test_a_relative_program_gets_its_path() -> None:
    program = os.path.relpath(sys.executable)
    assert (
        absolute_target(f"smt2:{program} -x") == f"smt2:{shlex.quote(os.path.abspath(program))} -x"
    )


def test_a_program_that_only_a_file_names_is_not_started() -> None:
    with only_granted():
        assert unnamed(f"smt2:{sys.executable} -x")
        with pytest.raises(InputError, match="named here and not on the command line"):
            resolve(f"smt2:{sys.executable} -x", {"command": True})
        grant_target(f"smt2:{sys.executable} -x")
        assert not unnamed(f"smt2:{sys.executable} -x")
        assert unnamed(f"smt2:{sys.executable} -y")


def test_a_command_is_wanted_where_the_solver_is_a_program_and_nowhere_else() -> None:
    with pytest.raises(InputError, match="give --solver or --cross-check 'smt2:COMMAND'"):
        resolve("smt2", {"command": True})
    with pytest.raises(InputError, match="no solver that a program can be"):
        resolve(f"other:{sys.executable}", {"command": False})
    with pytest.raises(TargetError, match="there is no program '/no/such'"):
        resolve("smt2:/no/such", {"command": True})
    with pytest.raises(InputError, match="no command line: no closing quotation"):
        resolve("smt2:'x", {"command": True})


def test_contract_mode_takes_no_program(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = outcome(capsys, "fuzz", f"smt2:{sys.executable}", "--contract", "--runs", "1")
    assert code == 2
    assert "--contract is about Python bindings" in err


def test_only_the_processes_of_the_target_know_the_command() -> None:
    spec = resolve(f"smt2:{sys.executable} -x", {"command": True})
    assert spec.environment()["MURXPY_COMMAND"] == f"{sys.executable} -x"
    assert "MURXPY_COMMAND" not in resolve("other", {}).environment()


@with_wheel
def test_walks_get_answers_models_and_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bare_findings: None
) -> None:
    code, out, err = outcome(
        capsys, "fuzz", f"smt2:{WHEEL}", "--theories", FUZZED, "--runs", "12", "--seed", "5", "--jobs", "2",
        "--out", str(tmp_path / "out"), "--json",
    )  # fmt: skip
    assert code == 0, out + err
    end = next(event for row in out.splitlines() if (event := json.loads(row))["event"] == "ended")
    assert end["runs"] == 12
    assert end["answers"]["sat"] > 3
    assert end["answers"]["unsat"] > 3


# -- a program with planted faults. What the program answers is right but for these.

FAKE = Path(__file__).parents[1] / "fakes" / "smtprogram.py"
TRACE = """new
set-limit 50
set-logic ALL
set-option produce-models true
set-option produce-unsat-cores true
set-option produce-unsat-assumptions true
mk-sort SORT_BV 2
 return s1
mk-const s1 "a"
 return t1 s1
mk-const s1 "b"
 return t2 s1
mk-term OP_BV_ULT SORT_BOOL 2 t1 t2
 return t3 s2
plant
plant t1 "01" 2
plant t2 "10" 2
assert-formula t3
check-sat
get-value 2 t1 t2
check-model
check-values 2 t1 t2
mk-term OP_BV_ULT SORT_BOOL 2 t2 t1
 return t4 s2
check-sat-assuming 1 t4
MODEL
get-unsat-assumptions
check-assumptions
push 1
mk-term OP_NOT SORT_BOOL 1 t3
 return t5 s2
assert-formula t4
assert-formula t5
check-sat
get-unsat-core
check-core
pop 1
check-sat
check-model
reset-assertions
check-sat
"""
# a model is asked for behind the answer unsat
ASKING = TRACE.replace("MODEL", "check-model")
TRACE = TRACE.replace("MODEL\n", "")


DYING = """new
set-logic ALL
mk-sort SORT_BOOL
 return s1
mk-const s1 "a"
 return t1 s1
check-sat-assuming 1 t1
"""


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Session, Path]]:
    """A session of the program, and the file that has its fault."""
    file = tmp_path_factory.mktemp("fake") / "fault"
    with pytest.MonkeyPatch.context() as patch:
        # it knows no limit of resources, and a run that sets one goes on
        patch.setenv("MURXPY_COMMAND", f"{sys.executable} -S {FAKE} {file} no-limits")
        yield (
            Session(
                {
                    "catalogue": load_catalogue(),
                    "machine": load_machine("default"),
                    "wrapper": load_wrapper("smt2"),
                }
            ),
            file,
        )


def replayed(fake: tuple[Session, Path], fault: str) -> tuple[str, dict[str, Any]]:
    """The trace and the report of a replay with a fault."""
    session, file = fake
    file.write_text(fault)
    try:
        trace = ASKING if fault == "wrong-sat" else TRACE
        return forked(lambda: replay(session, trace))
    finally:
        file.unlink(missing_ok=True)


def test_a_right_program_has_no_finding(fake: tuple[Session, Path]) -> None:
    text, report = replayed(fake, "")
    assert report["finding"] is None, text
    assert [row.split()[1] for row in text.splitlines() if row.split()[0] == "answer"] == [
        "sat", "unsat", "unsat", "sat", "sat",
    ]  # fmt: skip
    assert "refused" not in text
    assert report["counts"]["check-model:true"] == 2
    assert report["counts"]["check-core:unsat"] == 1


def test_a_reply_in_pieces_is_read_whole(fake: tuple[Session, Path]) -> None:
    assert replayed(fake, "pieces")[0] == replayed(fake, "")[0]


@pytest.mark.parametrize(
    ("fault", "kind", "action", "message"),
    [
        ("wrong-sat", "invalid-model", "check-model", "false under the model"),
        ("wrong-unsat", "wrong-unsat", "check-sat", "the planted model satisfies all assertions"),
        ("wrong-model", "invalid-model", "check-model", "false under the model"),
        ("wrong-value", "invalid-model", "check-model", "false under the model"),
        ("no-value", "model-value", "check-model", "nonsense"),
        ("wrong-core", "invalid-core", "check-core", "the unsat core is satisfiable when solved anew"),
        ("foreign-core", "invalid-core", "check-core", "what was neither asserted nor assumed"),
        ("garbage:check-sat", "exception", "check-sat", "Rubbish: a parenthesis that nothing opens"),
        ("garbage:assert", "exception", "assert-formula", "Rubbish: a parenthesis that nothing opens"),
        ("words:check-sat", "exception", "check-sat", "Rubbish: expected one reply"),
        ("words:push", "exception", "push", "Rubbish: expected success, got WARNING: the moon is full"),
        ("nothing:get-value", "exception", "get-value", "Rubbish: expected one reply"),
        ("twice:check-sat", "exception", "check-sat", "Rubbish: expected one reply"),
    ],
)  # fmt: skip
def test_a_fault_is_found_and_named(
    fake: tuple[Session, Path], fault: str, kind: str, action: str, message: str
) -> None:
    text, report = replayed(fake, fault)
    assert report["finding"] is not None, text
    assert (report["finding"]["kind"], report["finding"]["action"]) == (kind, action)
    assert message in report["finding"]["message"]


@pytest.mark.parametrize(
    "command", ["declare-fun", "assert", "check-sat", "get-value", "get-unsat-core", "pop"]
)
def test_the_worker_dies_as_the_program_does(fake: tuple[Session, Path], command: str) -> None:
    with pytest.raises(Crashed, match=str(signal.SIGSEGV.value)):
        replayed(fake, f"death:{command}")


def test_a_flood_ends_the_worker_as_a_file_that_is_too_large_does(
    fake: tuple[Session, Path],
) -> None:
    with pytest.raises(Crashed, match=str(signal.SIGXFSZ.value)):
        replayed(fake, "flood:check-sat")


def test_a_refusal_is_counted_and_the_run_goes_on(fake: tuple[Session, Path]) -> None:
    text, report = replayed(fake, "refusal:check-sat")
    assert report["finding"] is None
    assert 'refused unsupported "SolverError: this is not supported"' in text
    assert report["counts"]["check-core:unsat"] == 1


def test_walks_draw_what_the_program_has_a_name_for(fake: tuple[Session, Path]) -> None:
    session, _ = fake
    asked = {
        "with-bv": "set-logic QF_BVLIA\nmk-term OP_INT_IAND SORT_INT 2 t1 t1 1 2",
        "without": "set-logic QF_LIA\nmk-term OP_INT_IAND SORT_INT 2 t1 t1 1 2",
        "fraction": "mk-term OP_CONST_ARRAY SORT_ARRAY s4 1 t2",
        "literal": "mk-term OP_CONST_ARRAY SORT_ARRAY s4 1 t3",
        "wide": 'mk-const s5 "a"\n return t4 s5\nmk-term OP_BV_REDXOR SORT_BV 1 t4',
        "narrow": 'mk-const s3 "a"\n return t4 s3\nmk-term OP_BV_REDXOR SORT_BV 1 t4',
    }
    made = """new
mk-sort SORT_INT
 return s1
mk-sort SORT_REAL
 return s2
mk-sort SORT_BV 2
 return s3
mk-sort SORT_ARRAY s1 s2
 return s4
mk-sort SORT_BV 65
 return s5
mk-value s1 "3"
 return t1 s1
mk-value s2 "5" "4"
 return t2 s2
mk-value s2 "7"
 return t3 s2
"""
    told = {name: replay(session, f"{made}{row}\n")[0] for name, row in asked.items()}
    assert "OP_INT_IAND" in told["with-bv"]
    assert "OP_INT_IAND" not in told["without"]  # no call was made
    assert "return t4 s4" in told["literal"]
    assert "OP_CONST_ARRAY" not in told["fraction"]
    assert "OP_BV_REDXOR" in told["narrow"]
    assert "OP_BV_REDXOR" not in told["wide"]  # a model would fill megabytes


def test_a_program_that_leaves_behind_an_error_is_started_again(fake: tuple[Session, Path]) -> None:
    text, report = replayed(fake, "leaving:get-value")
    assert report["finding"] is None
    assert 'refused unsupported "SolverError: this is not supported"' in text
    assert "refused" not in text.partition("check-sat-assuming")[2]
    assert report["counts"]["check-core:unsat"] == 1


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, Path]:
    """The program as a target, and the file that has its fault."""
    file = tmp_path_factory.mktemp("plan") / "fault"
    (made,) = make_plans(Request((f"smt2:{sys.executable} -S {FAKE} {file}",)))
    return made, file


@pytest.mark.parametrize(
    ("fault", "kind", "message", "call"),
    [
        ("death:check-sat", "crash", "SIGSEGV", "check-sat"),
        ("assertion:assert", "abort", "solver.c:17: solve: Assertion fine failed", "assert-formula"),
        ("exit:push", "exit", "the process exited with code 3", "push"),
        ("flood:get-value", "flood", "it printed more than the limit", "get-value"),
        ("wrong-core", "invalid-core", "satisfiable when solved anew", "check-core"),
        ("", "", "", ""),
    ],
)  # fmt: skip
def test_the_end_of_a_program_is_that_of_a_worker(
    plan: tuple[Plan, Path], fault: str, kind: str, message: str, call: str
) -> None:
    made, file = plan
    file.write_text(fault)
    verdict = judge(replay_trace(made, TRACE, "t.trace").outcome)
    assert (verdict.kind if verdict else "") == kind
    if verdict is not None:
        assert message in verdict.message
        assert (verdict.call.action, verdict.tier) == (call, "solver")


LATER = """0 new
0 set-logic ALL
0 set-option produce-models true
0 mk-sort SORT_BV 2
 return s1
0 mk-const s1 "a"
 return t1 s1
0 mk-const s1 "b"
 return t2 s1
{made}
0 assert-formula t3
0 assert-formula t4
0 check-sat-assuming 1 t3
0 check-sat
0 check-model
"""
MADE = {
    "order": """0 mk-term OP_BV_ULT SORT_BOOL 2 t1 t2
 return t3 s2
0 mk-term OP_BV_ULT SORT_BOOL 2 t2 t1
 return t4 s2""",
    "sum": """0 mk-term OP_BV_ADD SORT_BV 2 t1 t2
 return t5 s1
0 mk-term OP_EQUAL SORT_BOOL 2 t5 t1
 return t3 s2
0 mk-term OP_DISTINCT SORT_BOOL 2 t5 t1
 return t4 s2""",
    "sum-of-three": """0 mk-term OP_BV_ADD SORT_BV 3 t1 t2 t1
 return t5 s1
0 mk-term OP_BV_ULT SORT_BOOL 2 t5 t1
 return t3 s2
0 mk-term OP_BV_ULT SORT_BOOL 2 t5 t2
 return t4 s2""",
}


@pytest.mark.slow
def test_what_an_earlier_check_leaves_behind_is_one_defect_and_a_wrong_operator_another(
    plan: tuple[Plan, Path],
) -> None:
    made, file = plan
    files: dict[str, str] = {}
    buckets = []
    shown = [("forgetful", "order"), ("forgetful", "sum"), ("confused", "sum-of-three")]
    for fault, formulas in shown:
        file.write_text(fault)
        result = minimize(Task(made, "t.trace"), LATER.format(made=MADE[formulas]))
        files[formulas] = result.text
        verdict = judge(replay_trace(made, result.text, "t.trace").outcome)
        assert verdict is not None
        form = Reproducer("min.trace", formulas, True)
        bucket = new_bucket(formulas, "smt2", verdict, known=False, now=len(buckets))
        buckets.append(replace(bucket, state="confirmed", reproducers=(form,)))
    found = Grouping(files.get, lambda key: "").defects(buckets)
    assert [defect.buckets for defect in found] == [("order", "sum"), ("sum-of-three",)], files


def test_a_silent_program_is_killed_with_its_worker(plan: tuple[Plan, Path]) -> None:
    made, file = plan
    file.write_text("silence:check-sat")
    ended = replay_trace(made, TRACE, "t.trace", wall=1.0).outcome
    assert ended.cause == "wall"
    assert last_call(ended.trace).action == "check-sat"
    assert running(str(file)) == []


def test_a_program_is_confined_as_a_worker_is(plan: tuple[Plan, Path]) -> None:
    made, file = plan
    file.write_text("write:check-sat")
    assert replay_trace(made, TRACE, "t.trace").outcome.cause == "report"
    left = sorted(path.name for path in file.parent.iterdir())
    assert left == ["fault"] if landlock_abi() else ["fault", "fault.written"]


def test_a_judge_that_is_a_program_is_named_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mark, trace = tmp_path / "mark", tmp_path / "t.trace"
    trace.write_text(f"# murxpy-trace 1\n# solver z3 5\n# cross-check smt2:touch {mark}\n0 new\n")
    code, _, err = outcome(capsys, "replay", str(trace))
    assert code == 2
    assert "is named here and not on the command line" in err
    assert not mark.exists()


def running(word: str) -> list[str]:
    """The command lines of processes that have this word, once those that were killed are gone."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        found = []
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                found.append(entry.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
        if not any(word in line for line in found):
            return []
        time.sleep(0.05)
    return [line for line in found if word in line]


def test_the_script_and_the_program_of_a_crash_show_it(
    plan: tuple[Plan, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, file = plan
    file.write_text("death:check-sat-assuming")
    trace = tmp_path / "crash.trace"
    trace.write_text(f"# murxpy-trace 1\n# solver smt2 7.3+fake\n{DYING}")
    code, _, err = outcome(capsys, "replay", str(trace))
    assert code == 2
    assert "smt2 is a program that you name on the command line" in err
    ended = replay_trace(made, trace.read_text(), "crash.trace")
    assert ended.found is not None
    trace.write_text(ended.outcome.trace)
    shown = Shown("crash", ended.found.bucket, "SIGSEGV")
    program, script = write_programs(made, trace, trace.read_text(), shown)
    assert (program.reproduces, script.reproduces) == (True, True)
    assert script.note == f"run as {made.target.program}, which reads it on its standard input"
    assert "(check-sat-assuming (" in (tmp_path / "crash.smt2").read_text()


@with_wheel
def test_a_program_answers_scripts_as_a_judge_and_for_studies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "s.smt2"
    script.write_text(
        "(set-logic QF_LIA)\n(declare-const x Int)\n(assert (> x 3))\n(check-sat)\n(get-model)\n"
        "(assert (< x 2))\n(check-sat)\n"
    )
    code, out, err = outcome(capsys, "check-seeds", str(script), "--solver", f"smt2:{WHEEL}")
    assert code == 0, out + err
    code, out, err = outcome(
        capsys, "stability", f"smt2:{WHEEL}", str(script), "--variants", "3", "--out", str(tmp_path / "out")
    )  # fmt: skip
    assert code == 0, out + err
