"""Claims of `docs/published.md` about the mutation fuzzers that no other test shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from campaigns import FAKES
from chains import chain
from commands import outcome
from scriptsolvers import output
from toy import catalogue

from murxpy.cli import murxpy
from murxpy.data.lookup import load_grammar
from murxpy.data.wrappers import load_wrapper
from murxpy.fuzzers.setups import named_rules
from murxpy.logic.walks import occurrences
from murxpy.machine.random import Stream
from murxpy.sources.enumeration.grammar import Grammar
from murxpy.sources.mutation.fuzzers.diver import GROWTH
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.sources.mutation.workshop import Mutant, MutationSession, Seed, Workshop

pytestmark = pytest.mark.usefixtures("kept_solvers")

CATALOGUE = catalogue()
SHOP = MutationSession(CATALOGUE, frozenset(CATALOGUE.operators), "standard")
SAT = Seed(
    "sat.smt2",
    """(set-info :status sat)(declare-const x Int)(declare-const y Int)(declare-const p Bool)
(assert (and (<= (+ x y) 3) (> (* 2 x) y)))(assert (or p (distinct x 1)))(check-sat)""",
    "sat",
)
UNSAT = Seed(
    "unsat.smt2",
    """(set-info :status unsat)(declare-const x Int)(assert (or (> x 4) (< x 2)))(assert (= x 3))
(check-sat)""",
    "unsat",
)


def made(name: str, seed: Seed, count: int, asked: list[str], **choices: Any) -> list[Mutant]:
    """Mutants of a seed; `asked` gets the questions about it."""

    def ask(text: str) -> str | None:
        asked.append(text)
        return output("z3", text)

    make = FUZZERS[name].mutants
    assert make is not None
    return list(chain(make(Workshop(SHOP, Stream(1), [seed], ask, choices)), count))


def size(mutant: Mutant) -> int:
    """The occurrences of terms in the assertions."""
    return sum(1 for _ in occurrences(mutant.script.assertions()))


def test_storm_asks_for_a_model_of_the_negation_of_an_unsatisfiable_seed() -> None:
    asked: list[str] = []
    assert made("storm", UNSAT, 1, asked)
    models = [text for text in asked if "(get-model)" in text]
    assert len(models) == 2 and "(assert (not (and " in models[1]


@pytest.mark.parametrize(
    ("command", "defaults"),
    [
        ("storm", {"max-depth": 64, "max-assertions": 64, "iterations": 25, "wall": "2s"}),
        ("fusion", {"iterations": 25, "check-limit": "50ms", "wall": "2s", "size-limit": 100_000}),
        ("opfuzz", {"mutations": 1, "iterations": 25, "size-limit": 100_000}),
        ("typefuzz", {"iterations": 25}),
        ("janus", {"walk": 25, "iterations": 25}),
        ("diver", {"models": 3, "iterations": 25}),
        ("generate", {"assertions": 5, "depth": 3, "variables": 5}),
        ("perf", {"query": "5s"}),
    ],
)
def test_defaults_are_those_of_the_page(command: str, defaults: dict[str, Any]) -> None:
    found = murxpy.get_command(click.Context(murxpy), command)
    assert found is not None
    known = {
        option.removeprefix("--"): param.default for param in found.params for option in param.opts
    }
    assert {name: known[name] for name in defaults} == defaults


def test_opfuzz_changes_as_many_operators_as_the_user_wants() -> None:
    for number in (1, 2, 3):
        mutants = made("opfuzz", SAT, 5, [], mutations=number)
        assert [len(mutant.steps) for mutant in mutants] == [number] * 5


def test_typefuzz_nests_operators_and_grows() -> None:
    """What is replaced may be part of what comes in its place."""
    mutants = made("typefuzz", SAT, 120, [])
    steps = [mutant.steps[0] for mutant in mutants]
    assert max(step.count(" of ") for step in steps) >= 2
    sizes = [size(mutant) for mutant in mutants]
    assert max(sizes) > sizes[0]


@pytest.mark.parametrize("name", ["opfuzz", "typefuzz"])
def test_no_assertions_are_added(name: str) -> None:
    mutants = made(name, SAT, 20, [])
    assert len(mutants) == 20
    assert {len(mutant.script.assertions()) for mutant in mutants} == {2}


def test_mutants_of_diver_are_bounded_by_their_seed() -> None:
    mutants = made("diver", SAT, 80, [])
    first = 14 + 5  # the occurrences of terms in the seed
    assert len(mutants) == 80 and max(map(size, mutants)) <= GROWTH * first + 50


def test_seeds_of_diver_stay_as_they_are(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seed = tmp_path / "a.smt2"
    seed.write_text(SAT.text)
    assert outcome(capsys, "diver", "z3", seed, "--run-seed", "1", "--iterations", "2")[0] == 0
    assert seed.read_text() == SAT.text and list(tmp_path.iterdir()) == [seed]


def test_options_of_the_paper_are_drawn() -> None:
    assert "strings-lazy-pp" in {option["name"] for option in load_wrapper("cvc5")["options"]}
    others = {option["name"] for option in load_wrapper("z3")["process-options"]}
    assert {"rewriter.cache_all", "rewriter.pull_cheap_ite", "rewriter.hoist_mul"} <= others


def test_operators_of_one_solver_come_unless_told_otherwise() -> None:
    """The name of an operator stands in each step of DIVER."""
    own = {kind for kind, operator in CATALOGUE.operators.items() if operator.extension}

    def used(**choices: Any) -> set[str]:
        steps = [mutant.steps[0] for mutant in made("diver", SAT, 60, [], **choices)]
        return own.intersection(word for step in steps for word in re.findall(r"OP_\w+", step))

    assert used() and not used(standard_only=True)


BOOLEANS = """(set-info :status sat)(declare-const a Bool)(declare-const b Bool)
(assert (or a b))(check-sat)"""


def campaign(
    capsys: pytest.CaptureFixture[str], folder: Path, planted: str, *more: str
) -> tuple[int, str]:
    """The exit code and the lines of a campaign of Fusion on a solver with a planted defect."""
    (folder / "seed.smt2").write_text(BOOLEANS)
    wrapper = folder / "scripts.yaml"
    wrapper.write_text((FAKES / "scripts.yaml").read_text().replace("f.run_script({v})", planted))
    args = ("fusion", f"fake@{FAKES}", folder / "seed.smt2", "--wrapper", wrapper, *more)
    code, out, _ = outcome(
        capsys, *args, "--jobs", "1", "--seed", "1", "--runs", "3", "--out", folder / "out"
    )
    return code, out


def test_unknown_is_counted_and_no_finding(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out = campaign(capsys, tmp_path, "'unknown'", "--check", "none")
    assert code == 0 and "no findings" in out
    row = re.search(
        r"^fusion +([\d,]+) +([\d,]+) +(\S+) +([\d,]+)",
        outcome(capsys, "statistics", tmp_path / "out")[1],
        re.M,
    )
    assert row is not None and row[1] == row[4] != "0"


def book(name: str) -> dict[str, dict[str, Any]]:
    """The shipped rules of a book, or the one rule of this name, by name."""
    return {str(rule["name"]): dict(rule) for rule in named_rules([name])}


def test_rules_that_do_not_hold_as_published_are_there_in_a_form_that_holds() -> None:
    """That each has a kept proof, another test shows."""
    regexes = book("regexes")
    assert {"member-extended", "option-extended"} <= regexes.keys()
    assert "re.union" in regexes["option-extended"]["weak"]
    for name in ("range-lower", "range-upper", "range-both"):
        assert "(str.len" in regexes[name]["where"]
    assert regexes["union-adds"]["strong"] == "r"
    assert not book("at-most-extended")["at-most-extended"]["chain"]
    assert book("quantifiers")["forall-to-instance"]["published"] == "INSTQUANT"


def test_unions_and_their_powers_have_up_to_four_parts() -> None:
    """RE_CONCAT_TO_OPTION_POWER: each number of parts is a rule with a proof of its own."""
    parts = {
        rule["strong"].count(" "): rule["weak"]
        for rule in book("regexes").values()
        if rule.get("published") == "RE_CONCAT_TO_OPTION_POWER"
    }
    assert sorted(parts) == [2, 3, 4]
    assert all(weak.startswith(f"((_ re.^ {number}) (") for number, weak in parts.items())
    assert parts[4].endswith("(re.union r q p o))")


def test_equality_and_order_are_kept_by_generated_rules_of_all_theories() -> None:
    kinds: Sequence[str] = (
        "OP_BV_ADD",
        "OP_STR_CONCAT",
        "OP_FP_NEG",
        "OP_ARRAY_SELECT",
        "OP_SEQ_AT",
    )
    equal = book("equal")
    assert all(any(name.startswith(f"{kind}.") for name in equal) for kind in kinds)
    assert "OP_INT_ADD.1.1" in book("order")
    books = {rule["book"] for rule in named_rules()}
    assert {
        "bitvectors",
        "floats",
        "arrays",
        "datatypes",
        "sequences",
        "sets",
        "quantifiers",
    } <= books


def test_samples_of_a_grammar_have_the_wanted_size(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = outcome(capsys, "grammars", "strings", "--sample", "20", "--size", "7")
    numbers = [int(number) for number in re.findall(r"^; strings (\d+)$", out, re.M)]
    grammar = Grammar(load_grammar("strings"))
    first = sum(grammar.of_size(size) for size in range(1, 7))
    assert code == 0 and len(set(numbers)) > 10
    assert all(first <= number < first + grammar.of_size(7) for number in numbers)


# The rules of Janus by their names in the published program, each once, without those that keep
# equality or order under a function: these are generated here, from the table of operators.
PUBLISHED_RULES = """
ADDDISJ DROPCONJ ORTOIMP OPREP_AND_OR OPREP_XOR_OR ORTOITE IMPTOITETRUE IMPTOITEFALSE ITETOIMPTRUE
ITETOIMPFALSE IMPLIFTTOFORALL QUANTSWP INSTQUANT UNINFUNEQ EQ_GEQ EQ_LEQ GE_GEQ LE_LEQ GE_DIST LE_DIST
NUMRELSHIFTBALANCED NUMRELSHIFTSKEWED OPREP_STR SUFFIXLEN PREFIXLEN CONTAINSLEN STRLEQSUBSTR STRLEQAPP
STREQDISTAPP STREQPREFIXSUFFIX STREQPREFIXPREFIX STREQSUFFIXSUFFIX STRCONTAINSPRESUF STRCONTOEX
STRSUFTOEX STRPRETOEX INT-LEQ-SUBSTR-PREFIX INT-LT-SUBSTR-PREFIX INT-GEQ-SUBSTR-SUFFIX
INT-GT-SUBSTR-SUFFIX FROM_INT-DISTINCT PRE-STR-CONCAT SUF-STR-CONCAT REGEXAPP OPREP_RE_PLUS_STAR
OPREP_RE_INTER_UNION RE_ADD_PLUS RE_ADD_OPT RE_ADD_LOOP RE_CONCAT_TO_OPTION_POWER RE_UNION_IDEMPOTENT
RE_INTER_IDEMPOTENT RE_DISTRIBUTE_UNION_CONCAT RE_CHANGE_RANGE RE_ADD_FREE_UNION
"""
KEPT_EQUAL = (
    "OP_INT_ABS",
    "OP_INT_NEG",
    "OP_INT_SUB",
    "OP_INT_ADD",
    "OP_STR_IS_DIGIT",
    "OP_STR_TO_CODE",
    "OP_STR_TO_INT",
    "OP_STR_FROM_CODE",
    "OP_STR_FROM_INT",
    "OP_STR_CONCAT",
    "OP_STR_SUBSTR",
    "OP_STR_REPLACE",
    "OP_STR_REPLACE_ALL",
    "OP_STR_REPLACE_RE",
    "OP_STR_REPLACE_RE_ALL",
)


def test_each_published_rule_is_there() -> None:
    rules = [dict(rule) for rule in named_rules()]
    told = [word for rule in rules for word in str(rule.get("published") or "").split(", ")]
    assert not set(PUBLISHED_RULES.split()) - set(told)
    equal = book("equal")
    assert all(any(name.startswith(f"{kind}.") for name in equal) for kind in KEPT_EQUAL)
