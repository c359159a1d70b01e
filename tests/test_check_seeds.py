"""`murxpy check-seeds`: unreadable and mislabelled scripts by name, and its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import error, outcome

SAT = "(declare-const x Int)\n(assert (< x 3))\n(check-sat)\n"


def test_what_is_wrong_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    texts = {
        "good.smt2": "(set-info :status sat)" + SAT,
        "lying.smt2": "(set-info :status unsat)" + SAT,
        "silent.smt2": SAT,
        "sat/by-folder.smt2": SAT,
        "unsat/lying.smt2": SAT,
        "no-script.smt2": "It was a dark night",
        "empty.smt2": "",
        "unknown.smt2": "(set-logic ALL)\n(assert (foo 1))\n(check-sat)",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "binary.smt2").write_bytes(b"\xff\xfe\x00")
    code, out, _ = outcome(capsys, "check-seeds", tmp_path, "--cross-check", "cvc5", "--json")
    found = json.loads(out)
    verdicts = {
        str(Path(entry["path"]).relative_to(tmp_path)): entry["verdict"] for entry in found["seeds"]
    }
    assert code == 1 and verdicts == {
        "good.smt2": "right",
        "lying.smt2": "mislabelled",
        "silent.smt2": "unlabelled",
        "sat/by-folder.smt2": "right",
        "unsat/lying.smt2": "mislabelled",
        "no-script.smt2": "unreadable",
        "empty.smt2": "unreadable",
        "unknown.smt2": "unreadable",
        "binary.smt2": "unreadable",
    }
    code, out, _ = outcome(
        capsys,
        "check-seeds",
        tmp_path / "unknown.smt2",
        tmp_path / "lying.smt2",
        tmp_path / "good.smt2",
    )
    assert code == 1 and "unknown.smt2:2:10: unknown function 'foo'" in out
    assert "lying.smt2: check 1 of 1: labelled unsat, z3 sat" in out and "1  right" in out


def test_nothing_to_check(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert error(capsys, "check-seeds", tmp_path) == (2, f"no scripts (*.smt2) in {tmp_path}")
