"""Minimizing scripts, and traces that end with one: what they show stays, and stays known."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import FAKES, error, outcome

from murxpy.machine.tokens import quote

WRAPPER = ("--wrapper", FAKES / "scripts.yaml")
# The fake solver answers unsat wherever it sees an exclusive or.
TEXT = """(set-logic ALL)(set-info :status sat)
(declare-const a Bool)(declare-const b Bool)(declare-const x Int)(declare-const y Int)
(assert (and (> x 17) (< y (+ x 5)) (or a (xor (and a b) (not a)))))
(assert (not (= x y)))
(push 1)(pop 1)
(check-sat)
"""


def written(path: Path, *rows: str) -> Path:
    path.write_text("# murxpy-trace 1\n# solver fake 1.0\n" + "".join(f"1 {row}\n" for row in ("new", *rows)))
    return path


def test_a_wrong_answer_stays_wrong(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "a.smt2"
    path.write_text(TEXT)
    code, out, err = outcome(capsys, "minimize", path, "--solver", f"fake@{FAKES}", *WRAPPER, "--cross-check", "z3,cvc5")
    assert code == 0 and out.startswith("wrong-answer-fake-run-script-bool-"), out + err
    small = (tmp_path / "a.min.smt2").read_text()
    assert small.count("xor") == 1 and "Int" not in small and small.count("assert") == 1 and len(small) < 120


def test_one_other_solver_is_enough_where_a_model_is_evaluated(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = written(tmp_path / "a.trace", f"run-script {quote(TEXT)}", "expect sat", f"run-script {quote(TEXT)}")
    code, out, err = outcome(capsys, "minimize", path, "--solver", f"fake@{FAKES}", *WRAPPER, "--cross-check", "z3")
    assert code == 0, out + err
    small = (tmp_path / "a.min.trace").read_text()
    assert small.count("run-script") == 1 and "expect sat" in small and "Int" not in small
    assert outcome(capsys, "replay", tmp_path / "a.min.trace", "--solver", f"fake@{FAKES}", *WRAPPER)[0] == 1


def test_both_sides_of_a_disagreement_stay(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "a.smt2"
    path.write_text(TEXT.replace("(set-info :status sat)", ""))
    code, out, _ = outcome(capsys, "minimize", path, "--solver", f"fake@{FAKES}", *WRAPPER, "--cross-check", "z3")
    assert code == 0 and "answers unsat, z3 sat: " in out and (tmp_path / "a.min.smt2").read_text().count("xor") == 1


@pytest.mark.parametrize(
    ("text", "more", "expected"),
    [
        ("(assert true)(check-sat)", ("--cross-check", "cvc5"), "it shows no finding on z3, and cvc5 answers alike"),
        ("(assert true)(check-sat)", (), "it shows no finding on z3; to keep a disagreement name another solver"),
        ("(assert", (), "expected"),
    ],
)
def test_what_shows_nothing_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, more: tuple[str, ...], expected: str
) -> None:
    path = tmp_path / "a.smt2"
    path.write_text(text)
    code, message = error(capsys, "minimize", path, "--solver", "z3", *more)
    assert code == 2 and expected in message


def test_the_solver_must_be_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "a.smt2"
    path.write_text(TEXT)
    assert "with --solver" in error(capsys, "minimize", path)[1]
