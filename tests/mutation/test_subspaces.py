"""Canary cuts a seed by its models, and Octopus puts cores together: the answers are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from chains import chain
from commands import outcome
from scriptsolvers import SOLVERS, answers, output
from toy import catalogue

from murxpy.logic.walks import subterms
from murxpy.machine.random import Stream
from murxpy.smtlib.printing.scripts import print_script
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.sources.mutation.workshop import Mutant, MutationSession, Seed, Workshop

pytestmark = pytest.mark.usefixtures("kept_solvers")

CATALOGUE = catalogue()
SHOP = MutationSession(CATALOGUE, frozenset(CATALOGUE.operators), "standard")
SAT = Seed(
    "sat.smt2",
    """(declare-const x Int)(declare-const y Real)(declare-const p Bool)(declare-const b (_ BitVec 8))
(declare-const s String)(declare-fun f (Int) Int)(declare-const a (Array Int Int))
(assert (or p (< (* 2 x) (+ x 7)) (= (f x) 3)))(assert (>= (+ y 1.5) (to_real x)))
(assert (=> p (bvult b #x08)))(assert (> (str.len s) 1))(assert (= (select a x) 4))(check-sat)""",
)
STEPS = Seed(
    "steps.smt2",
    """(declare-const x Int)(assert (> x 0))(check-sat)(push 1)(assert (< x 5))(check-sat)(pop 1)
(assert (> x 7))(check-sat)""",
)
NUMBERS = Seed(
    "numbers.smt2",
    """(set-info :status unsat)(declare-const x Int)(declare-const y Int)(declare-const z Int)
(assert (> y (* 2 x)))(assert (< x 3))(assert (> x 5))(assert (< z y))(check-sat)""",
    "unsat",
)
VECTORS = Seed(
    "vectors.smt2",
    """(set-info :status unsat)(declare-sort U 0)(declare-fun f (U) Int)(declare-const u U)
(declare-const x Int)(assert (forall ((v U)) (> (f v) x)))(assert (= (f u) x))(check-sat)""",
    "unsat",
)
RECURSIVE = Seed(
    "recursive.smt2",
    """(set-info :status unsat)(declare-const x Int)
(define-fun-rec g ((n Int)) Int (ite (<= n 0) x (+ 1 (g (- n 1)))))
(assert (= (g 0) 7))(assert (distinct x 7))(check-sat)""",
    "unsat",
)


def ask(text: str) -> str | None:
    return output("z3", text)


def made(
    name: str, seeds: Sequence[Seed], count: int, start: int = 1, **choices: Any
) -> list[Mutant]:
    make = FUZZERS[name].mutants
    assert make is not None
    return list(chain(make(Workshop(SHOP, Stream(start), seeds, ask, choices)), count))


def contradictions(found: Sequence[Mutant], solver: str) -> list[str]:
    """The scripts that a solver answers otherwise than it must."""
    wrong = []
    for mutant in found:
        text = print_script(mutant.script, "standard")
        said = answers(solver, text, 2_000)
        assert len(said) == len(mutant.expected), text
        for answer, expected in zip(said, mutant.expected, strict=True):
            if {answer, expected} == {"sat", "unsat"}:
                wrong.append(text)
    return wrong


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", [SAT, STEPS, NUMBERS], ids=lambda seed: seed.name)
def test_subspaces_answer_as_they_must(seed: Seed, solver: str) -> None:
    found = made("canary", [seed], 12)
    assert len(found) == 12 and contradictions(found, solver) == []


def test_subspaces_have_all_forms_and_most_keep_a_model() -> None:
    found = [mutant for start in range(1, 7) for mutant in made("canary", [SAT], 10, start)]
    forms = Counter(mutant.steps[0].rpartition(" as ")[2] for mutant in found)
    assert set(forms) == {"assertions", "scopes", "assumptions"}
    expected = Counter(answer for mutant in found for answer in mutant.expected)
    assert set(expected) == {"sat", "unknown"} and expected["sat"] > 2 * expected["unknown"]
    operators = {term.op for mutant in found for term in subterms(mutant.script.assertions())}
    assert operators >= {"OP_DISTINCT", "OP_EQUAL", "OP_NOT", "OP_REAL_LT", "OP_INT_LTE"}
    assert len([op for op in operators if op.startswith("OP_BV_")]) > 5


def test_a_seed_that_is_unsatisfiable_stays_so_where_the_solver_agrees() -> None:
    assert {a for mutant in made("canary", [NUMBERS], 8) for a in mutant.expected} == {"unsat"}
    lying = Seed("lying.smt2", SAT.text, "unsat")
    assert made("canary", [lying], 1) == []


def test_a_seed_without_a_model_is_cut_in_drawn_values() -> None:
    unlabelled = Seed("u.smt2", NUMBERS.text.replace("(set-info :status unsat)", ""))
    found = made("canary", [unlabelled], 6)
    assert "sat" in {answer for mutant in found for answer in mutant.expected}
    assert contradictions(found, "z3") == []


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    "seeds",
    [(NUMBERS, VECTORS, RECURSIVE), (NUMBERS, NUMBERS, NUMBERS), (RECURSIVE, VECTORS, NUMBERS)],
    ids=("three", "one", "others"),
)
def test_cores_stay_unsatisfiable(seeds: Sequence[Seed], solver: str) -> None:
    found = made("octopus", seeds, 15)
    assert len(found) == 15 and {a for m in found for a in m.expected} == {"unsat"}
    assert contradictions(found, solver) == []


def test_cores_are_put_together_in_all_ways_and_leave_what_does_not_matter() -> None:
    found = [m for start in range(1, 7) for m in made("octopus", [NUMBERS, VECTORS], 10, start)]
    ways = {mutant.steps[0].partition(",")[0] for mutant in found}
    names = ("together", "either", "pairs", "cases", "scopes", "assumptions")
    assert ways == {f"octopus: {way}" for way in names}
    assert any("cores of 2 and 2" in mutant.steps[0] for mutant in found)
    texts = [print_script(mutant.script, "standard") for mutant in found]
    assert any("(f_2 " in text and "(< x 3)" in text for text in texts)


def test_seeds_that_are_not_unsatisfiable_give_nothing() -> None:
    assert made("octopus", [SAT, SAT, SAT], 1) == []


@pytest.mark.parametrize("name", ["canary", "octopus"])
def test_the_same_seed_makes_the_same(name: str) -> None:
    seeds = [NUMBERS, VECTORS, RECURSIVE] if name == "octopus" else [STEPS]
    texts = [
        [print_script(m.script, "standard") for m in made(name, seeds, 5, start)]
        for start in (7, 7, 8)
    ]
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize("name", ["canary", "octopus"])
def test_a_campaign(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> None:
    for seed in (SAT, NUMBERS, VECTORS):
        (tmp_path / seed.name).write_text(seed.text)
    out = ("--out", tmp_path / "out", "--jobs", "1", "--seed", "1", "--no-minimize")
    code, said, err = outcome(capsys, name, "z3", tmp_path, "--runs", "2", *out)
    assert code in (0, 1) and name in said, err
