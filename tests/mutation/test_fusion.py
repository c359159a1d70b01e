"""Semantic Fusion: which constants are tied, the functions of the paper, and the forms of mutants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from chains import chain
from scriptsolvers import SOLVERS, answers
from toy import catalogue

from murxpy.logic.terms import Term
from murxpy.machine.random import Stream
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.printing.terms import Printer
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.mutation.functions.inversions import Maker, rules_of
from murxpy.sources.mutation.fuzzers.fusion import groups
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.sources.mutation.tying import nonzero
from murxpy.sources.mutation.workshop import Mutant, MutationSession, Seed, Workshop

CATALOGUE = catalogue()
SHOP = MutationSession(CATALOGUE, frozenset(CATALOGUE.operators), "standard")

# Figure 3.5 of Winterer's thesis: number, sort, z, and what x and y are replaced by. `c`, `c1` to
# `c3` are random literals.
PAPER = """
1  Int    (+ x y)                               (- z y)                        (- z x)
2  Int    (+ (+ x c) y)                         (- (- z c) y)                  (- (- z c) x)
3  Int    (* x y)                               (div z y)                      (div z x)
4  Int    (+ (+ (* c1 x) (* c2 y)) c3)          (div (- (- z (* c2 y)) c3) c1) (div (- (- z (* c1 x)) c3) c2)
5  Real   (+ x y)                               (- z y)                        (- z x)
6  Real   (+ (+ x c) y)                         (- (- z c) y)                  (- (- z c) x)
7  Real   (* x y)                               (/ z y)                        (/ z x)
8  Real   (+ (+ (* c1 x) (* c2 y)) c3)          (/ (- (- z (* c2 y)) c3) c1)   (/ (- (- z (* c1 x)) c3) c2)
9  String (str.++ x y)                          (str.substr z 0 (str.len x))   (str.substr z (str.len x) (str.len y))
10 String (str.++ x y)                          (str.substr z 0 (str.len x))   (str.replace z x "")
11 String (str.++ x c y)                        (str.substr z 0 (str.len x))   (str.replace (str.replace z x "") c "")
"""
OURS = {
    1: "int-add",
    2: "int-add-constant",
    3: "int-mul",
    4: "int-linear",
    5: "real-add",
    6: "real-add-constant",
    7: "real-mul",
    8: "real-linear",
    9: "string-parts",
    10: "string-prefix",
    11: "string-constant",
}
ROWS = [line.split(maxsplit=2) for line in PAPER.strip().splitlines()]


def columns(text: str) -> list[str]:
    """The columns of a row, which are separated by two blanks or by the end of a parenthesis."""
    found, depth = [""], 0
    for letter in " ".join(text.split()):
        depth += (letter == "(") - (letter == ")")
        if letter == " " and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return found


class _Fixed(Maker):
    """A maker whose random literals have names, so that they can be seen in printed terms."""

    def __init__(self, tables: Tables, names: Sequence[str]) -> None:
        super().__init__(tables, Stream(1))
        self._names = iter(names)

    def number(self, sort: Any) -> Term:
        term = self.tables.constant(next(self._names), sort)
        self.nonzero = lambda divisor: True
        return term

    def text(self) -> Term:
        return self.tables.constant(next(self._names), self.tables.string)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_functions_of_the_paper(row: list[str]) -> None:
    """Each row of the figure is a function here. Where a divisor is known not to be 0, the inverse
    is as printed; else it is an `ite` around that form.
    """
    number, kind, rest = row
    tables = Tables(CATALOGUE)
    sort = tables.sort(f"SORT_{kind.upper()}")
    x, y = (tables.constant(name, sort) for name in "xy")
    maker = _Fixed(tables, ["c1", "c2", "c3"] if int(number) in (4, 8) else ["c"])
    maker.nonzero = lambda term: True
    fusion = rules_of(sort)[OURS[int(number)]](maker, x, y)
    z = tables.constant("z", fusion.value.sort)
    printer = Printer(CATALOGUE, "standard")
    made = [printer.term(term) for term in (fusion.value, fusion.first(z), fusion.second(z))]
    assert made == columns(rest)


def made(
    seeds: Sequence[str], count: int, oracle: str = "sat", rng: int = 1, **choices: Any
) -> list[Mutant]:
    """Mutants of two seeds with the labels that the oracle needs."""
    kinds = {"sat": ("sat", "sat"), "unsat": ("unsat", "unsat"), "mixed": ("sat", "unsat")}[oracle]
    both = [Seed(f"{at}.smt2", text, kinds[at]) for at, text in enumerate(seeds)]
    workshop = Workshop(SHOP, Stream(rng), both, lambda text: None, {"oracle": oracle, **choices})
    return list(chain(FUZZERS["fusion"].mutants(workshop), count))


def text_of(mutant: Mutant) -> str:
    return print_script(mutant.script, "standard")


POSITIVE = "(declare-const x Real)(declare-const w Real)(assert (> x 1.0))(assert (< (* x w) 3.0))(check-sat)"
EMPTY = "(declare-const y Real)(declare-const v Real)(assert (< (/ v y) 0.0))(assert (and (< 0.0 y) (> v y)))(check-sat)"
FREE = "(declare-const a Real)(assert (< a 4.0))(check-sat)"


def test_constants_of_both_seeds_are_tied() -> None:
    for mutant in made((POSITIVE, POSITIVE), 30):
        assert mutant.traits == ("tied-across",)
        assert all(step.count("(0 replaced)") < 2 for step in mutant.steps[:1])
    assert any("tied-within" in m.traits for m in made((POSITIVE, POSITIVE), 60, within=True))


def test_a_mutant_replaces_something_on_each_side() -> None:
    """Each constant occurs once, so that half of all draws would replace nothing."""
    one = "(declare-const x Int)(assert (> x 3))(check-sat)"
    for mutant in made((one, one), 20):
        assert mutant.steps[0].count("(1 replaced)") == 2


@pytest.mark.parametrize(
    ("sort", "other", "name"),
    [
        ("Int", "Real", "int-real"),
        ("Real", "Int", "int-real"),
        ("(_ BitVec 4)", "(_ BitVec 9)", "bv-"),
        ("(_ BitVec 9)", "(_ BitVec 4)", "bv-"),
    ],
)
@pytest.mark.parametrize("oracle", ["sat", "unsat"])
def test_sorts_that_can_be_converted(sort: str, other: str, name: str, oracle: str) -> None:
    unsat = "(assert (distinct x x))" if oracle == "unsat" else ""
    seeds = [f"(declare-const x {s})(assert (= x x)){unsat}(check-sat)" for s in (sort, other)]
    mutants = made(seeds, 8, oracle)
    assert len(mutants) == 8
    for mutant in mutants:
        assert name in mutant.steps[0] and mutant.traits == ("tied-across",)
        for solver in SOLVERS:
            assert answers(solver, text_of(mutant), 20_000)[0] in ("unknown", oracle)


def test_what_divides_without_a_case_for_zero() -> None:
    """Only `x` is known not to be 0 in the seeds that are sat; in an unsat mutant a guard says so."""
    mutants = made((POSITIVE, FREE), 60, functions_only=["real-mul"])
    texts = [text_of(mutant) for mutant in mutants]
    plain = [text for text in texts if "(/ fusion!z0_1 x)" in text and "(= x 0.0)" not in text]
    assert plain and len(plain) < len(texts)
    assert all("(ite (= a_2 0.0)" in text for text in texts if "fusion!z0_1 a_2)" in text)
    mutants = made((EMPTY, EMPTY), 60, "unsat", functions_only=["real-mul"], max_pairs=1)
    guarded = [text for text in map(text_of, mutants) if "(distinct " in text]
    assert guarded and len(guarded) < 60
    assert all("ite" not in text for text in guarded)


@pytest.mark.parametrize("oracle", ["unsat", "mixed"])
def test_all_constraints(oracle: str) -> None:
    """Figure 3.4: the value of the new constant and both inversions, without a case for 0."""
    seeds = (EMPTY, EMPTY) if oracle == "unsat" else (POSITIVE, EMPTY)
    choices = {"functions_only": ["real-mul"], "max_pairs": 1, "all_constraints": True}
    mutants = made(seeds, 12, oracle, **choices)
    tied = [mutant for mutant in mutants if mutant.expected == ("unsat",)]
    assert tied
    for mutant in tied:
        text = text_of(mutant)
        assert text.count("(assert (= ") == 3 and "ite" not in text
        assert answers("z3", text, 20_000)[0] in ("unknown", "unsat")


def test_the_scripts_alone() -> None:
    """ConcatFuzz: a conjunction or a disjunction, and one mutant of each pair."""
    (mutant,) = made((POSITIVE, FREE), 5, concat_only=True)
    assert "fusion!" not in text_of(mutant) and mutant.traits == ()
    (mutant,) = made((EMPTY, EMPTY), 5, "unsat", concat_only=True)
    assert "(or (and " in text_of(mutant)


def test_maps_of_any_size() -> None:
    many = "".join(f"(declare-const x{at} Int)(assert (> x{at} (- x{at} 1)))" for at in range(20))
    seed = f"{many}(check-sat)"
    sizes = [len(mutant.steps) for mutant in made((seed, seed), 60)]
    assert max(sizes) > 15 and min(sizes) < 5
    assert max(len(mutant.steps) for mutant in made((seed, seed), 60, max_pairs=2)) == 2
    often = f"(declare-const x Int)(assert (> (+ {'x ' * 40}) 1))(check-sat)"
    mutants = made((often, often), 30, max_replaced=0)
    replaced = [int(n) for m in mutants for n in re.findall(r"\((\d+) replaced", m.steps[0])]
    assert max(replaced) > 30 and min(replaced) < 10
    usual = [
        int(n) for m in made((often, often), 60) for n in re.findall(r"\((\d+) rep", m.steps[0])
    ]
    assert max(usual) > 12 and sum(count > 12 for count in usual) < 25


SORTS = """(declare-sort U 0)(declare-const u U)(declare-const a (Array U Int))(declare-fun f (U) U)
(assert (distinct (f u) u))(assert (= (select a u) 3)){more}(check-sat)"""


def test_sorts_of_both_seeds() -> None:
    """Two satisfiable seeds have an uninterpreted sort in common only if nothing bounds its size."""
    bounded = SORTS.format(more="(assert (forall ((v U)) (or (= v u) (= v (f u)))))")
    loose = SORTS.format(more="")
    for mutant in made((loose, loose), 12):
        text = text_of(mutant)
        assert text.count("(declare-sort U 0)") == 1 and "U_2" not in text
        assert all(answers(solver, text, 20_000)[0] != "unsat" for solver in SOLVERS)
    assert made((loose, bounded), 3) == []
    assert made((bounded, bounded), 3, "unsat") != []
    for text, oracle, shared in (
        (loose, "sat", True),
        (bounded, "sat", False),
        (bounded, "unsat", True),
    ):
        found = groups(0, Seed("a", text, oracle), {"oracle": oracle})
        assert ("U" in found and "( Array U Int )" in found) == shared


@pytest.mark.parametrize(
    ("formula", "known"),
    [
        ("(> x 0)", True),
        ("(>= x 0)", False),
        ("(< 0 x)", True),
        ("(<= x (- 1))", True),
        ("(< x 1)", False),
        ("(and p (= x 5))", True),
        ("(= 0 x)", False),
        ("(not (= x 0))", True),
        ("(distinct x 0)", True),
        ("(not (distinct x 7))", True),
        ("(not (<= x 0))", True),
        ("(not (> x 0))", False),
        ("(or p (> x 0))", False),
        ("(> (+ x 1) 0)", False),
    ],
)
def test_constants_that_are_not_zero(formula: str, known: bool) -> None:
    text = f"(declare-const x Int)(declare-const p Bool)(assert {formula})(check-sat)"
    script = read_script(text, "a", CATALOGUE)
    assert [term.indices[0] for term in nonzero(script.assertions())] == ["x"] * known


ONES = "(declare-const x Real)(declare-const w Real)(assert (= x 1.0))(assert (= w 2.0))(assert (> w x))(check-sat)"
ZEROS = "(declare-const y Real)(declare-const v Real)(assert (= y 0.0))(assert (= v 0.0))(assert (= v y))(check-sat)"
TWO_DIVISIONS = """(declare-const x Real)(declare-const w Real)(declare-const y Real)(declare-const v Real)
(declare-const z Real)(declare-const u Real)
(assert (= x 1.0))(assert (= (/ z y) 1.0))(assert (= w 2.0))(assert (= (/ u v) 2.0))
(assert (= y 0.0))(assert (= (/ z x) 0.0))(assert (= v 0.0))(assert (= (/ u w) 0.0))(check-sat)"""


def test_two_divisions_by_zero() -> None:
    """With the inverses of functions 3 and 7 as the paper prints them, two pairs of two satisfiable
    scripts can make an unsatisfiable one: 0/0 is 1 and 2. The case for 0 prevents that.
    """
    assert [answers(solver, TWO_DIVISIONS, 20_000) for solver in SOLVERS] == [["unsat"]] * 2
    for mutant in made((ONES, ZEROS), 40, functions_only=["real-mul"]):
        assert answers("z3", text_of(mutant), 20_000)[0] != "unsat"
