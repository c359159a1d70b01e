"""The page on adding a solver: what it says works, from the module to the planted mistake that is found."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import pytest
from commands import error, outcome

PAGE = Path(__file__).parents[2] / "docs" / "new-solver.md"


def toy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The solver and the wrapper of the page, written into the folder."""
    text = PAGE.read_text(encoding="utf-8")
    module = text[text.index('    """A solver') : text.index("## 2.")]
    (folder / "toy.py").write_text(textwrap.dedent(module))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder / "toy.yaml"


def fill_in(file: Path) -> None:
    """Write the two lines of the page into the wrapper."""
    text = file.read_text()
    for name in ("sorts", "values"):
        (line,) = re.findall(rf"^    ({name}: .*)$", PAGE.read_text(encoding="utf-8"), re.M)
        assert f"{name}: {{}}\n" in text
        text = text.replace(f"{name}: {{}}\n", f"{line}\n")
    file.write_text(text)


@pytest.mark.usefixtures("bare_findings")
def test_a_new_solver_is_fuzzed_in_a_few_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = toy(tmp_path, monkeypatch)
    words = ["wrappers", "new", "toy", "--module", "toy", "--theories", "BOOL", "-o", file]
    assert outcome(capsys, *words)[0] == 0
    fill_in(file)
    code, out, _ = outcome(capsys, "wrappers", "check", file, "toy@.", "--runs", "8")
    assert code == 0 and "11 spellings, of which 8 runs called 11" in out
    assert "not in the wrapper: OP_IMPLIES, OP_IFF, OP_EQUAL" in out
    words = ["--cross-check", "z3", "--runs", "8", "--seed", "1", "--no-minimize"]
    code, out, _ = outcome(capsys, "fuzz", "toy@.", "--wrapper", file, *words, "--out", "o")
    assert code == 1 and "z3 5.4.1 answers" in out and "XOR" in out


def test_what_is_ill_spelled_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = toy(tmp_path, monkeypatch)
    outcome(capsys, "wrappers", "new", "toy", "--module", "toy", "--theories", "BOOL", "-o", file)
    fill_in(file)
    wrong = file.read_text().replace("mk_not({0})", "mk_negation({0})")
    file.write_text(wrong.replace("mk_xor({0}, {1})", "mk_xor({0}, {1}, 3)"))
    code, out, _ = outcome(capsys, "wrappers", "check", file, "toy@.", "--runs", "20", "--json")
    found = json.loads(out)
    assert code == 1
    assert [one for one in found["missing"] if "mk_negation" in one]
    assert "OP_XOR" in found["refused"] and "mk_xor" in " ".join(found["messages"])


def test_a_module_that_is_none_is_one_clear_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, said = error(capsys, "wrappers", "new", "x", "--module", "no_such_module")
    assert code == 2 and "cannot be imported" in said and "no_such_module" in said
    code, said = error(capsys, "wrappers", "new", "x", "--module", "os; import sys")
    assert code == 2 and "no name of a Python module" in said
    code, said = error(capsys, "wrappers", "new", "x", "--module", "json", "--theories", "BW")
    assert code == 2 and "unknown theory 'BW'" in said


def test_the_beginning_for_a_binding_works_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("bitwuzla")
    file = tmp_path / "own.yaml"
    outcome(capsys, "wrappers", "new", "own", "--module", "bitwuzla", "-o", file)
    assert 'new: "bitwuzla.Bitwuzla({ctx})"' in file.read_text()
    code, out, _ = outcome(capsys, "wrappers", "check", file, "--runs", "20", "--json")
    found = json.loads(out)
    assert code == 1 and found["called"] > 35  # what takes indices is still to be spelled
    assert {"OP_BV_EXTRACT"} & {*found["refused"]}
