"""Theories of the user, in files outside of the package, for operators that a wrapper spells."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import FAKES
from commands import error, outcome

from murxpy.data.theories import load_theories

THEORY = """
theory: MINE
smtlib: "-"
operators:
  OP_NAND: {smtlib: nand, sig: "BOOL BOOL -> BOOL"}
"""
SEED = "(declare-const x Bool)(declare-const y Bool)\n(assert (and x (or x y)))\n(check-sat)\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A theory, a wrapper that spells its operator, and a seed."""
    text = (FAKES / "scripts.yaml").read_text().replace("[BOOL]", "[BOOL, MINE]")
    text = text.replace("operators:\n", "operators:\n  OP_NAND: \"{ctx}.mk_op('nand', [{*}])\"\n")
    named = {"mine.yaml": THEORY, "fake.yaml": text, "seed.smt2": SEED}
    for name, content in named.items():
        (tmp_path / name).write_text(content)
    theory, wrapper, seed = (tmp_path / name for name in named)
    return theory, wrapper, seed


@pytest.mark.parametrize("fuzzer", ["typefuzz", pytest.param("opfuzz", marks=pytest.mark.slow)])
def test_mutants_have_operators_of_the_user(
    fuzzer: str, files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    theory, wrapper, seed = files
    target = (f"fake@{FAKES}", "--wrapper", wrapper)
    args = (seed, "--run-seed", "5", "--iterations", "20")
    code, printed, told = outcome(capsys, fuzzer, *target, *args, "--theory", theory)
    assert code == 0 and "(nand " in printed, told
    # a command forgets what the command before it was told
    assert "MINE" not in [known["name"] for known in load_theories()["theories"]]
    code, line = error(capsys, fuzzer, *target, *args)
    assert code == 2 and "fake.yaml:" in line and "unknown theory 'MINE'" in line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (THEORY.replace("OP_NAND", "OP_AND"), "mine.yaml:5: 'OP_AND' is defined already, at "),
        (THEORY.replace("MINE", "BOOL"), "mine.yaml:2: 'BOOL' is defined already, at "),
        (THEORY.replace("BOOL BOOL -> BOOL", "BOOL ->"), "mine.yaml:5: "),
        (THEORY.replace("operators", "operator"), "mine.yaml:4: "),
        ("- a\n", "mine.yaml:1: "),
    ],
)
def test_a_file_that_is_no_theory_is_one_line(
    text: str, expected: str, files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    theory, _, seed = files
    theory.write_text(text)
    code, line = error(capsys, "typefuzz", "z3", seed, "--theory", theory)
    assert code == 2 and expected in line
    code, line = error(capsys, "typefuzz", "z3", seed, "--theory", theory.with_name("none.yaml"))
    assert code == 2 and line.endswith("none.yaml: there is no such file")
