"""What a judge gets of a trace, and what it answers."""

from __future__ import annotations

from typing import Any

import pytest
from toy import toy_session

from murxpy.machine.outcomes import Refused
from murxpy.machine.replaying.judging import decided_part
from murxpy.machine.run import Run
from murxpy.machine.trace.grammar import parse_trace

HEAD = """# murxpy-trace 1
# solver other 1.0
1 new
      return o1
2 mk-sort SORT_BOOL
      return s1
3 mk-const s1 "a"
      return t1 s1
4 mk-const s1 "b"
      return t2 s1
5 mk-term OP_NOT SORT_BOOL 1 t1
      return t3 s1
"""


def actions(rows: str, changing: tuple[str, ...] = ()) -> list[str]:
    """The actions of what a judge gets of these lines, without those that make something."""
    lines = decided_part(parse_trace(HEAD + rows, "t").lines, changing)
    return [line.action for line in lines if not line.action.startswith("mk-")]


def made(rows: str) -> list[str]:
    lines = decided_part(parse_trace(HEAD + rows, "t").lines)
    return [str(line.args[-1]) for line in lines if line.action.startswith("mk-")]


ASSERTED = "6 assert-formula t1\n"
CHECKED = "7 check-sat\n      answer unsat\n"


def test_only_what_a_decided_check_depends_on() -> None:
    rows = f"{ASSERTED}1 set-option fast true\n1 get-info\n{CHECKED}1 simplify t3\n1 assert-formula t2\n8 check-sat\n      answer unknown\n"
    assert actions(rows) == ["new", "assert-formula", "check-sat"]
    assert made(rows) == ["SORT_BOOL", '"a"']


def test_only_a_logic_with_functions_as_values_is_kept() -> None:
    assert actions(f"1 set-logic QF_UF\n{ASSERTED}{CHECKED}") == [
        "new",
        "assert-formula",
        "check-sat",
    ]
    kept = ["new", "set-logic", "assert-formula", "check-sat"]
    assert actions(f"1 set-logic HO_ALL\n{ASSERTED}{CHECKED}") == kept


def test_nothing_without_a_decided_check() -> None:
    assert actions(ASSERTED) == []
    assert actions(f"{ASSERTED}7 check-sat\n      answer unknown\n") == []
    assert actions(f"{ASSERTED}7 check-sat\n") == []


def test_nothing_behind_a_refused_call_of_the_solver() -> None:
    rows = f'{ASSERTED}{CHECKED}1 push 1\n      refused unsupported "E: no"\n{CHECKED}'
    assert actions(rows) == ["new", "assert-formula", "check-sat"]
    rows = f'{ASSERTED}1 simplify t1\n      refused unsupported "E: no"\n{CHECKED}'
    assert actions(rows) == ["new", "assert-formula", "check-sat"]


def test_a_refused_script_says_nothing_of_those_behind_it() -> None:
    rows = (
        '7 run-script "a"\n      refused unsupported "E: no"\n8 run-script "b"\n      answer sat\n'
    )
    assert actions(rows) == ["new", "run-script"]


def test_a_judge_that_declines_a_script_goes_on_with_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def answered(run: Run, text: str, seed: int, spelling: str | None = None) -> str:
        if text == "a":
            raise Refused("unsupported", "no")
        return "sat\n"

    monkeypatch.setattr("murxpy.machine.script.run_script", answered)
    report = judged('7 run-script "a"\n      answer sat\n8 run-script "b"\n      answer sat\n')
    assert [now for _, _, now in report["answers"]] == ["sat"] and report["counts"][
        "judge:declined"
    ] == 1


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        ("unknown (INCOMPLETE)", "gave-up"),
        ('unknown\n(:reason-unknown "(incomplete quantifiers)")', "gave-up"),
        ('unknown\n(:reason-unknown "max. resource limit exceeded")', "unknown"),
        ("unknown (TIMEOUT)", "unknown"),
        ("unknown", "unknown"),
        ('sat\n(:reason-unknown "incomplete")', "sat"),
    ],
)
def test_a_judge_says_whether_it_gave_up(
    monkeypatch: pytest.MonkeyPatch, printed: str, told: str
) -> None:
    """Where the solver says why: a limit is no reason of its own."""
    monkeypatch.setattr(
        "murxpy.machine.script.run_script", lambda run, text, seed, spelling: printed
    )
    rows = '7 run-script "a"\n      answer sat\n'
    assert [now for _, _, now in judged(rows, reasons=True)["answers"]] == [told]
    plain = "sat" if told == "sat" else "unknown"
    assert [now for _, _, now in judged(rows)["answers"]] == [plain]


def test_a_judge_answers_only_the_scripts_that_it_is_asked_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The file of answers knows the others; a script depends on no other one."""
    asked: list[str] = []
    monkeypatch.setattr(
        "murxpy.machine.script.run_script",
        lambda run, text, seed, spelling: asked.append(text) or "sat",
    )
    rows = "".join(f'7 run-script "{name}"\n      answer sat\n' for name in "abc")
    report = judged(rows, only=[15])
    assert asked == ["b"] and report["answers"] == [(15, "sat", "sat")]


def test_nothing_behind_an_action_that_asserts_more_until_a_reset() -> None:
    rows = f"{ASSERTED}{CHECKED}1 other-block\n{CHECKED}1 reset-assertions\n{ASSERTED}{CHECKED}"
    assert actions(rows).count("check-sat") == 3
    assert actions(rows, ("other-block",)) == [
        "new",
        "assert-formula",
        "check-sat",
        "reset-assertions",
        "assert-formula",
        "check-sat",
    ]


def judged(rows: str, **options: Any) -> dict[str, Any]:
    return toy_session().judge(HEAD + rows, "t.trace", lambda text: None, options)


def test_answers_have_the_line_and_both_answers() -> None:
    report = judged(f"{ASSERTED}{CHECKED}{ASSERTED}8 check-sat-assuming 1 t3\n      answer sat\n")
    assert report["status"] == "ok"
    assert report["answers"] == [(14, "unsat", "sat"), (17, "sat", "sat")]


def test_an_assertion_that_is_declined_ends_the_judging() -> None:
    number = '1 mk-sort SORT_INT\n      return s2\n1 mk-value s2 "1"\n      return t4 s2\n'
    quotient = "1 mk-term OP_INT_DIV SORT_INT 2 t4 t4\n      return t5 s2\n1 mk-term OP_EQUAL SORT_BOOL 2 t5 t4\n      return t6 s1\n"
    rows = f"{number}{quotient}{ASSERTED}{CHECKED}1 assert-formula t6\n{CHECKED}"
    report = judged(rows)
    assert len(report["answers"]) == 1 and report["counts"]["judge:declined"] == 1


def test_judge_has_a_limit_of_its_own() -> None:
    written: list[str] = []
    rows = HEAD + ASSERTED + "1 set-limit 600\n" + CHECKED
    session = toy_session()
    session.judge(rows, "t.trace", written.append, {"limit": 7})
    assert "set-limit@default 7\n" in "".join(written) and "600" not in "".join(written)


def test_judge_has_a_wall_time_of_its_own_where_the_trace_has_one() -> None:
    written: list[str] = []
    rows = HEAD + ASSERTED + "1 set-limit 600 30\n" + CHECKED
    session = toy_session()
    session.judge(rows, "t.trace", written.append, {"limit": 70})
    assert "set-limit@default 70 140\n" in "".join(written)


def test_malformed_trace() -> None:
    report = toy_session().judge("nonsense!", "t.trace", lambda text: None, {})
    assert report["status"] == "malformed" and report["message"].startswith("t.trace:1:")
    report = judged("6 assert-formula t9\n" + CHECKED)
    assert report["status"] == "malformed" and "unknown term t9" in report["message"]
