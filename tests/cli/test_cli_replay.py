"""`murxpy replay`: ours and Murxla's traces, on the solver they are of and on another one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import FAKE, fuzz_fake, outcome

pytestmark = pytest.mark.usefixtures("kept_solvers")

OURS = """# murxpy-trace 1
# solver z3 5.4.0
# seed 1
     1 new@simple
     2 mk-sort SORT_BV 4
      return s1
     3 mk-const s1 "x"
      return t1 s1
     4 mk-term OP_BV_ULT SORT_BOOL 2 t1 t1
      return t2 s2
     5 assert-formula t2
     6 check-sat
      answer unsat
     7 delete
"""
MURXLA = """set-murxla-options --cvc5
18014 new
28104 mk-sort SORT_BV 4
      return s1
3 mk-const s1 "x"
      return t1
4 mk-term OP_BV_ULT SORT_BOOL 2 t1 t1
      return t2 s2
28205 assert-formula t2
28306 check-sat
"""


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "a.trace"
    path.write_text(OURS)
    return path


def test_replays(capsys: pytest.CaptureFixture[str], trace: Path) -> None:
    code, out, err = outcome(capsys, "replay", trace)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("no finding (z3 ") and lines[1:] == ["  answers: 1 unsat"]


def test_replays_on_another_solver(capsys: pytest.CaptureFixture[str], trace: Path) -> None:
    trace.write_text(trace.read_text().replace("unsat", "sat"))
    code, out, _ = outcome(capsys, "replay", trace, "--solver", "cvc5")
    lines = out.splitlines()
    assert code == 0 and lines[0].startswith("no finding (cvc5 ")
    assert lines[1:3] == ["  answers: 1 unsat", "  1 difference from what the trace records"]
    assert lines[3].startswith("    line 12: ")


def test_replays_murxlas_traces(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "m.trace"
    path.write_text(MURXLA)
    code, out, _ = outcome(capsys, "replay", path, "--json")
    data = json.loads(out)
    assert (code, data["solver"], data["answers"]["unsat"], data["refused"]) == (0, "cvc5", 1, 0)
    path.write_text(MURXLA.replace("cvc5", "btor"))
    code, _, err = outcome(capsys, "replay", path)
    assert code == 2 and "the trace is of 'btor', which has no wrapper here" in err
    assert outcome(capsys, "replay", path, "--solver", "z3")[0] == 0


def test_writes_the_trace_of_the_replay(capsys: pytest.CaptureFixture[str], trace: Path) -> None:
    code, out, _ = outcome(capsys, "replay", trace, "--trace")
    assert code == 0
    calls = [
        line.split()[1].partition("@")[0] for line in out.splitlines() if line[:6].strip().isdigit()
    ]
    assert calls == [
        "new",
        "mk-sort",
        "mk-const",
        "mk-term",
        "assert-formula",
        "check-sat",
        "delete",
    ]
    assert "      answer unsat\n" in out


@pytest.mark.usefixtures("bare_findings")
@pytest.mark.parametrize(
    ("fault", "what"), [("segfault", "crash: SIGSEGV"), ("abort", "abort: SIGABRT")]
)
def test_shows_where_a_finding_is(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    what: str,
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", f"or:{fault}")
    assert fuzz_fake(capsys, tmp_path, "--stop-at-first")[0] == 1
    file = next(tmp_path.glob("findings/*/*.trace"))
    fatal = file.read_text().count("\n")
    code, out, _ = outcome(capsys, "replay", file, "--solver", *FAKE)
    assert code == 1 and out.startswith(f"{what} (fake 1.0, ")
    assert out.splitlines()[1:3] == [
        f"  at line {fatal}: mk-term@mk OP_OR",
        f"  bucket {file.parent.name}",
    ]
    data = json.loads(outcome(capsys, "replay", file, "--solver", *FAKE, "--json")[1])
    assert (data["fails"], data["line"], data["operator"]) == (True, fatal, "OP_OR")
    monkeypatch.setenv("FAKESOLVER_FAULT", "")
    assert outcome(capsys, "replay", file, "--solver", *FAKE)[0] == 0


@pytest.mark.usefixtures("bare_findings")
def test_a_finding_elsewhere_needs_its_wrapper(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "or:segfault")
    fuzz_fake(capsys, tmp_path / "out", "--stop-at-first")
    file = next(tmp_path.glob("out/findings/*/*.trace"))
    copy = tmp_path / "copy.trace"
    copy.write_text(file.read_text())
    assert outcome(capsys, "replay", copy)[0] == 2
    name, *wrapper = FAKE
    assert outcome(capsys, "replay", copy, "--solver", name, *wrapper)[0] == 1


def test_hang(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "or:sleep")
    path = tmp_path / "a.trace"
    path.write_text(
        '# solver fake 1.0\n1 new\n2 mk-sort SORT_BOOL\n      return s1\n3 mk-const s1 "x"\n      return t1 s1\n'
        "4 mk-term@mk OP_OR SORT_BOOL 2 t1 t1\n      return t2 s1\n"
    )
    name, *wrapper = FAKE
    code, out, _ = outcome(capsys, "replay", path, "--solver", name, *wrapper, "--wall", "1s")
    assert code == 0 and out.startswith("ended after 1 s, its limit, without a finding (fake 1.0, ")
    assert out.splitlines()[1] == "  at line 7: mk-term@mk OP_OR"


@pytest.mark.usefixtures("bare_findings")
def test_runs_that_need_those_before_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "or:segfault")
    fuzz_fake(capsys, tmp_path, "--stop-at-first")
    file = next(tmp_path.glob("findings/*/*.trace"))
    history = file.with_suffix(".history")
    history.write_text(f"# the runs\n{file.stem} []\n")
    code, out, _ = outcome(capsys, "replay", history, "--solver", *FAKE)
    assert code == 1 and out.splitlines()[1] == "  in mk-term@mk OP_OR"
    monkeypatch.setenv("FAKESOLVER_FAULT", "")
    code, _, err = outcome(capsys, "replay", file, "--solver", *FAKE)
    assert (code, err) == (0, f"this finding needs the runs before it: murxpy replay {history}\n")
