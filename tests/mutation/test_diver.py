"""DIVER keeps a model of the seed: its mutants are satisfiable by construction."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from chains import chain
from commands import outcome
from scriptsolvers import SOLVERS, answers, output
from toy import catalogue

from murxpy.fuzzers.setups import proved_rules
from murxpy.machine.random import Stream
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.exact import regex
from murxpy.semantics.ranges.abstract import TRUE, Few, Having, Interval, Words
from murxpy.semantics.values import Interpretation
from murxpy.smtlib.printed_models import Model, read_model
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.mutation.diving.conditions import Conditions
from murxpy.sources.mutation.diving.places import Places
from murxpy.sources.mutation.diving.seed_models import modelled
from murxpy.sources.mutation.fuzzers.diver import Wrapping
from murxpy.sources.mutation.implications.book import Book
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.sources.mutation.workshop import Mutant, MutationSession, Seed, Workshop

pytestmark = pytest.mark.usefixtures("kept_solvers")

CATALOGUE = catalogue()
SHOP = MutationSession(CATALOGUE, frozenset(CATALOGUE.operators), "standard")
EVALUATOR = Evaluator(CATALOGUE, Interpretation())
NUMBERS = Seed(
    "numbers.smt2",
    """(declare-const x Int)(declare-const y Real)(declare-const p Bool)(declare-const b (_ BitVec 8))
(declare-fun f (Int) Int)
(assert (or p (< (* 2 x) (+ x 7)) (= (f x) 3)))(assert (>= (+ y 1.5) (to_real x)))
(assert (=> p (bvult (bvand b #x0f) #x08)))(assert (ite p (> (div x 3) 1) (distinct x 5)))
(assert (forall ((z Int)) (or (< z x) (<= x z))))(check-sat)""",
)
STEPS = Seed(
    "steps.smt2",
    """(declare-const x Int)(assert (> x 0))(check-sat)(push 1)(assert (< x 5))(check-sat)(pop 1)
(assert (> x 7))(check-sat)""",
)
UNSAT = Seed(
    "unsat.smt2",
    """(set-info :status unsat)(declare-const x Int)(declare-const y Int)
(assert (> y (* 2 x)))(assert (< x 3))(assert (> x 5))(check-sat)""",
    "unsat",
)
PAPER = "(declare-const x Real)(declare-const y Real)(assert (and (<= 0.0 y) (= x (+ 2.0 y))))(check-sat)"


def made(
    seed: Seed, count: int, choices: dict[str, Any] | None = None, start: int = 1
) -> list[Mutant]:
    def ask(text: str) -> str | None:
        return output("z3", text)

    workshop = Workshop(SHOP, Stream(start), [seed], ask, choices or {})
    make = FUZZERS["diver"].mutants
    assert make is not None
    return list(chain(make(workshop), count))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", [NUMBERS, STEPS], ids=lambda seed: seed.name)
def test_mutants_answer_as_they_must(seed: Seed, solver: str) -> None:
    found = made(seed, 12)
    assert len(found) == 12
    for mutant in found:
        text = print_script(mutant.script, "standard")
        said = answers(solver, text, 10_000)
        assert len(said) == len(mutant.expected)
        for answer, expected in zip(said, mutant.expected, strict=True):
            assert answer != "unsat" or expected != "sat", text


@pytest.mark.parametrize("answer", ["unknown", "sat"])
def test_a_mutant_is_made_of_the_last_one_that_was_decided(answer: str) -> None:
    """With `no_complicate`, no new constants and assertions come."""
    choices = {"no_complicate": True}
    workshop = Workshop(SHOP, Stream(1), [NUMBERS], lambda text: output("z3", text), choices)
    make = FUZZERS["diver"].mutants
    assert make is not None
    before = set(read_script(NUMBERS.text, "seed", CATALOGUE).assertions())
    changed = [
        len({repr(term) for term in mutant.script.assertions()} - set(map(repr, before)))
        for mutant in chain(make(workshop), 12, (answer,))
    ]
    assert len(changed) == 12 and (max(changed) > 1) == (answer == "sat"), changed


def test_scopes_and_checks_stay() -> None:
    mutant = made(STEPS, 3)[-1]
    kinds = [type(command).__name__ for command in mutant.script.commands]
    assert [kind for kind in kinds if kind in ("CheckSat", "Push", "Pop")] == [
        "CheckSat",
        "Push",
        "CheckSat",
        "Pop",
        "CheckSat",
    ]
    assert "sat" in mutant.expected


def test_the_example_of_the_paper() -> None:
    """Section II: the ranges of all places, and the weights 0.2854 and 0.0003."""
    script = read_script(PAPER, "paper", CATALOGUE)
    model = read_model("((define-fun x () Real 3.0)(define-fun y () Real 1.0))", "model", script)
    assert isinstance(model, Model)
    workshop = Workshop(SHOP, Stream(1), [NUMBERS], lambda text: None, {})
    places = Places(SHOP, modelled(workshop, script, model, script.assertions()))
    (root,) = script.assertions()
    found = [(node.term.op, node.wanted, node.own) for node in places.nodes(root)]
    total = sum(weight for _, _, weight in found)
    shares = [round(weight / total, 4) for _, _, weight in found]
    assert total == pytest.approx(3.504)
    assert shares == [0.1427, 0.1427, 0.2854, 0.2854, 0.1427, 0.0003, 0.0003, 0.0003, 0.0003]
    one, two, three = (Fraction(number) for number in (1, 2, 3))
    assert [range_ for _, range_, _ in found] == [
        TRUE,
        TRUE,
        Interval(None, one),
        Interval(Fraction(0), None),
        TRUE,
        Few((three,)),
        Few((three,)),
        Interval(two, two),
        Interval(one, one),
    ]


def test_no_new_constants_without_complicate() -> None:
    assert any("dive_" in print_script(m.script, "standard") for m in made(NUMBERS, 10))
    plain = made(NUMBERS, 10, {"no_complicate": True})
    assert not any("dive_" in print_script(m.script, "standard") for m in plain)


def test_one_step_makes_up_to_three_new_constants() -> None:
    """Each stands in the formula, and an assertion says so much of it that the model stays one."""
    steps = [step for mutant in made(NUMBERS, 60) for step in mutant.steps if ", with " in step]
    names = [step.partition(", with ")[2].split(" and ") for step in steps]
    assert {len(some) for some in names} == {1, 2, 3}
    assert len({name for some in names for name in some}) == sum(map(len, names))


def test_new_terms_have_values_of_the_model_and_are_up_to_five_deep() -> None:
    seed = Seed(
        "large.smt2",
        "(set-info :status sat)(declare-const x Int)(declare-const y Int)"
        "(assert (= x (* 41 43)))(assert (> y x))(check-sat)",
        "sat",
    )
    found = made(seed, 60, {"no_wrapping": True, "no_complicate": True})
    assert any("1763" in print_script(mutant.script, "standard") for mutant in found)
    deep = [step.partition(" to ")[2].count(" of ") for m in found for step in m.steps]
    assert max(deep) >= 4


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_is_not_in_the_core_may_become_anything(solver: str) -> None:
    found = made(UNSAT, 10)
    assert len(found) == 10
    for mutant in found:
        assert mutant.expected == ("unsat",)
        text = print_script(mutant.script, "standard")
        assert "(assert (< x 3))" in text and "(assert (> x 5))" in text
        assert answers(solver, text) in (["unsat"], ["unknown"]), text


def test_the_core_becomes_stronger_by_rules_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What becomes stronger stays in the core, so that it is not replaced later."""
    shop = MutationSession(CATALOGUE, frozenset(CATALOGUE.operators), "standard")
    shop.book = Book(proved_rules(["numbers", "core"]), CATALOGUE, shop.operators)
    monkeypatch.setitem(globals(), "SHOP", shop)
    steps = []
    for start in range(3):
        for mutant in made(UNSAT, 14, start=start):
            assert mutant.expected == ("unsat",)
            steps += [step for step in mutant.steps if step.startswith("diver: the core by ")]
            text = print_script(mutant.script, "standard")
            assert answers("z3", text) in (["unsat"], ["unknown"]), text
    assert len(steps) >= 8
    assert not any("the core" in m.steps[0] for m in made(UNSAT, 14, {"no_oracle": True}))


def test_without_a_model_values_are_drawn_and_false_assertions_negated() -> None:
    """The solver calls the seed unsatisfiable, and no label says so."""
    text = UNSAT.text.replace("(set-info :status unsat)", "")
    found = made(Seed("u.smt2", text), 10, {"no_complicate": True})
    assert len(found) == 10
    assert {mutant.expected for mutant in found} == {("sat",)}
    assert "sat" in answers("z3", print_script(found[0].script, "standard"))


def test_without_its_oracle_nothing_is_known() -> None:
    assert {mutant.expected for mutant in made(NUMBERS, 5, {"no_oracle": True})} == {()}


def test_a_term_that_does_not_fit_is_wrapped() -> None:
    tables = read_script(PAPER, "paper", CATALOGUE).tables
    conditions = Conditions(tables)
    wrapping = Wrapping(tables, Stream(3), conditions)
    text, word = (
        tables.constant("s", tables.string),
        tables.constant("b", tables.sort("SORT_BV", 8)),
    )
    wanted = wrapping.wrapped(text, "b", "abc")
    assert wanted is not None
    assert wanted.op == "OP_STR_CONCAT" and len(wanted.args) == 3
    for term, value, goal in ((text, "xy", "abc"), (word, 3, 200)):
        made_of = wrapping.wrapped(term, value, goal)
        assert made_of is not None
        evaluator = Evaluator(CATALOGUE, Interpretation(constants={term: value}))
        assert evaluator.known(made_of) == goal


@pytest.mark.parametrize("truth", [True, False])
def test_a_language_is_wrapped_so_that_it_has_a_word(truth: bool) -> None:
    tables = read_script(PAPER, "paper", CATALOGUE).tables
    language = tables.apply("OP_STR_TO_RE", tables.value(tables.string, "b" if truth else "a"))
    wanted = Having("a", truth)
    made_of = Wrapping(tables, Stream(3), Conditions(tables)).language(language, wanted)
    assert made_of is not None and not wanted.holds(EVALUATOR.known(language))
    assert wanted.holds(EVALUATOR.known(made_of))


def test_a_language_that_cannot_be_said_is_not_put_where_a_word_must_be_in_it() -> None:
    seed = Seed(
        "languages.smt2",
        """(declare-const x String)(declare-const n Int)
(assert (str.in_re x (re.union (str.to_re (str.from_int (div n 0))) (re.* (str.to_re "a")))))
(assert (str.in_re x (re.union ((_ re.loop 1 3) (str.to_re (str.from_code (mod n 0)))) (re.* (str.to_re "a")))))
(check-sat)""",
    )
    assert [len(made(seed, 30, start=start)) for start in (2, 4)] == [30, 30]


@pytest.mark.parametrize("low", [0, 5, 1 << 40])
@pytest.mark.parametrize("high", [9, (1 << 31) - 1, 1 << 31, 1 << 130, None])
def test_a_loop_has_indices_that_solvers_read(low: int, high: int | None) -> None:
    """cvc5 refuses an index of 2^64 as ill-formed: a length below it became such a loop."""
    tables = read_script(PAPER, "paper", CATALOGUE).tables
    text = tables.constant("s", tables.string)
    said = Conditions(tables).of(text, Words(regex.loop(regex.ALLCHAR, low, high)))
    empty = high is not None and low > high
    fits = max(low, high or 0) < 1 << 31
    assert (said is not None) == (fits or empty)


def test_draws_are_counted_by_whether_they_are_wrapped() -> None:
    counts = Counter(trait for mutant in made(NUMBERS, 30) for trait in mutant.traits)
    assert counts["plain"] + counts["wrapping"] == 30
    assert 0 < counts["plain"] <= counts["plain-draws"]
    assert counts["wrapping-draws"] - counts["wrapping"] <= 2  # nearly all are made to fit
    plain = made(NUMBERS, 5, {"no_wrapping": True})
    assert all("wrapping" not in mutant.traits for mutant in plain)


def texts(count: int, start: int) -> list[str]:
    return [print_script(mutant.script, "standard") for mutant in made(NUMBERS, count, start=start)]


def test_the_same_run_makes_the_same() -> None:
    assert texts(8, 5) == texts(8, 5)


def test_places_are_the_same_whether_taken_over_or_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    once = texts(40, 7)
    monkeypatch.setattr(Places, "follow", lambda *_: None)
    assert texts(40, 7) == once


def test_a_seed_that_cannot_be_asked_about_ends_the_run_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """cvc5 has constant arrays of values alone, and the model of a seed is asked for in its words."""
    seed = tmp_path / "a.smt2"
    seed.write_text(
        "(set-logic ALL)(declare-const a (Array Int Int))(declare-const v Int)\n"
        "(assert (= a ((as const (Array Int Int)) v)))(check-sat)"
    )
    code, out, _ = outcome(capsys, "diver", "cvc5", seed, "--run-seed", "7")
    assert code == 0 and "cannot be said: a constant array of v" in out
