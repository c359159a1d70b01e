"""What an answer depends on: what is left out, and what a triage tells of it."""

from __future__ import annotations

from typing import Any

from murxpy.judging.disagreement import Dependence, dependences, omissions
from murxpy.machine.tokens import quote
from murxpy.machine.trace.grammar import parse_trace
from murxpy.oracles.crash import Outcome

HEAD = (
    "# murxpy-trace 1\n# solver x 1\n1 new\n      return o1\n2 mk-sort SORT_BOOL\n      return s1\n"
    '3 mk-const s1 "a"\n      return t1 s1\n'
)
TRACE = f"""{HEAD}4 set-option incremental true
5 set-option fast true
6 set-limit 500
7 push 1
8 assert-formula t1
9 check-sat
      answer unknown
10 pop 1
11 simplify t1
      return t2 s1
12 assert-formula t1
13 check-sat-assuming 1 t1
      answer sat
14 check-sat
      answer sat
"""


def left_out(trace: str) -> dict[str, str]:
    """By what was left out, the actions that are left."""
    script = tuple(parse_trace(trace, "t").lines)
    return {
        one.words: " ".join(line.action for line in one.script if not line.action.startswith("mk-"))
        for one in omissions(script)
    }


def test_each_limit_option_and_earlier_call_is_left_out_alone() -> None:
    found = left_out(TRACE)
    assert list(found) == [
        "option fast=true",
        "limit 500",
        "the earlier check check-sat, answered unknown",
        "the earlier call simplify",
        "the earlier check check-sat-assuming, answered sat",
        "the 2 checks before it",
        "the scopes that are popped before it",
    ]
    assert all(
        actions.endswith("assert-formula check-sat-assuming check-sat")
        for words, actions in found.items()
        if "check" not in words
    )
    assert (
        "push" not in found["the scopes that are popped before it"]
        and found["the 2 checks before it"].count("check-sat") == 1
    )


def test_assertions_scopes_and_terms_stay() -> None:
    assert left_out(f"{HEAD}4 push 1\n5 assert-formula t1\n6 check-sat\n      answer sat\n") == {}


def test_parts_of_a_script_are_left_out() -> None:
    text = "(set-option :fast 3)\n(set-logic QF_BV)\n(check-sat)\n(assert true)\n(check-sat)\n"
    found = left_out(f"1 new\n2 run-script {quote(text)}\n      answer sat\n")
    assert list(found) == ["option fast=3", "logic QF_BV", "the checks before it in the script"]


def asked(trace: str, answer: Any) -> list[Dependence]:
    """What the answer of a solver depends on that answers by the text of what it is asked."""
    questions = dependences(0, trace, "# murxpy-trace 1\n")
    ask = next(questions)
    try:
        while True:
            said = answer(ask.text)
            ask = questions.send(
                Outcome("report", {}, "1 check-sat\n" + (f"      answer {said}\n" if said else ""))
            )
    except StopIteration as end:
        return list(end.value)


def test_what_changes_the_answer_is_told() -> None:
    def answer(text: str) -> str:
        return "sat" if "set-limit" in text and "9 check-sat" in text else "unsat"

    found = asked(TRACE, answer)
    assert [(need.sort, need.answer) for need in found] == [
        ("limit", "unsat"),
        ("earlier check", "unsat"),
        ("earlier checks", "unsat"),
        ("earlier scopes", "unsat"),
    ]
    assert found[0].line() == "limit 500 (without: unsat)"


def test_a_check_that_does_not_return_without_its_limit_gets_a_larger_one() -> None:
    def answer(text: str) -> str:
        return "" if "set-limit" not in text else "unsat" if "set-limit 50000" in text else "sat"

    assert asked(TRACE, answer) == [Dependence("limit", "limit 500", "unsat")]


def test_what_changes_nothing_is_not_told() -> None:
    assert asked(TRACE, lambda text: "sat") == []
