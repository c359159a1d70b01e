"""The pools of STORM: fragments, assignments, and the formulas that are built of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from chains import chain
from scriptsolvers import SOLVERS, answers, output
from toy import catalogue

from murxpy.machine.random import Stream
from murxpy.smtlib.printed_models import Model
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import CheckSat, CheckSatUsing
from murxpy.sources.mutation.assignments import Depths, best, fragments, opened
from murxpy.sources.mutation.fuzzers import storm
from murxpy.sources.mutation.fuzzers.storm import MOST_FRAGMENTS, Pools, known_fragments
from murxpy.sources.mutation.preparing import prepared
from murxpy.sources.mutation.workshop import Mutant, MutationSession, Seed, Workshop

CATALOGUE = catalogue()
OPEN = """(declare-sort U 0)(declare-fun f (U) Int)(declare-const x Int)(declare-const u U)
(declare-const w (_ BitVec 32))(declare-const s String)(declare-const a (Array Int Real))
(assert (forall ((v U)) (< (f v) x)))(assert (or (= w #x00000007) (= s "hello")))
(assert (exists ((y (_ BitVec 32))) (forall ((z (_ BitVec 32))) (bvule (bvmul y z) (bvadd w z)))))
(assert (> (select a (f u)) 0.5))(check-sat)"""


def shop(dialect: str = "standard", **own: Any) -> MutationSession:
    return MutationSession(CATALOGUE, frozenset(CATALOGUE.operators), dialect, **own)


def workshop(
    text: str,
    seed: int = 1,
    ask: Callable[[str], str | None] = lambda script: "unknown",
    choices: dict[str, Any] | None = None,
    dialect: str = "standard",
) -> Workshop:
    return Workshop(shop(dialect), Stream(seed), [Seed("a.smt2", text)], ask, choices or {})


def made(count: int, shop: Workshop) -> list[Mutant]:
    return list(chain(storm.mutants(shop), count))


def test_depth_is_counted_from_the_atoms() -> None:
    text = """(declare-const a Bool)(declare-const x Int)
(assert (and a (not (or a (< (ite (and a (not a)) x 1) 3)))))"""
    (formula,) = read_script(text, "a", CATALOGUE).assertions()
    depths = Depths(CATALOGUE)
    found = {repr(term)[:6]: depths.of(term) for term in fragments(CATALOGUE, [formula])}
    assert depths.of(formula) == 3 and found["OP_NOT"] in (1, 2) and found["OP_INT"] == 0


@pytest.mark.parametrize("solver", SOLVERS)
def test_seeds_without_a_model_give_mutants(solver: str) -> None:
    """The solver gives no model, so values are drawn; what is true in them has a model."""
    for seed in range(3):
        for mutant in made(2, workshop(OPEN, seed, choices={"max_assertions": 8})):
            text = print_script(mutant.script, "standard")
            assert set(answers(solver, text, 200)) <= {"sat", "unknown"}, text


def test_quantifiers_over_few_elements_are_decided_and_others_are_opened() -> None:
    asked = workshop(OPEN)
    script = prepared(asked.read(asked.seeds[0]))
    known = known_fragments(asked, script, [], 64)
    quantified = [term for term in known if term.op in ("OP_FORALL", "OP_EXISTS")]
    assert quantified[0].args[0].sort.kind == "SORT_UNINTERPRETED" and not any(
        term.op == "OP_EXISTS" for term in quantified
    )
    assert any("open_" in repr(term) for term in known)


def test_an_opened_body_has_constants_for_its_variables() -> None:
    script = read_script("(assert (forall ((x Int) (b Bool)) (or b (< x 3))))", "a", CATALOGUE)
    body, constants = opened(script.tables, script.assertions()[0], "open_")
    assert not body.free and [constant.sort.kind for constant in constants] == [
        "SORT_INT",
        "SORT_BOOL",
    ]


def test_a_closed_formula_is_true_as_the_solver_answers() -> None:
    """The formula has no constants, so its truth is the answer, if that of the negation fits."""
    text = "(declare-const x Int)(assert (forall ((y Int)) (exists ((z Int)) (< y z))))(assert (< x 3))(check-sat)"
    for lies in (False, True):

        def ask(script: str, lies: bool = lies) -> str | None:
            return "sat" if lies else output("z3", script.replace("(get-model)", ""))

        asked = workshop(text, 1, ask)
        script = prepared(asked.read(asked.seeds[0]))
        known = known_fragments(asked, script, [Model()], 64)
        assert [term.op for term, truth in known.items() if "FORALL" in term.op and truth] == (
            [] if lies else ["OP_FORALL"]
        )


def test_recursive_functions_get_no_drawn_values() -> None:
    """Their definitions may contradict each other, so no assignment is one for sure."""
    text = "(define-fun-rec f ((x Int)) Int (+ 1 (f x)))(declare-const c Int)(assert (< c (f 2)))(check-sat)"
    assert made(1, workshop(text)) == []


def test_what_the_solver_decides_is_not_judged() -> None:
    own = shop(solvers_own=frozenset(["OP_BV_ADD"]))
    text = "(declare-const w (_ BitVec 8))(assert (= (bvadd w w) w))(assert (= w #x01))(check-sat)"
    asked = Workshop(own, Stream(1), [Seed("a.smt2", text)], lambda script: None, {})
    script = prepared(asked.read(asked.seeds[0]))
    assert [len(term.args[0].args) for term in known_fragments(asked, script, [], 64)] == [0]


def test_small_values_are_drawn_first() -> None:
    text = "(declare-const x Int)(declare-const y Int)(assert (< x y))(check-sat)"
    asked = workshop(text)
    script = prepared(asked.read(asked.seeds[0]))
    (below,) = script.assertions()
    drawn = []
    for _ in range(200):
        found = best(asked, script, [below], [])
        assert found is not None
        drawn.append(found.value(below.args[0]))
    sizes = Counter(
        "one" if abs(n) <= 1 else "small" if abs(n) <= 16 else "large" for n in map(int, drawn)
    )
    assert sizes["one"] > sizes["large"] > 0 and sizes["small"] > 0


def test_formulas_are_built_by_and_and_not_in_equal_parts() -> None:
    asked = workshop(OPEN)
    script = prepared(asked.read(asked.seeds[0]))
    known = known_fragments(asked, script, [], 64)
    for more in (False, True):
        pools = Pools(Stream(1), asked.tables, known, 64, more)
        pools.construct(1000)
        kinds = Counter(term.op for term, _ in pools.constructed)
        assert len(pools.constructed) == 1000 and 420 < kinds["OP_NOT"] < 580
        assert kinds.keys() == {"OP_NOT", "OP_AND"} | (
            {"OP_OR", "OP_IMPLIES", "OP_XOR"} if more else set()
        )


def test_fragments_are_three_tenths_of_what_is_drawn() -> None:
    asked = workshop(OPEN)
    script = prepared(asked.read(asked.seeds[0]))
    pools = Pools(Stream(1), asked.tables, known_fragments(asked, script, [], 64), 64)
    pools.construct(1500)
    initial = {term for term, _ in pools.initial} - {term for term, _ in pools.constructed}
    drawn = sum(pools.draw()[0] in initial for _ in range(2000))
    assert 500 < drawn < 700


def test_many_fragments_are_sampled_from_everywhere() -> None:
    clauses = "".join(f"(assert (< x {number}))" for number in range(3 * MOST_FRAGMENTS))
    asked = workshop(f"(declare-const x Int){clauses}(check-sat)")
    script = prepared(asked.read(asked.seeds[0]))
    known = known_fragments(asked, script, [], 64)
    values = [int(str(term.args[1].indices[0])) for term in known]
    assert len(known) == MOST_FRAGMENTS and max(values) > 2.9 * MOST_FRAGMENTS > min(values)


def test_a_pool_makes_as_many_instances_as_it_has_fragments() -> None:
    for clauses, count in ((1, 300), (120, 360), (900, 1000)):
        text = "".join(f"(assert (< x {number}))" for number in range(clauses))
        asked = workshop(f"(declare-const x Int){text}(check-sat)", choices={"max_assertions": 1})
        assert len(made(2000, asked)) == count


def test_half_of_the_instances_check_with_tactics_if_the_solver_has_some() -> None:
    for dialect in ("standard", "z3"):
        mutants = [
            mutant
            for seed in range(4)
            for mutant in made(100, workshop(OPEN, seed, dialect=dialect))
        ]
        using = [
            {type(c) for c in mutant.script.commands if isinstance(c, (CheckSat, CheckSatUsing))}
            for mutant in mutants
        ]
        incremental = [len(mutant.expected) > 1 for mutant in mutants]
        assert all(len(kinds) == 1 for kinds in using) and any(incremental)
        share = sum(kinds == {CheckSatUsing} for kinds in using)
        assert share == 0 if dialect == "standard" else 150 < share < 250
        scoped = sum(
            kinds == {CheckSatUsing} for kinds, more in zip(using, incremental, strict=True) if more
        )
        assert bool(scoped) == (dialect == "z3")
