"""A mutant that a rule made of a decided script, and that the solver leaves unknown: both become smaller
together.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import FAKES
from commands import outcome
from toy import catalogue

from murxpy.cli.report.findings import sentence
from murxpy.findings.buckets import new_bucket
from murxpy.findings.scripted import scripted
from murxpy.fuzzers.setups import proved_rules
from murxpy.logic.terms import Term
from murxpy.machine.tokens import Quoted, quote
from murxpy.machine.trace.finished import Call
from murxpy.machine.trace.grammar import parse_trace
from murxpy.machine.witnesses.unknowns import KIND, rule_of
from murxpy.oracles.crash import Verdict
from murxpy.reduction.pairs import decided_before
from murxpy.smtlib.building import Tables
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.mutation.implications.book import Book
from murxpy.sources.mutation.implications.instances import Instances, Normal

pytestmark = pytest.mark.usefixtures("kept_solvers")

CATALOGUE = catalogue()
HEAD = """(declare-fun p (Int) Bool)(declare-const a Bool)(declare-const b Bool)(declare-const x Int)
"""


def roots(*formulas: str) -> tuple[Tables, list[Term]]:
    """The assertions of formulas, up to the names of variables."""
    tables = Tables(CATALOGUE)
    text = HEAD + "".join(f"(assert {formula})" for formula in formulas)
    normal = Normal(tables)
    return tables, [
        normal.of(one) for one in read_script(text, "a", CATALOGUE, tables).assertions()
    ]


@pytest.mark.parametrize(
    ("rule", "before", "after", "sign"),
    [
        ("and-drops", "(or a (and b (p x)))", "(or a b)", 1),
        ("and-drops", "(=> b a)", "(=> (and b (p 1)) a)", 1),
        ("not-not", "(= a b)", "(= a (not (not b)))", -1),
        ("forall-to-instance", "(forall ((y Int)) (p y))", "(p 3)", 1),
        ("or-adds", "(forall ((y Int)) (p y))", "(forall ((z Int)) (or (p z) a))", 1),
        ("equal-to-at-least", "(= x 1 (+ x x))", "(>= x 1 (+ x x))", 1),
    ],
)
def test_the_step_of_a_rule_is_recognised(rule: str, before: str, after: str, sign: int) -> None:
    tables, (one, other) = roots(before, after)
    book = Book(proved_rules((rule,)), CATALOGUE)
    assert Instances(tables, book).step(one, other, sign) is not None
    if rule != "not-not":  # an equivalence can be used at any place, in both directions
        assert Instances(tables, book).step(one, other, -sign) is None
    assert Instances(tables, book).step(one, one, sign) is None


def test_what_another_rule_makes_is_not_recognised() -> None:
    tables, (one, other) = roots("(and a b)", "(or a b)")
    assert (
        Instances(tables, Book(proved_rules(("and-drops",)), CATALOGUE)).step(one, other, 1) is None
    )


BEFORE = """(declare-const a Bool)
(declare-const b Bool)
(declare-const c Bool)
(assert (or b c))
(assert (or a (and b (not c))))
(check-sat)
"""
GIVEN_UP = "('unknown (INCOMPLETE)' if 'get-info' in {v} else 'unknown')"
PLANTED = f"{GIVEN_UP} if '(not (not' in {{v}} else f.run_script({{v}})"


def test_a_smaller_pair_is_still_one_step_of_the_rule(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The solver gives up on double negations, and says so where it is asked: the mutant has one, and
    the script before has none.
    """
    wrapper = tmp_path / "scripts.yaml"
    text = (FAKES / "scripts.yaml").read_text()
    wrapper.write_text(text.replace("f.run_script({v})", PLANTED))
    after = BEFORE.replace("(not c)", "(not (not (not c)))") + "(get-info :reason-unknown)\n"
    mark = '(set-option :random-seed 3)\n(set-info :implied-by-decided "core:not-not")\n'
    whole, small = tmp_path / "a.trace", tmp_path / "small.trace"
    whole.write_text(
        f"# murxpy-trace 1\n# solver fake\n1 new\n1 expect sat\n1 run-script {quote(BEFORE)}\n"
        f"      answer sat\n1 expect sat\n1 run-script {quote(mark + after)}\n"
    )
    named = ("--solver", f"fake@{FAKES}", "--wrapper", wrapper)
    ended, out, err = outcome(capsys, "minimize", whole, "-o", small, "--jobs", "1", *named)
    assert ended == 0, out + err
    lines = [
        line for line in parse_trace(small.read_text(), "a").lines if line.action == "run-script"
    ]
    texts = [line.args[0].text for line in lines if isinstance(line.args[0], Quoted)]
    assert [[word for _, words in line.results for word in words] for line in lines] == [
        ["sat"],
        ["unknown"],
    ]
    assert rule_of(texts[1]) == "core:not-not" and rule_of(texts[0]) == ""
    assert texts[0].count("assert") == texts[1].count("assert") == 1
    tables = Tables(CATALOGUE)
    one, other = (read_script(text, "a", CATALOGUE, tables).assertions()[0] for text in texts)
    book = Book(proved_rules(("not-not",)), CATALOGUE)
    assert Instances(tables, book).step(one, other, 1) is not None
    ended, out, err = outcome(capsys, "replay", small, *named)
    assert ended == 1 and KIND in out, out + err


WRONG = "('sat' if '(not (not' in {v} else 'unsat')"


def test_a_wrong_answer_to_a_mutant_is_made_smaller_with_the_script_before_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The solver answers sat where there is a double negation, and else unsat. The comment of the fuzzer names the rule;
    behind the mutant the fuzzer asked for the label of its seed again.
    """
    wrapper = tmp_path / "scripts.yaml"
    wrapper.write_text((FAKES / "scripts.yaml").read_text().replace("f.run_script({v})", WRONG))
    before, after = BEFORE, BEFORE.replace("(not c)", "(not (not (not c)))")
    whole, small = tmp_path / "a.trace", tmp_path / "small.trace"
    whole.write_text(
        f"# murxpy-trace 1\n# solver fake\n1 new\n1 expect unsat\n1 run-script {quote(before)}\n"
        "      answer unsat\n# janus: core:not-not, stronger, at bool +, depth 2\n1 expect unsat\n"
        f"1 run-script {quote(after)}\n      answer sat\n1 run-script {quote(before)}\n      answer unsat\n"
    )
    named = ("--solver", f"fake@{FAKES}", "--wrapper", wrapper)
    ended, out, err = outcome(capsys, "minimize", whole, "-o", small, "--jobs", "1", *named)
    assert ended == 0, out + err
    trace = parse_trace(small.read_text(), "a")
    found = scripted(trace)
    assert found is not None and rule_of(found.text) == "core:not-not"
    assert "(not (not " not in next(decided_before(trace, "unsat"))
    assert found.text.count("assert") == 1
    ended, out, err = outcome(capsys, "replay", small, *named)
    assert ended == 1 and "wrong-answer" in out, out + err
    message = "answered sat, expected unsat by how the check was made"
    verdict = Verdict("wrong-answer", "solver", message, "", Call("run-script"))
    said = sentence(new_bucket("k", "fake 1", verdict, known=False, now=0.0), small.read_text())
    assert "the rule that" in said and "makes the script from one that was decided" in said
