"""Models as solvers print them, and seeds whose label is wrong."""

from __future__ import annotations

import pytest
from toy import catalogue

from murxpy.errors import InputError
from murxpy.judging.seeds import judge
from murxpy.logic.terms import Term
from murxpy.semantics.values import CannotSay
from murxpy.smtlib.lexer import Source
from murxpy.smtlib.printed_models import (
    Valuation,
    asking_for_models,
    read_model,
    read_printed_model,
)
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Assert, Script

CATALOGUE = catalogue()
SCRIPT = """(declare-sort S 0)(declare-datatype T ((leaf) (node (left T))))
(declare-const x Int)(declare-fun f (Int) Int)(declare-const a S)(declare-const b S)(declare-const t T)
(assert (> (f x) 3))(assert (distinct a b))(assert ((_ is node) t))"""
OF_Z3 = """sat
(
  ;; universe for S:
  (declare-fun S!val!1 () S)
  (declare-fun S!val!0 () S)
  (forall ((x S)) (or (= x S!val!1) (= x S!val!0)))
  (define-fun x () Int (- 3))
  (define-fun a () S S!val!0)
  (define-fun b () S S!val!1)
  (define-fun t () T (node leaf))
  (define-fun f ((x!0 Int)) Int (ite (= x!0 (- 3)) 4 0))
)"""
OF_CVC5 = """(
; rep: (as @S_0 S)
(define-fun x () Int 0)
(define-fun f ((_arg_1 Int)) Int 4)
(define-fun a () S (as @S_0 S))
(define-fun b () S (as @S_1 S))
(define-fun t () T (node leaf))
)"""


def verdicts(model: str) -> list[str]:
    """What the model says of each assertion."""
    script = read_script(SCRIPT, "f.smt2", CATALOGUE)
    return judged(Valuation(script, read_model(model, "m.smt2", script)), script)


def judged(valuation: Valuation, script: Script) -> list[str]:
    """What holds of the assertions, or why that cannot be said."""

    def verdict(term: Term) -> str:
        try:
            return str(valuation.holds(term)).lower()
        except CannotSay as reason:
            return str(reason)

    return [verdict(term) for term in script.assertions()]


@pytest.mark.parametrize("model", [OF_Z3, OF_CVC5])
def test_models_of_solvers(model: str) -> None:
    assert verdicts(model) == ["true", "true", "true"]


def test_sorts_that_only_terms_have_are_known() -> None:
    """A mutant with new constants has no command that declares their sorts: its printing does."""
    script = read_script(
        "(declare-sort S 0)(declare-sort T 0)(declare-const a (Set S))(declare-const b S)"
        "(assert (set.member b a))(assert (exists ((t T)) (= t t)))",
        "f.smt2",
        CATALOGUE,
    )
    mutant = Script("mutant", script.tables, [Assert(term) for term in script.assertions()])
    model = read_printed_model(
        "(\n; rep: (as @S_0 S)\n; rep: (as @T_0 T)\n"
        "(define-fun a () (Set S) (set.singleton (as @S_0 S)))\n(define-fun b () S (as @S_0 S))\n)",
        mutant,
    )
    assert model.whole
    assert judged(Valuation(mutant, model), mutant) == ["true", "true"]


def test_a_function_that_only_the_printed_script_has_leaves_a_model_whole() -> None:
    """A mutant is printed with functions that stand for its shared terms, and z3 prints them in its models."""
    text = "(declare-const x Int)(declare-const y Int)(assert (or (= x 1) (> y (+ x 1))))"
    script = read_script(text, "f.smt2", CATALOGUE)
    shared = "(define-fun def!5 () Int (+ y 1))"
    model = read_printed_model(f"({shared}(define-fun x () Int 1))", script)
    assert model.whole
    assert judged(Valuation(script, model, completed=True), script) == ["true"]
    # a value that needs it is not known, and neither is one that cannot be read
    for value in ("def!5", "(what 1)"):
        assert not read_printed_model(f"({shared}(define-fun x () Int {value}))", script).whole


def test_a_wrong_model_is_seen() -> None:
    wrong = OF_CVC5.replace("Int 4)", "Int 3)").replace("@S_1", "@S_0")
    assert verdicts(wrong) == ["false", "false", "true"]


@pytest.mark.parametrize(("name", "stem"), [("S", "@S_"), ("|S t|", "|@_S t__"), ("|;|", "|@_;__")])
def test_elements_that_only_a_comment_of_cvc5_names(name: str, stem: str) -> None:
    first, second = (f"(as {stem}{number}{'|' if '|' in stem else ''} {name})" for number in (0, 1))
    declared = f"(declare-sort {name} 0)(declare-const a {name})"
    text = f"{declared}(assert (exists ((x {name})) (distinct x a)))(assert (forall ((x {name})) (= x a)))"
    script = read_script(text, "f.smt2", CATALOGUE)
    model = f"sat\n(\n; cardinality of {name} is 2\n; rep: {first}\n; rep: {second}\n(define-fun a () {name} {first})\n)\n"
    assert judged(Valuation(script, read_printed_model(model, script)), script) == ["true", "false"]
    assert judged(Valuation(script, read_model(model, "m.smt2", script)), script) == [
        "true",
        "false",
    ]


def test_a_sort_whose_elements_are_not_listed_may_have_more() -> None:
    text = "(declare-sort L 1)(declare-const a (L Bool))(assert (exists ((x (L Bool))) (distinct x a)))(assert (= a a))"
    script = read_script(text, "f.smt2", CATALOGUE)
    model = "sat\n(\n(define-fun a () (L Bool) (as |@(L Bool)_0| (L Bool)))\n)\n"
    open_, sure = judged(Valuation(script, read_printed_model(model, script)), script)
    assert (open_ not in ("true", "false"), sure) == (True, "true")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(define-fun x", "(define-fun-rec y () Int 0) (define-fun x"),  # no value
        # broken in its variables
        ("(define-fun x", "(define-fun z ((u Int) (v)) Int 0) (define-fun x"),
        ("(define-fun x", "(define-fun x () Bool true) (define-fun x"),  # of another sort
        (")\n)", ")\n) (check-sat) ;"),
        ("(", "(error \"line 3: '(' is none\") ("),
        (")\n)", ")"),  # cut off
    ],
)
@pytest.mark.parametrize("model", [OF_Z3, OF_CVC5])
def test_what_cannot_be_read_of_a_printed_model_is_left_out(
    model: str, before: str, after: str
) -> None:
    script = read_script(SCRIPT, "f.smt2", CATALOGUE)
    printed = read_printed_model(model.replace(before, after, 1), script)
    assert judged(Valuation(script, printed), script) == ["true", "true", "true"]


@pytest.mark.parametrize(
    "output", ["", "unsat", "sat", 'sat ((define-fun x () String "', '(error "no model")']
)
def test_output_without_a_model_is_an_empty_one(output: str) -> None:
    assert not read_printed_model(output, read_script(SCRIPT, "f.smt2", CATALOGUE)).definitions


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("2", ["true", "true", "false"]),
        ("(ite (= x!0 7) 3 2)", ["false", "false", "true"]),
        ("(ite (= x!1 0) 2 3)", ["true", "true", "false"]),
        ("(mod x!0 0)", ["open", "open", "open"]),
    ],
)
def test_a_model_may_say_what_division_by_zero_is(body: str, said: list[str]) -> None:
    text = "(declare-const a Int)(assert (= 2 (mod a 0)))(assert (= 2 (mod a (- a 7))))(assert (> (mod 7 0) 2 1))"
    model = (
        f"sat\n(\n(define-fun a () Int 7)\n(define-fun mod0 ((x!0 Int) (x!1 Int)) Int {body})\n)"
    )
    script = read_script(text, "f.smt2", CATALOGUE)
    named = read_printed_model(model, script, {"mod0": "OP_INT_MOD"})
    verdicts = judged(Valuation(script, named), script)
    assert [one if one in ("true", "false") else "open" for one in verdicts] == said
    # without a name for the function, nothing is known
    unnamed = judged(Valuation(script, read_printed_model(model, script)), script)
    assert not {*unnamed} & {"true", "false"}
    # a function of the script may have that name
    own = read_script(f"(declare-fun mod0 (Int Int) Int){text}", "f.smt2", CATALOGUE)
    read = read_printed_model(model, own, {"mod0": "OP_INT_MOD"})
    assert not read.partial


def test_what_the_model_does_not_say_is_not_known() -> None:
    assert verdicts("(model (define-fun x () Int 0))")[0] not in ("true", "false")


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("", "m.smt2:1:1: expected '(' before the model"),
        ("((define-fun x () Bool true))", "'x' is of sort INT, the model gives one of BOOL"),
        ("((assert true))", "m.smt2:1:3: expected 'define-fun', found 'assert'"),
        ("((define-fun x () Int 0)) (check-sat)", "expected the end of the text behind the model"),
    ],
)
def test_bad_models(model: str, reason: str) -> None:
    with pytest.raises(InputError) as raised:
        verdicts(model)
    assert reason in str(raised.value)


@pytest.mark.parametrize(
    ("labels", "answers", "verdict"),
    [
        (["sat"], {"z3": ["sat"], "cvc5": ["unknown"]}, "right"),
        (["sat"], {"z3": ["unsat"], "cvc5": ["unsat"]}, "mislabelled"),
        (["sat"], {"z3": ["unsat"], "cvc5": ["sat"]}, "disagreement"),
        ([None], {"z3": ["unsat"]}, "unlabelled"),
        (["unsat"], {"z3": []}, "undecided"),
        (["sat", "unsat"], {"z3": ["sat", "sat"]}, "doubted"),
    ],
)
def test_labels_are_compared_with_answers(
    labels: list[str | None], answers: dict[str, list[str]], verdict: str
) -> None:
    assert judge("f.smt2", labels, answers).verdict == verdict


def test_definitions_that_cannot_be_read_are_left_out() -> None:
    """Each is passed over from where it begins, without the tokens before it."""
    script = read_script(
        "".join(f"(declare-const x{n} Int)" for n in range(300)), "f.smt2", CATALOGUE
    )
    text = "".join(f"(define-fun x{n} () Int {n if n % 3 else '(what 1)'})" for n in range(300))
    model = read_printed_model(f"({text})", script)
    assert not model.whole and len(model.definitions) == 200
    source = Source("(a (b c) d)", "text")
    for at in (3, 0, 8):
        source.go_back(at)
        assert (source.at, source.next_or_end()) == (
            at,
            source.tokens[at] if at < len(source.tokens) else "",
        )


def test_the_question_for_the_model_is_put_behind_each_check() -> None:
    text = '(set-option :produce-models false)(assert |(get-model)|); (check-sat)\n(echo "(check-sat)")'
    text += "(check-sat-assuming (a))\n(reset)(check-sat"
    models = "(set-option :produce-models true)"
    asked = f"{models}(assert |(get-model)|); (check-sat)\n(check-sat-assuming (a))(get-model)\n(reset){models}(check-sat"
    assert asking_for_models(text, "f.smt2") == asked
    assert (
        asking_for_models("(check-sat\n)(get-value\n(a)\n)x", "f.smt2")
        == f"{models}(check-sat\n)(get-model)\n\nx"
    )
