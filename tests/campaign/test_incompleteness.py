"""Unknown to a script that is satisfiable by how it was made: a finding that the exit code leaves
out.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import FAKES
from commands import outcome

from murxpy.cli.report.findings import sentence
from murxpy.data import load_catalogue
from murxpy.findings.buckets import bucket_key, new_bucket
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.tokens import quote
from murxpy.machine.trace.finished import Call
from murxpy.machine.witnesses.unknowns import KIND, gave_up, is_marked, marked
from murxpy.oracles.crash import Verdict
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script

pytestmark = pytest.mark.usefixtures("kept_solvers")

SEED = "(declare-const a Bool)(declare-const b Bool)(assert (or a b))(check-sat)"
GROWS = "(declare-fun f (Int) Int)(assert (forall ((x Int)) (> (f x) x)))(check-sat)"
# z3 gives up on a quantifier of which it makes no instances
PATTERNS = """(set-option :smt.mbqi false)(set-option :auto_config false)
(declare-fun f (Int) Int)(declare-fun g (Int) Int)
(assert (forall ((x Int)) (! (> (f x) x) :pattern ((g x)))))(check-sat)"""


def test_the_mark_stands_in_front_and_the_question_behind_each_check() -> None:
    catalogue = build_catalogue(load_catalogue())
    script = read_script(GROWS + "(check-sat)", "a", catalogue)
    plain = print_script(script, "standard")
    text = marked(plain, True)
    assert is_marked(text) and text.count("(check-sat)\n(get-info :reason-unknown)\n") == 2
    assert "get-info" not in marked(plain, False)


@pytest.mark.parametrize(
    ("solver", "script", "expected", "limit", "code"),
    [
        ("z3", PATTERNS, "sat", 90_000, 1),
        ("z3", PATTERNS, "sat", 1, 0),
        ("z3", PATTERNS, "unknown", 90_000, 0),
        ("cvc5", GROWS, "sat", 90_000, 1),
    ],
    ids=["gave up", "a limit", "nothing is known", "the reason beside the answer"],
)
def test_only_a_solver_that_gives_up_is_incomplete(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    solver: str,
    script: str,
    expected: str,
    limit: int,
    code: int,
) -> None:
    mark = "(set-info :satisfiable-by-construction true)"
    asking = "(get-info :reason-unknown)" if solver == "z3" else ""
    texts = [(f"{mark}{script}{asking}", code)]
    if code:  # nothing is known of the same script without the mark
        texts.append((f"{script}{asking}", 0))
    for text, found in texts:
        path = tmp_path / "a.trace"
        path.write_text(
            f"# murxpy-trace 1\n# solver {solver}\n1 new\n1 set-limit {limit}\n1 expect {expected}\n"
            f"1 run-script {quote(text)}\n"
        )
        ended, out, err = outcome(capsys, "replay", path)
        assert ended == found, out + err
        assert (KIND in out and "INCOMPLETE" in out.upper()) == bool(found)


@pytest.mark.usefixtures("bare_findings")
def test_a_campaign_shows_it_and_fails_only_on_request(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The solver gives up on everything: one bucket, however many runs show it."""
    (tmp_path / "seed.smt2").write_text(SEED)
    wrapper = tmp_path / "scripts.yaml"
    wrapper.write_text(
        (FAKES / "scripts.yaml")
        .read_text()
        .replace("f.run_script({v})", "f.run_script({v}).replace('sat', 'unknown (INCOMPLETE)')")
    )
    args = ("storm", f"fake@{FAKES}", tmp_path / "seed.smt2", "--wrapper", wrapper)
    args = (*args, "--jobs", "1", "--seed", "1", "--runs", "60", "--iterations", "2")
    for more, code in (((), 0), (("--fail-on", KIND), 1)):
        out = tmp_path / f"out{code}"
        ended, text, err = outcome(capsys, *args, *more, "--out", out)
        assert ended == code, text + err
        assert [path.name[:14] for path in (out / "findings").iterdir()] == [KIND]


def test_a_smaller_script_is_still_satisfiable(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The answer of each candidate is found again: another solver's model holds by our evaluator."""
    script = (
        "(set-info :satisfiable-by-construction true)(declare-sort U 0)(declare-fun f (U) U)"
        "(declare-const a Int)(assert (> a 3))(assert (forall ((x U)) (not (= (f x) x))))(check-sat)"
    )
    whole, small = tmp_path / "a.trace", tmp_path / "small.trace"
    whole.write_text(
        f"# murxpy-trace 1\n# solver cvc5\n1 new\n1 set-limit 90000\n1 expect sat\n1 run-script {quote(script)}\n"
    )
    ended, out, err = outcome(capsys, "minimize", whole, "-o", small, "--jobs", "1")
    assert ended == 0, out + err
    text = small.read_text()
    assert "forall" in text and "Int" not in text and is_marked(text)
    ended, out, err = outcome(capsys, "replay", small)
    assert ended == 1 and KIND in out, out + err


def test_a_rule_and_a_reason_are_one_bucket() -> None:
    def key(rule: str, answer: str, reason: str, against: str = "parent") -> str:
        message = f"answered unknown, expected {answer} by {rule} of a script that was decided; its reason: {reason}"
        call = Call("run-script", rule, "parser")
        return bucket_key("cvc5", Verdict(KIND, "solver", message, "", call, against=against))

    first = key("core:and-drops", "sat", "INCOMPLETE")
    assert first == key("core:and-drops", "unsat", "INCOMPLETE")
    assert first != key("core:or-adds", "sat", "INCOMPLETE")
    assert first != key("core:and-drops", "sat", "(incomplete (theory seq))")
    assert first != key("core:and-drops", "sat", "INCOMPLETE", "")
    assert first.startswith("incompleteness-parent-cvc5-")


RULE = "equal:OP_TRANS_ARCSECANT.1"
IMPLIED = f'(set-info :implied-by-decided "{RULE}")'
ARCSECANT = (
    "(set-logic ALL)(declare-const a Real)(declare-const b Real)"
    "(assert (= (arcsec a) (arcsec b)))(assert (> a 2.0))(check-sat)"
)
GIVES_UP = (
    "(set-logic ALL)(declare-fun f (Int) Int)(assert (forall ((x Int)) (> (f x) x)))(check-sat)"
)


@pytest.mark.parametrize(
    ("script", "mark", "code"),
    [
        (ARCSECANT, IMPLIED, 0),
        (ARCSECANT, "(set-info :satisfiable-by-construction true)", 0),
        (ARCSECANT, '(set-info :decided-by-baseline "cvc5 1.0")', 1),
        (GIVES_UP, IMPLIED, 1),
        (GIVES_UP.replace("f ", "sin ").replace("ALL", "UFLIA"), IMPLIED, 1),
    ],
    ids=["rule", "by construction", "an older release", "another theory", "a name of the script"],
)
def test_what_a_solver_documents_as_incomplete_is_no_finding(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, script: str, mark: str, code: int
) -> None:
    """The documentation of cvc5 says that its techniques for transcendental functions are inexact."""
    path = tmp_path / "a.trace"
    path.write_text(
        f"# murxpy-trace 1\n# solver cvc5\n1 new\n1 set-limit 90000\n1 expect sat\n1 run-script {quote(mark + script)}\n"
    )
    ended, out, err = outcome(capsys, "replay", path)
    assert "1 unknown" in out or "answered unknown" in out, out
    assert ended == code, out + err


def test_the_headline_says_the_rule_in_words() -> None:
    message = f"answered unknown, expected sat by {RULE} of a script that was decided; its reason: INCOMPLETE"
    call = Call("run-script", "REAL", "parser")
    bucket = new_bucket(
        "k",
        "cvc5",
        Verdict(KIND, "solver", message, "", call, against="parent"),
        known=False,
        now=0.0,
    )
    assert sentence(bucket) == (
        "Answered unknown, expected sat because the rule that (= x y) implies (= (arcsec x) (arcsec y)) "
        f"({RULE}) makes the script from one that was decided; its reason: INCOMPLETE"
    )
    bucket.message = message.replace(RULE, "mine:no-such-rule")
    assert "the rule mine:no-such-rule makes the script" in sentence(bucket)


def test_the_reason_tells_a_limit_from_a_solver_that_gave_up() -> None:
    assert gave_up('unknown\n(:reason-unknown "(incomplete quantifiers)")\n') is True
    assert gave_up('unknown\n(:reason-unknown "max. resource limit exceeded")\n') is False
    assert gave_up("unknown (INCOMPLETE)\n") is True
    assert gave_up("unknown (RESOURCEOUT)\n") is False
    assert gave_up("unknown\n") is None
    assert gave_up('sat\n(:reason-unknown "")\n') is None
