"""The limit of a judge is its own, stands in the trace, and bounds what a judge spends on a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import outcome
from test_judging import HEAD
from toy import toy_session
from truth import truth

from murxpy.campaign.campaign import Campaign
from murxpy.data import load_wrapper
from murxpy.errors import InputError
from murxpy.judging.disagreement import Case, CaseQuestions, without_judges
from murxpy.judging.limits import own_limit, parse_limits
from murxpy.judging.solvers import Solvers
from murxpy.machine.replaying.judging import PATIENCE
from murxpy.machine.tokens import quote
from murxpy.oracles.disagreement import confirmed, decided_lines
from murxpy.processes.limits import MIB, Limits
from murxpy.records.config import CampaignConfig

pytestmark = pytest.mark.usefixtures("kept_solvers")

LINES = "1 new\n      return o1\n2 check-sat\n      answer sat\n"


def solvers(limit: int = 5) -> Solvers:
    return Solvers((truth("left"), truth("right")), ("left 1.0", "right 1.0"), (limit, limit))


def test_a_limit_is_in_the_unit_of_the_judge() -> None:
    plan = truth("left")
    assert own_limit(plan, 200.0) == 200 and own_limit(plan, 0.0) == 0
    for solver in ("z3", "cvc5"):
        plan.setup["wrapper"].update(load_wrapper(solver))
        assert own_limit(plan, 10.0) == 10 * plan.setup["wrapper"]["limit-per-ms"]


def test_the_limits_in_a_header_are_those_of_a_replay() -> None:
    trace = f"# murxpy-trace 1\n# solver left 1.0\n{LINES}"
    named = CaseQuestions(solvers(), Case(0, 1, (1,), trace, 4, "sat")).named(trace)
    assert "# cross-check right\n# judge-limits right=5\n" in named
    assert list(solvers(7).of_trace(named).limits) == [7, 5]
    assert list(solvers(7).of_trace(trace).limits) == [7, 7]
    assert without_judges(named) == trace
    changed = CaseQuestions(solvers(7), Case(0, 1, (1,), named, 4, "sat")).named(named)
    assert changed == named


@pytest.mark.parametrize(
    "text", ["right", "right=x", "right=-1", "=5", "right=²", "right=" + 30 * "9"]
)
def test_limits_that_are_none_are_an_error(text: str) -> None:
    with pytest.raises(InputError, match="judge-limits: expected JUDGE=LIMIT"):
        parse_limits(text, "t.trace")
    with pytest.raises(InputError):
        solvers().of_trace(f"# murxpy-trace 1\n# judge-limits {text}\n{LINES}")


@pytest.mark.slow
def test_stored_disagreements_name_the_limits(tmp_path: Path) -> None:
    limits = Limits(wall=30.0, memory=500 * MIB, judge_ms=123.0)
    plans = (truth("left", flaw="parity"), truth("right"), truth("third"))
    campaign = Campaign(
        CampaignConfig(
            plans[:1], tmp_path, 1, 1, None, 4, limits=limits, backtrace=False, judges=plans[1:]
        )
    )
    list(campaign)
    texts = [
        (tmp_path / kept.file).read_text() for bucket in campaign.buckets for kept in bucket.traces
    ]
    assert texts and all("\n# judge-limits right=123,third=123\n" in text for text in texts)


def test_a_judge_gives_up_a_run_that_it_cannot_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    session = toy_session()
    undecided = "6 assert-formula t1\n" + 40 * "7 check-sat\n      answer sat\n"
    check = session.wrapper.set("actions", "check-sat")
    assert check is not None
    monkeypatch.setattr(check.spellings[0], "call", lambda *args: "unknown")
    report = session.judge(HEAD + undecided, "t.trace", lambda text: None, {})
    assert len(report["answers"]) == PATIENCE + 1 and report["counts"]["judge:given-up"] == 1


def test_confirmed_are_checks_that_a_judge_answers_alike_and_none_otherwise() -> None:
    answers = {
        1: [(4, "sat", "sat"), (6, "unsat", "unknown"), (8, "sat", "sat"), (9, "unknown", "sat")],
        2: [(8, "sat", "unsat")],
    }
    assert confirmed(answers) == {4}


def test_decided_checks_are_counted_by_line() -> None:
    rows = (
        "1 check-sat@x\n      answer unknown\n"
        '2 run-script "x"\n      answer unknown\n      answer sat\n      answer unsat\n3 check-sat\n'
    )
    assert decided_lines(f"# murxpy-trace 1\n{rows}{LINES}") == [4, 11]


def test_a_judge_sets_its_own_options_in_whole_scripts_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    declared = "(declare-fun f (Int) Int)\n(declare-fun p (Int) Bool)\n(declare-fun q (Int) Bool)\n"
    text = f"(set-logic ALL)\n{declared}(assert (forall ((x Int)) (=> (p x) (q (f x)))))\n(assert (p (f 7)))\n(check-sat)\n"
    file = tmp_path / "t.trace"
    file.write_text(
        f"# murxpy-trace 1\n# solver z3 1.0\n# cross-check cvc5\n1 new\n2 run-script {quote(text)}\n"
    )
    code, out, _ = outcome(capsys, "replay", file)
    assert code == 0 and "agrees on 1 of 1 check that both decide, and was asked 1" in out
