"""`murxpy doctor`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import FAKE, WRAPPER, outcome

from murxpy.campaign.probe import Host
from murxpy.cli import doctor
from murxpy.cli.doctor import host_lines, judges_table


def test_fake_solver(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "or:segfault")
    code, out, err = outcome(capsys, "doctor", *FAKE, "--runs", "4")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("murxpy ") and lines[1].startswith("  memory   2.0 GiB a worker")
    assert "  draws    3 operators: BOOL 3" in lines
    assert "  not in this release: OP_XOR" in lines
    assert any(line.startswith("  not in the wrapper: OP_IMPLIES, ") for line in lines)
    assert "    OP_AND: gone (f.mk_and)" in lines
    assert "    actions set-option: default (f.set_option)" in lines
    assert any(line.startswith("  probe    4 runs: ") for line in lines)
    assert "    found crash-sigsegv-fake-mk-term-op-or-mk-25ef75e1: SIGSEGV" in lines
    data = json.loads(outcome(capsys, "doctor", *FAKE, "--runs", "4", "--json")[1])
    (found,) = data["targets"][0]["findings"]
    assert " ".join(found) == (
        "key kind tier severity solver version message new known confirmed count seed lines first "
        "trace same range against"
    )


def test_real_solver(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = outcome(capsys, "doctor", "z3", "--runs", "5", "--json")
    data = json.loads(out)
    (target,) = data["targets"]
    assert code == 0 and target["usable"] and target["solver"] == "z3"
    assert len(target["operators"]["BV"]) > 40 and Path(target["module_file"]).is_file()
    assert set(data["host"]) >= {"gdb", "available"}


def test_solver_that_is_missing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    wrapper = tmp_path / "w.yaml"
    wrapper.write_text(WRAPPER.read_text().replace("fakesolver", "nosuchsolver"))
    code, out, err = outcome(capsys, "doctor", "fake", "--wrapper", wrapper, "--runs", "1")
    assert code == 4
    assert "fake: cannot be used" in out.splitlines()
    assert "there is no module 'nosuchsolver'; run '" in err and err.endswith(
        "-m pip install nosuchsolver'\n"
    )
    data = json.loads(outcome(capsys, "doctor", "fake", "--wrapper", wrapper, "--json")[1])
    assert [each["usable"] for each in data["targets"]] == [False]


@pytest.mark.parametrize(
    ("landlock", "filters", "words"),
    [
        (7, True, "(Landlock ABI 7)"),
        (2, True, "does not prevent truncating files that they can read, signals"),
        (6, False, "does not prevent modes and times of files, the network"),
        (0, True, "NOT: this kernel has no Landlock, so a solver can write any file"),
        (0, False, "can write any file that you can write"),
    ],
)
def test_how_far_workers_are_confined(landlock: int, filters: bool, words: str) -> None:
    host = Host(None, None, None, None, None, landlock, filters)
    line = list(host_lines(host, 1 << 30, 1))[-1]
    assert line.startswith("  confined ") and words in line


def test_who_can_judge_which_theories() -> None:
    abouts = {
        "left": {"operators": {"BOOL": ["OP_AND", "OP_OR"], "BV": ["OP_BV_ADD"]}},
        "right": {"operators": {"BOOL": ["OP_AND"], "INT": ["OP_INT_ADD"]}},
    }
    rows = judges_table(abouts).rows
    assert rows == [["BOOL", 2, 1], ["BV", 1, 0], ["INT", 0, 1]]


def test_what_is_not_installed_is_told_and_is_no_fault(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "is_installed", lambda name: name == "z3")
    code, out, err = outcome(capsys, "doctor", "--runs", "1")
    assert (code, err) == (0, "")
    assert "not installed here: bitwuzla (pip install 'murxpy[bitwuzla]')" in out
    assert "cvc5 (pip install cvc5)" in out and "\nz3: z3 " in out
    data = json.loads(outcome(capsys, "doctor", "--runs", "1", "--json")[1])
    usable = {each["target"]: each["usable"] for each in data["targets"]}
    assert usable.pop("z3") and not any(usable.values()) and "cvc5" in usable
    monkeypatch.setattr(doctor, "is_installed", lambda name: False)
    code, _, err = outcome(capsys, "doctor")
    assert code == 4 and "no solver is installed here" in err
