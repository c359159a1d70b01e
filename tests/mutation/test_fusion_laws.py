"""Every fusion function has its inversion laws: two solvers find no counterexample, and the
evaluator none among random points.
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from scriptsolvers import SOLVERS, answers
from toy import catalogue

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.machine.random import Stream
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.exact.floats import format_of
from murxpy.semantics.values import ArrayValue, Element, Interpretation
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.scripts import print_script
from murxpy.sources.mutation.functions.composed import LITERALS, composed
from murxpy.sources.mutation.functions.inversions import (
    RULES,
    Fusion,
    Maker,
    rules_between,
    rules_of,
)
from murxpy.sources.mutation.functions.user import constants_of, laws, refutations

CATALOGUE = catalogue()
POINTS = 40
LIMIT = 20_000  # of cvc5's steps
SORTS: dict[str, tuple[tuple[Any, ...], ...]] = {
    "SORT_BOOL": ((),),
    "SORT_INT": ((),),
    "SORT_REAL": ((),),
    "SORT_STRING": ((),),
    "SORT_BV": ((1,), (5,), (8,)),
    "SORT_FP": ((2, 3), (5, 11)),
    "SORT_SEQ": ((("SORT_INT",),),),
    "SORT_ARRAY": ((("SORT_INT",), ("SORT_BV", 3)),),
    "SORT_UNINTERPRETED": (("U",),),
}
# Only within bounds, or not at all, do solvers decide these.
HARD = {
    "int-mul",
    "real-mul",
    "string-parts",
    "string-prefix",
    "string-constant",
    "string-lengths",
    "seq-lengths",
    "bv-linear",
    "int-real-mul",
}
CASES = [(kind, params) for kind, all_params in SORTS.items() for params in all_params]


def made(tables: Tables, kind: str, params: tuple[Any, ...]) -> Sort:
    return tables.sort(
        kind, *[made(tables, p[0], p[1:]) if isinstance(p, tuple) else p for p in params]
    )


def drawn(sort: Sort, rng: random.Random) -> Any:
    """A random value of a sort, small ones often."""
    if sort.kind == "SORT_FP":
        bits = rng.getrandbits(sort.number(0) + sort.number(1))
        return format_of(sort.number(0), sort.number(1)).canonical(bits)
    return {
        "SORT_BOOL": lambda: rng.random() < 0.5,
        "SORT_INT": lambda: rng.choice(
            (0, 1, -1, rng.randint(-9, 9), rng.randint(-(10**6), 10**6))
        ),
        "SORT_REAL": lambda: Fraction(rng.randint(-9, 9), rng.choice((1, 2, 7))),
        "SORT_STRING": lambda: "".join(rng.choice("ab") for _ in range(rng.randint(0, 4))),
        "SORT_SEQ": lambda: tuple(rng.randint(0, 2) for _ in range(rng.randint(0, 4))),
        "SORT_BV": lambda: rng.getrandbits(sort.width),
        "SORT_ARRAY": lambda: ArrayValue(
            rng.getrandbits(3), [(rng.randint(-3, 3), rng.getrandbits(3)) for _ in range(3)]
        ),
        "SORT_UNINTERPRETED": lambda: Element(rng.choice("ab")),
    }[sort.kind]()


def holds_at(tables: Tables, fusion: Fusion, x: Term, y: Term, rng: random.Random) -> bool:
    """Whether both laws hold at one random point."""
    both = laws(tables, fusion, x, y)
    values = {
        constant: drawn(constant.sort, rng) for constant in constants_of((*both, *fusion.also))
    }
    for formula in fusion.also:  # all there are say which bits a number has
        bits, number = formula.args[0].args[0], formula.args[1]
        values[bits] = values[number]
    evaluator = Evaluator(CATALOGUE, Interpretation(values))
    assert all(evaluator.value(formula) is True for formula in fusion.also), (
        "what is added holds for some value"
    )
    return all(evaluator.value(law) is True for law in both)


@pytest.mark.parametrize(("kind", "params"), CASES)
def test_laws(kind: str, params: tuple[Any, ...]) -> None:
    rng = random.Random(7)
    tables = Tables(CATALOGUE)
    sort = made(tables, kind, params)
    x, y = tables.constant("x", sort), tables.constant("y", sort)
    for name, rule in rules_of(sort).items():
        fusion = rule(Maker(tables, Stream(3)), x, y)
        assert all(holds_at(tables, fusion, x, y, rng) for _ in range(POINTS)), name
        for script in refutations(tables, fusion, x, y, bounds(tables, x, y)):
            found = [answers(solver, print_script(script, solver), LIMIT)[0] for solver in SOLVERS]
            assert "sat" not in found and ("unsat" in found or name in HARD), (name, found)


@pytest.mark.parametrize(("kind", "params"), [case for case in CASES if case[0] in LITERALS])
def test_laws_of_functions_that_are_made(kind: str, params: tuple[Any, ...]) -> None:
    rng = random.Random(5)
    tables = Tables(CATALOGUE)
    sort = made(tables, kind, params)
    x, y = tables.constant("x", sort), tables.constant("y", sort)
    for seed in range(10):
        fusion = composed(4)(Maker(tables, Stream(seed)), x, y)
        assert all(holds_at(tables, fusion, x, y, rng) for _ in range(5)), (seed, fusion.value)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("SORT_INT",), ("SORT_REAL",)),
        (("SORT_REAL",), ("SORT_INT",)),
        (("SORT_BV", 3), ("SORT_BV", 8)),
        (("SORT_BV", 8), ("SORT_BV", 3)),
    ],
    ids=str,
)
def test_laws_between_two_sorts(first: tuple[Any, ...], second: tuple[Any, ...]) -> None:
    rng = random.Random(7)
    tables = Tables(CATALOGUE)
    x = tables.constant("x", made(tables, first[0], first[1:]))
    y = tables.constant("y", made(tables, second[0], second[1:]))
    rules = rules_between(x.sort, y.sort)
    assert rules
    for name, rule in rules.items():
        fusion = rule(Maker(tables, Stream(3)), x, y)
        assert all(holds_at(tables, fusion, x, y, rng) for _ in range(POINTS)), name
        for script in refutations(tables, fusion, x, y):
            found = [answers(solver, print_script(script, solver), LIMIT)[0] for solver in SOLVERS]
            assert "sat" not in found and ("unsat" in found or name in HARD), (name, found)


def bounds(tables: Tables, x: Term, y: Term) -> tuple[Term, ...]:
    """Short words."""
    length = {"SORT_STRING": "OP_STR_LEN", "SORT_SEQ": "OP_SEQ_LENGTH"}.get(x.sort.kind)
    if length is None:
        return ()
    two = tables.value(tables.int, 2)
    return tuple(tables.apply("OP_INT_LTE", tables.apply(length, word), two) for word in (x, y))


def test_every_rule_is_checked() -> None:
    assert RULES.keys() <= SORTS.keys()


def test_a_wrong_law_is_seen() -> None:
    tables = Tables(CATALOGUE)
    x, y = tables.constant("x", tables.int), tables.constant("y", tables.int)
    add, sub = "OP_INT_ADD", "OP_INT_SUB"
    fusion = Fusion(
        tables.apply(add, x, y),
        lambda z: tables.apply(add, z, y),
        lambda z: tables.apply(sub, z, x),
    )
    wrong, right = refutations(tables, fusion, x, y)
    assert [answers("z3", print_script(script, "standard")) for script in (wrong, right)] == [
        ["sat"],
        ["unsat"],
    ]
    assert not all(holds_at(tables, fusion, x, y, random.Random(1)) for _ in range(POINTS))
