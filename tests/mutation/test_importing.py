"""`murxpy import-seeds`: which scripts of a folder become seeds, where they are written, and which scripts
count as the same.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import error, outcome
from toy import catalogue

from murxpy.fuzzers.importing import shape
from murxpy.fuzzers.seeds import collect_seeds
from murxpy.smtlib.reading.scripts import read_script

CATALOGUE = catalogue()
SAT = "(set-logic QF_LIA)(set-info :status sat)(declare-const x Int)(assert (< x 3))(check-sat)\n"
INTS = "(declare-const x Int)(declare-const y Int)"


def written(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text)


def test_scripts_are_split_by_logic_and_label(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bits = "(declare-const v (_ BitVec 8))(assert (bvult v #x03))(check-sat)"
    texts = {
        "a/x.smt2": SAT,
        "b/x.smt2": SAT.replace("<", ">"),
        "renamed.smt2": SAT.replace("x", "y").replace("3", "77"),
        "otherwise.smt2": SAT.replace(":status sat", ":status unsat"),
        "unsat/by-folder.smt2": bits,
        "all.smt2": f"(set-logic ALL)(set-info :status unknown){bits}",
        "steps.smt2": SAT + "(set-info :status unsat)(check-sat-assuming ((> x 9)))",
        "evil.smt2": SAT.replace("QF_LIA", "../../../evil").replace("<", "<="),
        "no-check.smt2": "(declare-const x Int)(assert (< x 3))",
        "nothing.smt2": "(check-sat)",
        "broken.smt2": "(assert (foo 1))\n(check-sat)",
        "large.smt2": f"; {'x' * 400}\n{SAT}",
    }
    written(tmp_path / "in", texts)
    (tmp_path / "in" / "binary.smt2").write_bytes(b"\xff\xfe\x00")
    out = tmp_path / "out"
    args = ("import-seeds", tmp_path / "in", "--size-limit", "300", "-o", out)
    code, said, err = outcome(capsys, *args)
    assert code == 0
    files = {str(file.relative_to(out)): file.read_text() for file in sorted(out.rglob("*.smt2"))}
    assert list(files) == [
        "QF_BV/unknown/all.smt2",
        "QF_BV/unsat/by-folder.smt2",
        "QF_LIA/sat/evil.smt2",
        "QF_LIA/sat/x.2.smt2",
        "QF_LIA/sat/x.smt2",
        "QF_LIA/several/steps.smt2",
        "QF_LIA/unsat/otherwise.smt2",
    ]
    assert files["QF_LIA/sat/x.smt2"] == SAT and not (tmp_path / "evil").exists()
    assert f"7 seeds of 13 files written to {out}" in said
    for line in ("1  left out: no check-sat", "1  left out: larger than 300 bytes"):
        assert line in said
    assert "2  left out: not readable" in said and "1  left out: the same shape" in said
    assert "1  left out: nothing is asserted" in said
    assert "not readable: " in err and "broken.smt2:1:10: unknown function 'foo'" in err
    labels = {Path(name).name: label for name, _, label in collect_seeds([out]).files}
    assert labels["by-folder.smt2"] == "unsat" and labels["steps.smt2"] == "sat unsat"
    assert labels["all.smt2"] == ""

    assert error(capsys, *args)[0] == 2  # the folder is not empty any more
    again = tmp_path / "again"
    code, said, _ = outcome(capsys, *args[:-1], again, "--json")
    assert {str(file.relative_to(again)): file.read_text() for file in again.rglob("*.smt2")} == (
        files
    )
    told = json.loads(said)
    assert len(told["seeds"]) == 7 and len(told["faults"]) == 2


def test_no_seed_is_one_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    written(tmp_path / "in", {"a.smt2": "(check-sat)"})
    code, said = error(capsys, "import-seeds", tmp_path / "in", "-o", tmp_path / "out")
    assert code == 2 and said.startswith("no seeds in ") and not (tmp_path / "out").exists()
    written(tmp_path / "in", {"b.smt2": SAT})
    (tmp_path / "file").write_text("")
    code, said = error(capsys, "import-seeds", tmp_path / "in", "-o", tmp_path / "file" / "out")
    assert code == 2 and "Not a directory" in said


def same(first: str, second: str) -> bool:
    one, other = (
        list(shape(read_script(f"{INTS}{text}(check-sat)", "s", CATALOGUE)))
        for text in (first, second)
    )
    return one == other


@pytest.mark.parametrize(
    "first, second, equal",
    [
        ("(assert (< x 3))", "(assert (< y 4))", True),
        ("(assert (< x y))", "(assert (< y x))", True),
        ("(assert (< x y))", "(assert (< x x))", False),
        ("(assert (< x 3))", "(assert (<= x 3))", False),
        ("(assert (forall ((a Int)) (< a x)))", "(assert (forall ((b Int)) (< b y)))", True),
        ("(assert (forall ((a Int)) (< a x)))", "(assert (exists ((a Int)) (< a x)))", False),
        ("(push 1)(assert (< x 3))", "(assert (< x 3))", False),
        ("(assert (let ((a (+ x y))) (= a 1)))", "(assert (= (+ x y) 2))", True),
        (
            "(declare-datatype D ((c (s Int)) (d)))(declare-const z D)(assert (= (s z) 1))",
            "(declare-datatype E ((k (q Int)) (l)))(declare-const w E)(assert (= (q w) 5))",
            True,
        ),
        (
            "(declare-datatype D ((c (s Int)) (d)))(declare-const z D)(assert ((_ is c) z))",
            "(declare-datatype D ((c (s Int))))(declare-const z D)(assert ((_ is c) z))",
            False,
        ),
        (
            "(declare-sort U 0)(declare-fun f (U) Int)(declare-const u U)(assert (= (f u) 1))",
            "(declare-sort V 0)(declare-fun g (V) Int)(declare-const v V)(assert (= (g v) 2))",
            True,
        ),
        (
            "(assert (= ((_ extract 3 0) #x0f) #xa))",
            "(assert (= ((_ extract 4 1) #x0f) #xa))",
            False,
        ),
        ("(set-option :seed 1)(assert (< x 1))", "(assert (< x 1))", False),
    ],
)
def test_one_shape_is_one_structure_up_to_names_and_literals(
    first: str, second: str, equal: bool
) -> None:
    assert same(first, second) is equal
