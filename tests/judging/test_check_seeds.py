"""`murxpy check-seeds`: unreadable and mislabelled scripts by name, and its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import error, outcome

from murxpy.cli.report.console import Progress
from murxpy.fuzzers.seeds import collect_seeds

pytestmark = pytest.mark.usefixtures("kept_solvers")

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


def test_a_label_that_one_solver_contradicts_is_doubted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    false = "(declare-const x Int)\n(assert (< x x))\n(check-sat)\n"
    (tmp_path / "a.smt2").write_text("(set-info :status sat)" + false)
    (tmp_path / "b.smt2").write_text("(set-info :status unsat)" + SAT)
    code, out, _ = outcome(capsys, "check-seeds", tmp_path)
    assert code == 1
    assert f"doubted by z3: {tmp_path / 'a.smt2'}: check 1 of 1: labelled sat, z3 unsat" in out
    assert "labelled unsat, z3 sat, whose model makes all 1 assertions true" in out
    assert "1  doubted" in out and "1  mislabelled" in out
    code, out, _ = outcome(capsys, "check-seeds", tmp_path, "--cross-check", "cvc5")
    assert "2  mislabelled" in out and "doubted" not in out


def test_functions_that_are_values_are_decided(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = """(set-logic HO_ALL)(set-info :status sat)(declare-fun f (Int Int) Int)
    (declare-const g (-> Int Int))(assert (= g (f 1)))(check-sat)"""
    (tmp_path / "a.smt2").write_text(text)
    code, out, _ = outcome(capsys, "check-seeds", tmp_path, "--solver", "cvc5")
    assert code == 0 and "1  right" in out


def test_totals_of_what_was_done_before_ctrl_c(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.smt2").write_text("(set-info :status sat)" + SAT)
    taken = Progress.step

    def step(self: Progress) -> None:
        taken(self)
        if self._done == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "step", step)
    code, out, err = outcome(capsys, "check-seeds", tmp_path, "--jobs", "1")
    assert "1  right" in out and "1 of 3 scripts checked" in err and code == 130


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
        "evil.smt2": "(set-logic ../../evil)(set-info :status sat)" + SAT.replace("<", ">="),
        "hard.smt2": "(declare-const x Int)(assert (= (* x x x) (+ (* x x) 777777777)))(check-sat)",
    }
    for name, text in texts.items():
        (tmp_path / "in" / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / "in" / name).write_text(text)
    out = tmp_path / "out"
    args = ("check-seeds", tmp_path / "in", "--cross-check", "cvc5", "--check-limit", "100ms")
    code, said, _ = outcome(capsys, *args, "--write", out)
    files = {str(file.relative_to(out)): file.read_text() for file in sorted(out.rglob("*.smt2"))}
    assert code == 1 and f"seeds written to {out}: 5 sat, 1 unsat" in said, said
    assert list(files) == [
        "ALL/sat/evil.smt2",
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
    assert [label for _, _, label in found.files] == ["sat"] * 5 + ["unsat"]


def test_seeds_that_cannot_be_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    seed = tmp_path / "a.smt2"
    seed.write_text(SAT)
    code, said = error(capsys, "check-seeds", seed, "--write", tmp_path / "out")
    assert code == 2 and said == "--write needs a second solver; name one with --cross-check"
    code, said = error(capsys, "check-seeds", seed, "--cross-check", "cvc5", "--write", tmp_path)
    assert code == 2 and "is not empty; expected a new one" in said
