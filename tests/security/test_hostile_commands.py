"""The commands that read files, on hostile ones: each ends with exit code 0, 1 or 2, and with one
clear error where it is 2.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from commands import outcome

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from hostile_inputs import hostile

DEEP = 100_000  # levels
OF_A_SCRIPT = {
    "lift": (),
    "minimize": ("--solver", "z3", "--time", "2s"),
    "eval": ("--solver", "cvc5", "--wall", "2s"),
    "check-seeds": (),
    "import-seeds": ("-o", "WRITTEN"),  # a new folder
}
COMMANDS: dict[str, list[tuple[str | Path, ...]]] = {
    "script": [
        ("lift", "FILE"),
        ("eval", "FILE", "--solver", "z3", "--wall", "2s"),
        ("minimize", "FILE", "--solver", "cvc5", "--time", "2s"),
        ("check-seeds", "FILE"),
        ("import-seeds", "FILE", "-o", "WRITTEN"),
    ],
    "trace": [
        ("translate", "FILE", "--to", "smt2"),
        ("translate", "FILE", "--to", "python"),
        ("eval", "FILE", "--planted"),
        ("replay", "FILE", "--wall", "2s"),
        ("minimize", "FILE", "--time", "2s"),
    ],
    "model": [("eval", "SCRIPT", "--model", "FILE")],
    "machine": [("fsm", "check", "FILE"), ("fuzz", "z3", "--machine", "FILE", "--runs", "1")],
    "profile": [("fuzz", "z3", "--profile", "FILE", "--runs", "1")],
    "wrapper": [("wrappers", "FILE"), ("fuzz", "--wrapper", "FILE", "--runs", "1")],
    "known": [("fuzz", "z3", "--known", "FILE", "--runs", "1")],
}
SUFFIXES = {"script": "smt2", "trace": "trace", "model": "smt2", "known": "txt"}
NESTS = {
    "term": ("(declare-const p Bool)(assert " + "(not " * DEEP, "p", ")" * DEEP + ")(check-sat)"),
    "sort": ("(declare-const q " + "(Array Int " * DEEP, "Int", ")" * DEEP + ")(check-sat)"),
    "let": (
        "(declare-const p Bool)(assert " + "(let ((q p)) " * DEEP,
        "q",
        ")" * DEEP + ")(check-sat)",
    ),
    "parentheses": ("(" * DEEP, "", ""),
}


def _ends_well(capsys: pytest.CaptureFixture[str], *args: str | Path) -> None:
    code, _, err = outcome(capsys, *args)
    assert code in (0, 1, 2) and "Traceback" not in err and "internal error" not in err, (
        code,
        err[:500],
    )
    assert code != 2 or err.count("murxpy: error: ") == 1, err[:500]


@pytest.mark.slow
@pytest.mark.parametrize("kind", COMMANDS)
def test_hostile_files(capsys: pytest.CaptureFixture[str], tmp_path: Path, kind: str) -> None:
    file, script = tmp_path / f"f.{SUFFIXES.get(kind, 'yaml')}", tmp_path / "of-a-model.smt2"
    script.write_text(
        "(declare-const x Int)(declare-const b Bool)(assert (and b (> x 0)))(check-sat)"
    )
    for number in range(40):
        for command in COMMANDS[kind]:
            file.write_bytes(hostile(kind, number))
            out = ("--out", tmp_path / f"out-{number}") if command[0] == "fuzz" else ()
            written = tmp_path / f"written-{number}"
            names: dict[str | Path, Path] = {"FILE": file, "SCRIPT": script, "WRITTEN": written}
            _ends_well(capsys, *(names.get(word, word) for word in command), *out)


@pytest.mark.slow
@pytest.mark.parametrize("nest", NESTS)
@pytest.mark.parametrize("command", OF_A_SCRIPT)
def test_deep_scripts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str, nest: str
) -> None:
    file = tmp_path / "deep.smt2"
    file.write_text("".join(NESTS[nest]))
    more = (tmp_path / "new" if word == "WRITTEN" else word for word in OF_A_SCRIPT[command])
    _ends_well(capsys, command, file, *more)


@pytest.mark.slow
@pytest.mark.parametrize("word", ["(not ", "(", "(let ((q true)) "])
def test_deep_models(capsys: pytest.CaptureFixture[str], tmp_path: Path, word: str) -> None:
    script, model = tmp_path / "f.smt2", tmp_path / "m.smt2"
    script.write_text("(declare-const p Bool)(assert p)(check-sat)")
    model.write_text("((define-fun p () Bool " + word * DEEP + "true" + ")" * DEEP + "))")
    _ends_well(capsys, "eval", script, "--model", model)
