"""The seeds: what every file has, and that z3 and cvc5 answer a sample of them as they are
labelled.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from toy import catalogue

from murxpy.machine.trace.grammar import parse_trace
from murxpy.smtlib.logics import LOGICS
from murxpy.sources.mutation.workshop import MutationSession, Seed

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from make_seeds import alone, candidates, label, seed_file
from scripts import READERS

ROOT = Path(__file__).parents[2]
SEEDS = sorted((ROOT / "seeds").rglob("*.smt2"))
# what only one solver's dialect can say, by its name
OF_DIALECTS = [file for file in SEEDS if file.parts[-4] == "dialects"]
STANDARD = [file for file in SEEDS if file not in OF_DIALECTS]
OF_RULES = [file for file in STANDARD if file.name.startswith("rules-")]
OF_TRACES = [file for file in STANDARD if file not in OF_RULES]
_STATUS = re.compile(r"^\(set-info :status (\w+)\)$", re.MULTILINE)
_LOGIC = re.compile(r"^\(set-logic (\w+)\)$", re.MULTILINE)


def test_there_are_enough_of_every_kind() -> None:
    assert len(SEEDS) >= 200
    assert len({file.parts[-3] for file in SEEDS}) >= 15
    statuses = Counter(file.parts[-2] for file in SEEDS)
    assert set(statuses) == {"sat", "unsat"}
    assert min(statuses.values()) >= 80


def test_files_are_small_and_say_what_they_are() -> None:
    for file in SEEDS:
        text, (logic, status, _) = file.read_text(encoding="utf-8"), file.parts[-3:]
        assert len(text) < 4096, file
        assert text.startswith(
            (
                "; made by murxpy from a trace of ",
                "; made by murxpy from the rules of implication ",
                "; made by murxpy from random trees with the operator ",
            )
        ), file
        (named,) = _LOGIC.findall(text)
        assert named in LOGICS and (file in OF_DIALECTS or named == logic), file
        assert _STATUS.findall(text) == [status], file


def test_each_logic_is_the_smallest() -> None:
    known = catalogue()
    logics = {file: alone(file.read_text(encoding="utf-8"), known) for file in STANDARD}
    assert {
        file: made for file, made in logics.items() if made is None or made[0] != file.parts[-3]
    } == {}


@pytest.mark.parametrize(
    "file", [*OF_TRACES[::24], *OF_RULES[::24]], ids=lambda file: "/".join(file.parts[-3:])
)
@pytest.mark.parametrize("solver", READERS)
def test_both_solvers_answer_as_labelled(file: Path, solver: str) -> None:
    _answers_as_labelled(file, solver)


@pytest.mark.parametrize("file", OF_DIALECTS[::12], ids=lambda file: "/".join(file.parts[-3:]))
def test_the_solver_of_a_dialect_answers_as_labelled(file: Path) -> None:
    _answers_as_labelled(file, file.parts[-3])


def _answers_as_labelled(file: Path, solver: str) -> None:
    read = READERS[solver](file.read_text(encoding="utf-8"), 10, 5000)
    assert read.errors == []
    assert read.answers == [file.parts[-2]]


def test_a_seed_in_another_dialect_is_not_read() -> None:
    """Its mutants could not be printed."""
    known = catalogue()
    # that of other rules the standard says with operators of its own
    for file in [
        file for file in OF_DIALECTS if "-sequences-" in file.name or "-sets-" in file.name
    ]:
        seed = Seed(file.name, file.read_text(encoding="utf-8"))
        own, standard = (
            MutationSession(known, frozenset(known.operators), dialect).open(seed)
            for dialect in (file.parts[-3], "standard")
        )
        assert own is not None and standard is None


def test_a_seed_is_made_of_each_check() -> None:
    lines = [
        "# murxpy-trace 1",
        "# solver z3 5.4.0",
        "new",
        "mk-sort SORT_BV 8\n return s1",
        'mk-const s1 "x"\n return t1 s1',
        "mk-term OP_BV_ULT SORT_BOOL 2 t1 t1\n return t2 s2",
        "mk-term OP_EQUAL SORT_BOOL 2 t1 t1\n return t3 s2",
        "push 1",
        "assert-formula t2",
        "check-sat",
        "pop 1",
        "check-sat-assuming 1 t3",
    ]
    made = list(candidates(parse_trace("\n".join(lines), "t.trace"), catalogue(), 1000))
    assert made == [
        ("QF_BV", "(declare-const x (_ BitVec 8))\n(assert (bvult x x))"),
        ("QF_BV", "(declare-const x (_ BitVec 8))\n(assert (= x x))"),
    ]
    assert [label(seed_file(logic, "unknown", body, "by a test")) for logic, body in made] == [
        "unsat",
        "sat",
    ]
