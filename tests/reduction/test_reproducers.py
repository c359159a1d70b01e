"""Findings in all forms: smaller while a campaign runs, as programs that show them, and what is
recorded of that.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from campaigns import plan, processes, run, started_by
from commands import FAKE, fuzz_fake, outcome
from waiting import wait_for

from murxpy.data import load_catalogue
from murxpy.findings.folder import Folder
from murxpy.findings.kinds.sights import Judged, Replies, Shown
from murxpy.findings.replayed import replay_trace
from murxpy.findings.store import read_buckets
from murxpy.logic.catalogue import STANDARD, build_catalogue
from murxpy.machine.trace.finished import HEADER, OWN_CONTEXT, Need, header_value, read_needs
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request, make_plans
from murxpy.processes.targets import Plan
from murxpy.records.events import Reproduced
from murxpy.records.finding import Reproducer
from murxpy.reduction.programs import run_program
from murxpy.reduction.reproducers import base_of, told_by, write_programs
from murxpy.reduction.script_writer import FrontEnd
from murxpy.translate.asking import Asked

pytestmark = pytest.mark.usefixtures("kept_solvers")

SHOWN = Shown("crash", "crash-sigsegv-fake", "SIGSEGV")


def forms(out: Path) -> list[dict[str, tuple[bool | None, bool]]]:
    """Of each bucket, by form: whether it reproduces, and whether its file is there."""
    return [
        {
            f.form: (f.reproduces, bool(f.file) and (out / f.file).is_file())
            for f in bucket.reproducers
        }
        for bucket in read_buckets(out)
    ]


def test_the_program_of_a_bucket_is_tried_on_its_target(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No program of the campaign is kept here, and the fake solver is only at its target's place."""
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:abort")
    assert fuzz_fake(capsys, tmp_path, "--runs", "8")[0] == 1
    bucket = next((tmp_path / "findings").iterdir())
    for made in bucket.glob("*.py"):
        made.unlink()
    trace = next(bucket.glob("*.trace"))
    command = ("translate", trace, "--solver", *FAKE, "--to", "program")
    code, program, said = outcome(capsys, *command)
    assert (code, said) == (0, "") and "does not show" not in program
    assert "def calls():" in program
    monkeypatch.delenv("FAKESOLVER_FAULT")
    code, program, said = outcome(capsys, *command)
    assert code == 0 and "\n# It does not show the finding on fake " in program
    assert said.count("\n") == 1 and "It does not show the finding on fake " in said
    lone = tmp_path / "lone.trace"
    lone.write_text(trace.read_text().replace("# solver", "# finds abort\n# solver", 1))
    code, program, said = outcome(capsys, "translate", lone, *FAKE[1:], *command[-2:])
    assert code == 0 and "\n# It was not run: " in program
    assert said.count("\n") == 1 and "It was not run, because " in said


def test_a_reduction_renews_what_all_commands_show(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:abort")
    assert fuzz_fake(capsys, tmp_path, "--runs", "8", "--no-minimize")[0] == 1
    assert "min.trace" not in forms(tmp_path)[0]
    bucket = next((tmp_path / "findings").iterdir())
    options = [*FAKE[1:], "--solver", FAKE[0]]
    code, out, _ = outcome(capsys, "minimize", bucket, *options)
    assert code == 0 and ".py: shows it" in out
    assert forms(tmp_path)[0]["min.trace"] == forms(tmp_path)[0]["python"] == (True, True)
    small = next(bucket.glob("*.min.trace"))
    listed = json.loads(outcome(capsys, "findings", tmp_path, "--json")[1])[0]["reproducers"]
    assert [f["message"] for f in listed if f["form"] == "min.trace"] == ["SIGABRT"]
    program = next(bucket.glob("*.py")).read_text()
    assert outcome(capsys, "translate", bucket, "--to", "program", *FAKE[1:])[1] == program
    assert str(small) in outcome(capsys, "show", bucket, *options)[1]


def test_a_running_campaign_keeps_its_list_of_findings(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:abort")
    fuzz_fake(capsys, tmp_path, "--runs", "8", "--no-minimize")
    bucket = next((tmp_path / "findings").iterdir())
    with closing(Folder(tmp_path)):
        code, out, err = outcome(capsys, "minimize", bucket, *FAKE[1:], "--solver", FAKE[0])
    assert code == 0 and "lines to" in out
    assert err.count("\n") == 1 and "the list of findings does not have it yet" in err


@pytest.mark.slow
def test_a_campaign_minimizes_what_it_finds(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:abort")
    code, out, _ = fuzz_fake(capsys, tmp_path, "--runs", "20", "--minimize")
    assert code == 1
    line = next(line for line in out.splitlines() if line.startswith("reproduced "))
    assert " min.trace=yes python=yes" in line
    for of_bucket in forms(tmp_path):
        assert of_bucket["trace"] == of_bucket["min.trace"] == of_bucket["python"] == (True, True)
        assert of_bucket["smt2"][0] is None, "the fake solver reads no scripts"
    code, out, _ = outcome(capsys, "findings", tmp_path, "--json")
    first = json.loads(out)[0]["reproducers"][1]
    assert first["form"] == "min.trace" and first["reproduces"] is True
    assert outcome(capsys, "replay", first["file"], *FAKE[1:], "--solver", FAKE[0])[0] == 1
    assert (
        "shows it again: trace yes, min.trace yes, python yes, smt2 "
        in outcome(capsys, "findings", tmp_path, "--all")[1]
    )
    # A second session has nothing to add.
    assert "reproduced " not in fuzz_fake(capsys, tmp_path, "--runs", "1", "--minimize")[1]


@pytest.mark.slow
def test_a_killed_campaign_minimizes_later(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:abort")
    command = [
        sys.executable,
        "-m",
        "murxpy",
        "fuzz",
        *FAKE,
        "--out",
        str(tmp_path),
        "--jobs",
        "1",
        "--seed",
        "1",
        "--minimize",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    wait_for(lambda: any((tmp_path / "findings").glob("*/*.trace")))
    time.sleep(1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_for(lambda: not shrinkers(process.pid))
    fuzz_fake(capsys, tmp_path, "--runs", "20", "--minimize")
    assert all(of_bucket["min.trace"] == (True, True) for of_bucket in forms(tmp_path))


def shrinkers(parent: int) -> list[int]:
    """The processes that make findings smaller for the campaign `parent`."""
    return processes(parent, "murxpy.campaign.behind")


def test_what_nothing_can_print_is_a_trace(tmp_path: Path) -> None:
    """The fake session has no wrapper, so no process is started for it."""
    _, events = run(tmp_path, {"every": {"segfault": 5}}, runs=20)
    (told,) = [event for event in events if isinstance(event, Reproduced)]
    assert [(form.form, form.reproduces) for form in told.forms] == [("trace", True)]


def program(tmp_path: Path, source: str) -> Path:
    file = tmp_path / "p.py"
    file.write_text(source)
    return file


@pytest.mark.parametrize(
    ("source", "cause", "status"),
    [
        ("import os; os.abort()", "died", signal.SIGABRT),
        ("import sys; sys.exit(3)", "died", 3 << 8),
        ("while True: pass", "wall", None),
        ("x = bytearray(200 << 20); x[:] = b'1' * len(x)\nwhile True: pass", "memory", None),
    ],
)
def test_programs_are_run_under_limits(
    tmp_path: Path, source: str, cause: str, status: int | None
) -> None:
    ended = run_program(
        plan(),
        program(tmp_path, source),
        (),
        "",
        1.5 if cause == "wall" else 20,
        Limits(memory=150 << 20),
    )
    assert (ended.cause, ended.status) == (cause, status)


def test_a_program_named_by_a_relative_path_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    program(tmp_path / "sub", "import sys; sys.exit(3)")
    monkeypatch.chdir(tmp_path)
    assert run_program(plan(), Path("sub/p.py"), (), "", 20, Limits()).status == 3 << 8


def test_an_endless_program_dies_with_us(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "started")
    program(tmp_path, "import time\nopen('started').read()\ntime.sleep(100)\n")
    code = (
        f"from pathlib import Path; import campaigns; from murxpy.reduction.programs import run_program\n"
        f"from murxpy.processes.limits import Limits\n"
        f"run_program(campaigns.plan(), Path({str(tmp_path / 'p.py')!r}), (), '', 100, Limits())"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[1] / "support"
    )
    with (tmp_path / "started").open("w"):  # until the program reads
        pids = started_by(process.pid)
    process.kill()
    process.wait()
    assert pids
    wait_for(lambda: not any(map(_is_alive, pids)))


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.fixture(scope="module")
def z3() -> Plan:
    return make_plans(Request(("z3",)))[0]


def test_a_program_that_shows_something_else_is_no_reproducer(tmp_path: Path, z3: Plan) -> None:
    """Nothing is wrong with this trace, so no form of it may be called a reproducer."""
    trace = tmp_path / "1.trace"
    trace.write_text(
        '# solver z3 5.4.0\n0 new\n0 mk-sort SORT_BOOL\n return s1\n0 mk-const s1 "a"\n return t1 s1\n'
        "0 assert-formula t1\n0 check-sat\n answer sat\n"
    )
    python, script = write_programs(z3, trace, trace.read_text(), SHOWN)
    assert (python.form, python.reproduces, script.form, script.reproduces) == (
        "python",
        False,
        "smt2",
        False,
    )
    assert python.note == "it ends with exit code 0: line 8: answer: 'sat'"
    assert script.note == "run as z3 FILE, it ends with exit code 0: sat"
    assert "(check-sat)" in Path(script.file).read_text()


@pytest.mark.parametrize(
    ("value", "needed"),
    [
        ("misuse@call z3.FPNumRef.py_value x2", [OWN_CONTEXT]),
        ('misuse@edge z3.FPs py:"f" x2 c1', []),  # a term in the place of a sort, in any context
    ],
)
def test_a_death_that_needs_a_context_of_its_own_says_so(
    value: str, needed: list[Need], tmp_path: Path, z3: Plan
) -> None:
    text = (
        "# murxpy-trace 1\n# solver z3 5.4.1\n0 new@simple\n return o1\n"
        "0 misuse@call z3.Float32 c1\n return x1 FPSortRef\n"
        f"0 misuse@call z3.FPVal py:5 py:0 x1 c1\n return x2 FPNumRef\n0 {value}\n"
    )
    small = tmp_path / "1.min.trace"
    small.write_text(text)
    (python,) = write_programs(z3, tmp_path / "1.trace", text, SHOWN, forms=("python",))
    assert (python.reproduces, python.note) == (True, "expected no signal, got SIGSEGV")
    assert ("Context()" in Path(python.file).read_text()) == bool(needed)
    assert read_needs(header_value(small.read_text(), HEADER)) == needed
    assert small.read_text().endswith(f"\n0 {value}\n")


def test_a_program_of_all_calls_is_tried_in_the_main_context_too(tmp_path: Path, z3: Plan) -> None:
    text = (
        "# murxpy-trace 1\n# solver z3 5.4.1\n0 new@simple\n return o1\n"
        "0 misuse@call z3.Float32 c1\n return x1 FPSortRef\n"
        '0 misuse@call z3.FP py:"f" x1 c1\n return x2 FPRef\n'
        "0 misuse@edge z3.FPRef.__rtruediv__ x2 py:4294967304\n return x3 FPRef\n"
        "0 misuse@edge z3.FloatQuadruple py:none\n0 delete\n"
    )
    small = tmp_path / "1.min.trace"
    small.write_text(text)
    shown = Shown("crash", "crash-sigsegv-z3-delete-5845c8bc", "SIGSEGV")
    (python,) = write_programs(z3, tmp_path / "1.trace", text, shown, forms=("python",))
    assert python.reproduces and "ctx = Context()" in Path(python.file).read_text()
    assert read_needs(header_value(small.read_text(), HEADER)) == [OWN_CONTEXT]


def test_what_smtlib_cannot_say_is_said(tmp_path: Path, z3: Plan) -> None:
    trace = tmp_path / "1.trace"
    trace.write_text(
        '# solver z3 5.4.0\n0 new\n0 mk-sort SORT_BOOL\n return s1\n0 mk-const s1 "a"\n return t1 s1\n0 check-term t1\n'
    )
    script = write_programs(z3, trace, trace.read_text(), SHOWN)[1]
    assert script == Reproducer(
        "smt2", "", None, "not in SMT-LIB: 'check-term' is an action of the API only"
    )
    assert not (tmp_path / "1.smt2").exists()


def test_no_script_is_run_for_a_call_that_none_has(
    tmp_path: Path, z3: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FrontEnd, "run", None)
    text = '# solver z3 5.4.1\n0 new\n return o1\n0 misuse@edge z3.FPs py:"f" py:none c1\n'
    (script,) = write_programs(z3, tmp_path / "1.trace", text, SHOWN, forms=("smt2",))
    assert script.note == "not in SMT-LIB: a call that is broken on purpose"


def test_all_forms_of_a_trace_have_one_name() -> None:
    for name in ("1a.trace", "1a.min.trace", "1a.history", "1a.min.history"):
        assert base_of(Path("b", name)) == Path("b", "1a")


def test_a_program_that_refutes_a_model_shows_an_invalid_model(tmp_path: Path) -> None:
    (target,) = make_plans(Request(("z3",)))
    source = (
        Path(__file__).parents[2]
        / "traces/regressions/z3-5.4.0/float-of-an-exponent-and-a-real.trace"
    )
    found = replay_trace(target, source.read_text(), source.name).found
    assert found is not None and found.verdict.kind == "invalid-model"
    shown = Shown(found.verdict.kind, found.bucket, found.verdict.message)
    made = {
        form.form: form
        for form in write_programs(target, tmp_path / source.name, source.read_text(), shown)
    }
    told = "expected True as the value of the assertion, got False"
    assert made["python"].reproduces and made["python"].note == told


@pytest.mark.parametrize(("between", "holds"), [("\n", True), ("", None)])
def test_a_declaration_may_share_its_line_with_an_assertion(
    between: str, holds: bool | None
) -> None:
    constant = Asked("constant", "(get-value (x))", "x", "Bool")
    formula = Asked("formula", "(get-value ((not x)))", "(not x)", "Bool")
    replies = Replies([(constant, "((x false))"), (formula, "(((not x) true))")])
    script = f"(declare-const x Bool){between}(assert (not x))"
    judged = Judged(script, replies, build_catalogue(load_catalogue()), STANDARD)
    assert judged.holds(formula) is holds


def test_a_program_shows_what_the_smaller_trace_says() -> None:
    """The message of an exception names the sorts of its own trace, which a reduction changes."""
    smaller = Reproducer("min.trace", "1.min.trace", True, message="Z3Exception: of 5 bits")
    assert told_by(smaller, "Z3Exception: of 8 bits") == "Z3Exception: of 5 bits"
    assert told_by(Reproducer("min.trace", ""), "as found") == "as found"
    told = Reproducer("min.trace", "", True, message="solution unsoundness: answered sat, and none")
    assert told_by(told, "an assertion is false") == "an assertion is false"
