"""Skeleton keeps the connectives and quantifiers of its seed, and puts new atoms into them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chains import chain
from commands import outcome
from scriptsolvers import SOLVERS, answers
from toy import catalogue

from murxpy.logic.terms import Term
from murxpy.logic.walks import subterms
from murxpy.machine.random import Stream
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.mutation.assignments import QUANTIFIERS, connects
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.sources.mutation.workshop import Mutant, MutationSession, Seed, Workshop

CATALOGUE = catalogue()
SHOP = MutationSession(CATALOGUE, frozenset(CATALOGUE.operators), "standard")
SEED = Seed(
    "seed.smt2",
    """(declare-const x Int)(declare-const p Bool)(declare-fun f (Int) Int)
(assert (or p (and (< x 3) (not (= (f x) 4)))))(push 1)
(assert (forall ((y Int)) (=> (< y x) (exists ((z Int)) (> (f y) z)))))(check-sat)(pop 1)(check-sat)""",
)


def made(count: int, start: int = 1, **choices: Any) -> list[Mutant]:
    make = FUZZERS["skeleton"].mutants
    assert make is not None
    return list(
        chain(make(Workshop(SHOP, Stream(start), [SEED], lambda text: None, choices)), count)
    )


def texts(count: int, start: int = 1, **choices: Any) -> list[str]:
    return [print_script(mutant.script, "standard") for mutant in made(count, start, **choices)]


def structure(term: Term) -> object:
    """The connectives and quantifiers of a formula, with a dot for each atom."""
    if term.op in QUANTIFIERS:
        return (term.op, len(term.args), structure(term.args[-1]))
    if connects(CATALOGUE, term):
        return (term.op, *map(structure, term.args))
    return "."


@pytest.mark.parametrize("start", range(1, 9))
def test_the_structure_stays_and_atoms_change(start: int) -> None:
    script = read_script(SEED.text, "seed", CATALOGUE)
    before = list(map(structure, script.assertions()))
    changed = 0
    for mutant in made(6, start):
        assert list(map(structure, mutant.script.assertions())) == before
        assert [type(c).__name__ for c in mutant.script.commands][-5:] == (
            ["Push", "Assert", "CheckSat", "Pop", "CheckSat"]
        )
        assert all(not term.free for term in mutant.script.assertions())
        assert 1 <= len(mutant.steps) <= 4
        text = print_script(mutant.script, "standard")
        assert read_script(text, "mutant", CATALOGUE).assertions()
        changed += "(= (f x) 4)" not in text or "(< x 3)" not in text
    assert changed


def test_new_atoms_use_the_symbols_of_the_seed() -> None:
    """Bound variables in their scopes, functions, and literals."""
    operators = {
        (term.op, leaf)
        for start in range(1, 20)
        for mutant in made(4, start, own_sorts=True)
        for root in mutant.script.assertions()
        for term in subterms([root])
        for leaf in (arg.op for arg in term.args)
    }
    assert ("OP_INT_LTE", "OP_VARIABLE") in operators or ("OP_INT_MUL", "OP_VARIABLE") in operators
    assert any(leaf == "OP_UF_APPLY" and op != "OP_EQUAL" for op, leaf in operators)
    assert any(leaf == "OP_VALUE" and op not in ("OP_EQUAL", "OP_INT_LT") for op, leaf in operators)


def test_some_runs_have_constants_of_other_theories() -> None:
    some = ["(declare-const new_" in text for start in range(1, 13) for text in texts(2, start)]
    assert any(some) and not all(some)
    own = [text for start in range(1, 13) for text in texts(2, start, own_sorts=True)]
    assert not any("(declare-const new_" in text for text in own)


def test_as_many_atoms_as_the_user_wants() -> None:
    assert {len(m.steps) for start in range(1, 6) for m in made(3, start, atoms=1)} == {1}


def test_the_same_seed_makes_the_same() -> None:
    assert texts(5, 7) == texts(5, 7) != texts(5, 8)


@pytest.mark.parametrize("solver", SOLVERS)
def test_solvers_read_the_mutants(solver: str) -> None:
    shop = MutationSession(CATALOGUE, frozenset(CATALOGUE.operators), solver)
    make = FUZZERS["skeleton"].mutants
    assert make is not None
    workshop = Workshop(shop, Stream(2), [SEED], lambda text: None, {"own_sorts": True})
    for mutant in chain(make(workshop), 6):
        assert len(answers(solver, print_script(mutant.script, solver), 500)) == 2


def test_a_campaign(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each mutant is asked as one of a fuzzer that knows no answers."""
    seed = tmp_path / "seed.smt2"
    seed.write_text(SEED.text)
    out = ("--out", tmp_path / "out", "--jobs", "1", "--seed", "1", "--no-minimize")
    code, said, err = outcome(capsys, "skeleton", "z3", seed, "--runs", "2", *out)
    assert code in (0, 1) and "skeleton" in said, err
