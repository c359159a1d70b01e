"""`murxpy fuzz` and `murxpy findings`, on the fake solver with planted faults and once on each real
one.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import FAKE, fuzz_fake, outcome
from waiting import wait_for

from murxpy import cli
from murxpy.cli import campaigns
from murxpy.findings.replayed import Replayed
from murxpy.processes.limits import Limits
from murxpy.processes.targets import Plan

pytestmark = pytest.mark.usefixtures("kept_solvers")

FAULT = "FAKESOLVER_FAULT"
BUCKET = "crash-sigsegv-fake-mk-term-op-or-mk-25ef75e1"


def summary(out: str) -> str:
    """The last line but one of a campaign's output."""
    return out.splitlines()[-2]


@pytest.mark.usefixtures("bare_findings")
def test_finds_a_planted_crash(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FAULT, "or:segfault")
    code, out, err = fuzz_fake(capsys, tmp_path, "--runs", "5")
    assert (code, err) == (1, "")
    assert out.startswith('start targets="fake@')
    assert f"bucket new key={BUCKET} kind=crash tier=solver" in out
    assert " in 1 bucket, 1 new; " in summary(out)
    code, out, _ = fuzz_fake(capsys, tmp_path, "--runs", "5")
    assert code == 0  # nothing new
    code, out, _ = outcome(capsys, "findings", tmp_path, "--json")
    (bucket,) = json.loads(out)
    assert (bucket["key"], bucket["status"], bucket["confirmed"]) == (BUCKET, "open", True)
    assert bucket["version"] == "1.0" and bucket["count"] > 1
    assert outcome(capsys, "replay", bucket["trace"], "--solver", *FAKE)[0] == 1


def test_known_bugs_do_not_count(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FAULT, "or:segfault")
    assert fuzz_fake(capsys, tmp_path / "one", "--stop-at-first")[0] == 1
    code, known, _ = outcome(capsys, "findings", tmp_path / "one", "--format", "known")
    # the mark of the defect: other defects can have the same key
    assert code == 0 and f"\nmark {BUCKET} fake dies in " in known
    (tmp_path / "known").write_text(known)
    known = ("--runs", "5", "--no-minimize", "--known", tmp_path / "known")
    assert fuzz_fake(capsys, tmp_path / "marked", *known)[0] == 0
    (tmp_path / "known").write_text(f"{BUCKET}\n")
    code, out, _ = fuzz_fake(capsys, tmp_path / "two", *known)
    assert code == 0 and "bucket known" in out
    text = outcome(capsys, "findings", tmp_path / "two")[1]
    assert "known" in text and "murxpy replay" not in text


@pytest.mark.usefixtures("bare_findings")
def test_json_events(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FAULT, "or:abort")
    code, out, err = fuzz_fake(
        capsys, tmp_path, "--runs", "3", "--json", "--isolate", "--seed", "0x1"
    )
    events = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (1, "")
    assert events[0]["event"] == "started" and events[0]["seed"] == 1
    assert events[1] == {
        "event": "notice",
        "text": "fake 1.0 lacks 3 spellings of its wrapper; 'murxpy doctor' lists them",
    }
    assert events[-1]["event"] == "ended" and events[-1]["exit_code"] == 1


def test_isolated_runs_are_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ended = []
    for number, more in enumerate(([], ["--isolate"])):
        out = fuzz_fake(
            capsys, tmp_path / str(number), "--runs", "4", "--json", "--wall", "9s", *more
        )[1]
        events = [json.loads(line) for line in out.splitlines()]
        ended.append(
            {event["seed"]: event["answers"] for event in events if event["event"] == "run-ended"}
        )
    assert ended[0] == ended[1] and len(ended[0]) == 4


@pytest.mark.usefixtures("bare_findings")
def test_one_run_writes_its_trace(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FAULT, "or:segfault")
    fuzz_fake(capsys, tmp_path, "--stop-at-first")
    kept = next(
        text
        for text in map(Path.read_text, tmp_path.glob("findings/*/*.trace"))
        if "# damped" not in text
    )
    seed = kept.partition("# seed ")[2].split()[0]
    code, trace, err = outcome(capsys, "fuzz", *FAKE, "--run-seed", seed)
    assert (code, trace) == (1, kept)
    assert err.startswith("crash: SIGSEGV (fake 1.0, ")
    assert err.splitlines()[1:3] == ["  in mk-term@mk OP_OR", f"  bucket {BUCKET}"]


@pytest.mark.parametrize(("given", "wall"), [((), 20.0), (("--wall", "2s"), 2.0)])
def test_the_limit_of_campaigns_cuts_no_single_run(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    given: tuple[str, ...],
    wall: float,
) -> None:
    walls = []
    real = campaigns.walk_seeds

    def walk(plan: Plan, runs: Any, limits: Limits, **more: Any) -> Replayed:
        walls.append(limits.wall)
        return real(plan, runs, limits, **more)

    monkeypatch.setattr(campaigns, "walk_seeds", walk)
    assert outcome(capsys, "fuzz", *FAKE, "--run-seed", "1", *given)[0] == 0
    assert walls == [wall]


ASKED: dict[tuple[str, ...], tuple[tuple[str, ...], tuple[str, ...]]] = {
    ("--set", "random_seed=7"): (("random_seed 7\n", "set-limit"), ()),
    ("--no-option-fuzzing", "--limits", "wall"): (("check-sat",), ("set-option", "set-limit")),
    ("--theories", "int,uf", "--no-swarm", "--machine", "incremental"): (
        ("# theories BOOL,INT,UF", "# machine incremental"),
        ("# without", "SORT_BV"),
    ),
}


@pytest.mark.parametrize("args", ASKED)
def test_wishes_show_in_the_trace(
    capsys: pytest.CaptureFixture[str], args: tuple[str, ...]
) -> None:
    code, trace, _ = outcome(capsys, "fuzz", "z3", "--run-seed", "6", "--wall", "9s", *args)
    there, absent = ASKED[args]
    assert code in (0, 1)
    assert all(word in trace for word in there) and not any(word in trace for word in absent)


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_fuzzes_a_real_solver(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, solver: str
) -> None:
    code, out, err = outcome(
        capsys, "fuzz", solver, "--runs", "8", "--seed", "3", "--out", tmp_path, "--wall", "1s"
    )
    assert (code in (0, 1), err) == (True, "")
    assert "Operators never executed" not in out
    assert ": 8 runs in " in summary(out)
    code, out, _ = outcome(capsys, "statistics", tmp_path)
    assert (code, "BOOL: " in out and "Operators never executed" in out) == (0, True)
    code, out, _ = outcome(capsys, "statistics", tmp_path, "--json")
    assert (code, json.loads(out)["run:total"]) == (0, 8)


def start(out: Path, *args: str) -> subprocess.Popen[str]:
    """A campaign on the fake solver in a process of its own."""
    command = [sys.executable, "-m", "murxpy", "fuzz", *FAKE, "--out", str(out), *args]
    root = Path(cli.__file__).parents[2]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root
    )


@pytest.mark.usefixtures("bare_findings")
def test_killed_campaign_goes_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FAULT, "or:segfault")
    process = start(tmp_path, "--seed", "1")
    wait_for(lambda: any(tmp_path.glob("findings/*/*.trace")))
    process.kill()
    process.communicate()
    code, out, _ = fuzz_fake(capsys, tmp_path, "--runs", "12")
    assert "seed=1 " in out and code in (0, 1)  # 1: what was found last had not been confirmed
    (bucket,) = json.loads(outcome(capsys, "findings", tmp_path, "--json")[1])
    assert bucket["confirmed"] and bucket["count"] >= 2


def test_interrupt_gives_the_summary(tmp_path: Path) -> None:
    process = start(tmp_path, "--time", "60s")
    assert process.stdout is not None and process.stdout.readline().startswith("start ")
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, "")
    assert "(interrupted)" in out and out.endswith("exit code 130: ended by Ctrl-C\n")


def test_reader_of_the_events_goes_away(tmp_path: Path) -> None:
    process = start(tmp_path, "--json", "--time", "60s")
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(20) == 128 + signal.SIGPIPE
