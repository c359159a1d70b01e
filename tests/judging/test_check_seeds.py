"""`murxpy check-seeds`: unreadable and mislabelled scripts by name, and its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import error, outcome

from murxpy.fuzzers.seeds import collect_seeds

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
    assert error(capsys, "check-seeds", tmp_path) == (
        2,
        f"no scripts (*.smt2) or traces (*.trace) in {tmp_path}",
    )


STEPS = """(set-logic QF_LIA)(declare-const x Int)(assert (< x 3))(check-sat)
(push 1)(declare-const y Int)(assert (< 3 x))(check-sat)(pop 1)
(set-info :status unsat)(check-sat-assuming ((> x 1)))
"""


def test_seeds_are_written_with_labels(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A script is split at its checks; a check without a label gets the solvers' answer, and one
    with a wrong label is left out.
    """
    texts = {
        "steps.smt2": STEPS,
        "silent.smt2": SAT,
        "unknown.smt2": f"; kept\n(set-info :status unknown){SAT}",
        "again/silent.smt2": SAT.replace("<", ">"),
        "lying.smt2": "(set-info :status unsat)" + SAT,
        "hard.smt2": "(declare-const x Int)(assert (= (* x x x) (+ (* x x) 777777777)))(check-sat)",
    }
    for name, text in texts.items():
        (tmp_path / "in" / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / "in" / name).write_text(text)
    out = tmp_path / "out"
    args = ("check-seeds", tmp_path / "in", "--cross-check", "cvc5", "--limit", "100ms")
    code, said, _ = outcome(capsys, *args, "--write", out)
    files = {str(file.relative_to(out)): file.read_text() for file in sorted(out.rglob("*.smt2"))}
    assert code == 1 and f"seeds written to {out}: 4 sat, 1 unsat" in said, said
    assert list(files) == [
        "ALL/sat/silent.2.smt2",
        "ALL/sat/silent.smt2",
        "ALL/sat/unknown.smt2",
        "QF_LIA/sat/steps-1.smt2",
        "QF_LIA/unsat/steps-2.smt2",
    ]
    assert files["ALL/sat/unknown.smt2"] == f"; kept\n(set-info :status sat){SAT}"
    assert files["ALL/sat/silent.smt2"].startswith("(set-info :status sat)\n")
    assert files["QF_LIA/unsat/steps-2.smt2"].count("assert") == 2
    found = collect_seeds([out])
    assert [label for _, _, label in found.files] == ["sat", "sat", "sat", "sat", "unsat"]


def test_seeds_that_cannot_be_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    seed = tmp_path / "a.smt2"
    seed.write_text(SAT)
    code, said = error(capsys, "check-seeds", seed, "--write", tmp_path / "out")
    assert code == 2 and said == "--write needs a second solver; name one with --cross-check"
    code, said = error(capsys, "check-seeds", seed, "--cross-check", "cvc5", "--write", tmp_path)
    assert code == 2 and "is not empty; expected a new one" in said
