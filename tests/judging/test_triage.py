"""Triage: who is wrong, by which evidence; in values, and as commands on campaigns and traces."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from campaigns import FAKES
from commands import outcome
from hypothesis import given
from hypothesis import strategies as st
from truth import wrapper
from waiting import wait_for

from murxpy.judging.disagreement import cross_checked, investigate
from murxpy.judging.judged_solver import JudgedSolver
from murxpy.judging.operators import judge_plans
from murxpy.machine.trace.finished import until_row
from murxpy.oracles.disagreement import (
    GivenAnswer,
    ModelEvaluation,
    first_disagreement,
    triage,
    triage_model,
)
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request, make_plans

pytestmark = pytest.mark.usefixtures("kept_solvers")

SAT, UNSAT = GivenAnswer("a", "a 1", "main", "sat"), GivenAnswer("b", "b 2", "judge", "unsat")
GOOD, BAD, DARK = (
    ModelEvaluation("a", "a 1", 3, 0, 0),
    ModelEvaluation("a", "a 1", 2, 1, 0),
    ModelEvaluation("a", "a 1", 2, 0, 1),
)
WAVERING = GivenAnswer("a", "a 1", "variant", "unsat", "seed=7")


def test_the_judge_that_is_named_does_not_depend_on_who_answers_first() -> None:
    said = [(3, "sat", "unsat")]
    assert first_disagreement({2: said, 1: said}) == first_disagreement({1: said, 2: said})


def vote(name: str, answer: str) -> GivenAnswer:
    return GivenAnswer(name, f"{name} 3", "judge", answer)


@pytest.mark.parametrize(
    "models, answers, verdict, culprit, by",
    [
        ([], [], "undecided", "", ""),
        ([GOOD], [vote("c", "unsat")], "refutation-unsoundness", "b", "model"),
        ([BAD], [vote("c", "sat")], "solution-unsoundness", "a", "model"),
        ([DARK], [], "undecided", "", ""),
        ([DARK], [WAVERING], "solution-unsoundness", "a", "itself"),
        ([GOOD], [WAVERING], "refutation-unsoundness", "b", "model"),
        ([], [vote("c", "sat")], "refutation-unsoundness", "b", "vote"),
        ([], [vote("c", "unsat"), vote("d", "unknown")], "solution-unsoundness", "a", "vote"),
        ([], [vote("c", "sat"), vote("d", "unsat")], "undecided", "", ""),
        ([], [WAVERING, GivenAnswer("b", "b 2", "plain", "sat")], "undecided", "", ""),
    ],
)
def test_the_strongest_evidence_decides(
    models: list[ModelEvaluation], answers: list[GivenAnswer], verdict: str, culprit: str, by: str
) -> None:
    for sides in ((SAT, UNSAT), (UNSAT, SAT)):
        found = triage(sides, models, answers)
        assert (found.verdict, found.culprit, found.by) == (verdict, culprit, by)
        assert len(found.evidence) == 2 + len(models) + len(answers)


def test_a_false_model_need_not_be_a_wrong_answer() -> None:
    assert triage_model(SAT, [BAD], [vote("c", "sat")]).verdict == "wrong-model"
    assert triage_model(SAT, [BAD], [vote("c", "unsat")]).verdict == "solution-unsoundness"
    assert triage_model(SAT, [BAD], []).culprit == "a"
    assert triage_model(SAT, [], []).verdict == "undecided"


ANSWER = st.sampled_from(["sat", "unsat", "unknown", ""])


@given(
    st.dictionaries(
        st.integers(1, 3), st.lists(st.tuples(st.integers(1, 9), ANSWER, ANSWER), max_size=6)
    )
)
def test_unknown_disagrees_with_nothing(judged: dict[int, list[tuple[int, str, str]]]) -> None:
    found = first_disagreement(judged)
    opposite = [
        line for answers in judged.values() for line, a, b in answers if {a, b} == {"sat", "unsat"}
    ]
    if not opposite:
        assert found is None
    if found is not None:
        assert found.line in opposite and found.others[found.judge] != found.ours


def test_a_trace_ends_with_the_answer_of_its_check() -> None:
    text = "# h\n1 new\n     return o1\n 2 check-sat\n     answer sat\n 3 push 1\n"
    assert until_row(text, 4) == "# h\n1 new\n     return o1\n 2 check-sat\n     answer sat\n"


# -- commands, on solvers of Boolean formulas as a user's own


@pytest.fixture
def solvers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Makes a solver with flaws, gives the name of its target."""
    monkeypatch.setattr("murxpy.judging.disagreement.TESTS", 150)

    def make(name: str, **flaws: str) -> str:
        file = tmp_path / f"{name}.yaml"
        file.write_text(yaml.safe_dump(wrapper(name, **flaws)))  # type: ignore[arg-type]
        return str(file)

    return make


def campaign(
    solvers: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str], *more: str
) -> Path:
    """The folder of a campaign on a solver that gets xor wrong."""
    left, right, out = solvers("left", flaw="parity"), solvers("right"), tmp_path / "out"
    code, text, _ = outcome(
        capsys,
        "fuzz",
        left,
        "--cross-check",
        right,
        "--runs",
        "8",
        "--jobs",
        "1",
        "--seed",
        "1",
        "--out",
        out,
        *more,
    )
    assert code == 1 and "is judged by right 1.0" in text
    return out


@pytest.mark.slow
def test_what_a_campaign_found_is_triaged_replayed_and_minimized(
    solvers: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = campaign(solvers, tmp_path, capsys, "--cross-check", solvers("third"))
    code, text, _ = outcome(capsys, "triage", out)
    assert code == 0 and "left 1.0" in text and "XOR" in text and "third 1.0 answers" in text
    rows = json.loads(outcome(capsys, "triage", out, "--json")[1])
    assert {(row["culprit"].endswith("left.yaml"), row["by"], row["why"]) for row in rows} == {
        (True, "vote", "")
    }
    trace = Path(rows[0]["trace"])
    judges = f"{tmp_path / 'right.yaml'},{tmp_path / 'third.yaml'}"
    named = ("--solver", tmp_path / "left.yaml", "--cross-check", judges)
    code, text, _ = outcome(capsys, "replay", trace, *named)
    assert (
        code == 1
        and text.startswith("disagreement: line ")
        and "\nbeside that: no finding (" in text
    )
    assert outcome(capsys, "replay", trace, *named[:2], "--cross-check", "none")[0] == 0
    small = tmp_path / "small.trace"
    code, text, error = outcome(capsys, "minimize", trace, "-o", small, *named)
    assert code == 0 and "unsoundness of left 1.0" in text, error
    kept = small.read_text()
    assert "# cross-check " in kept and "OP_XOR" in kept and kept.count("mk-term") <= 3
    assert outcome(capsys, "replay", small, *named)[0] == 1


@pytest.mark.slow
def test_triage_again_asks_other_judges(
    solvers: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = campaign(solvers, tmp_path, capsys)
    assert {row["verdict"] for row in json.loads(outcome(capsys, "triage", out, "--json")[1])} == {
        "undecided"
    }
    for trace in out.glob("findings/*/*.trace"):
        text = trace.read_text()
        trace.write_text(text.replace("# cross-check ", f"# cross-check {solvers('third')},"))
    judges = f"{tmp_path / 'third.yaml'},{tmp_path / 'right.yaml'}"
    named = ("--solver", tmp_path / "left.yaml", "--cross-check", judges)
    rows = json.loads(outcome(capsys, "triage", out, "--json", "--again", *named)[1])
    assert {row["by"] for row in rows} == {"vote"}
    assert json.loads(outcome(capsys, "triage", out, "--json")[1]) == rows  # it was stored


def test_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], solvers: Callable[..., str]
) -> None:
    cases = (
        (("triage", tmp_path), "no campaign was run here"),
        (("triage", tmp_path / "nowhere"), "there is no such file"),
        (("fuzz", "z3", "--cross-check", "z3"), "--cross-check z3: that is the target itself"),
        (("fuzz", "z3", "--cross-check", "zz3"), "unknown solver 'zz3'"),
        (("fuzz", "z3", "--cross-check", "cvc5@/nowhere"), "there is no folder /nowhere"),
        (("fuzz", "z3", "--cross-check", "cvc5,"), "expected names with commas"),
    )
    for args, message in cases:
        code, _, error = outcome(capsys, *args)
        assert code in (2, 4) and message in error and error.count("\n") == 1, error


def test_trace_without_disagreement_is_not_minimized(
    solvers: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = tmp_path / "t.trace"
    trace.write_text(
        "1 new\n     return o1\n1 mk-sort SORT_BOOL\n     return s1\n1 mk-value s1 true\n     return t1 s1\n"
        "1 assert-formula t1\n1 check-sat\n"
    )
    left, right = solvers("left", flaw="parity"), solvers("right")
    code, text, _ = outcome(capsys, "replay", trace, "--wrapper", left, "--cross-check", right)
    assert code == 0 and "right 1.0 agrees on 1 of 1 check" in text
    code, _, error = outcome(capsys, "minimize", trace, "--wrapper", left, "--cross-check", right)
    assert code == 2 and "it shows no disagreement with right 1.0" in error


@pytest.mark.slow
def test_killed_campaign_goes_on_and_counts_each_disagreement_once(
    solvers: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left, right = solvers("left", flaw="parity"), solvers("right")
    base = ["fuzz", left, "--cross-check", right, "--jobs", "1", "--seed", "1"]
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    outcome(capsys, *base, "--runs", "6", "--out", whole)
    command = [sys.executable, "-m", "murxpy", *base, "--time", "60s", "--out", str(pieces)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: any(pieces.glob("findings/*/*.trace")))
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    outcome(capsys, *base, "--runs", "6", "--out", pieces)

    def seeds(out: Path) -> list[str]:
        with closing(sqlite3.connect(out / "campaign.sqlite")) as db:
            return sorted(seed for (seed,) in db.execute("SELECT seed FROM findings WHERE run < 6"))

    assert seeds(pieces) == seeds(whole) != []


def test_the_model_of_a_whole_script_is_evidence() -> None:
    rows = "(declare-const a Bool)\\u{a}(assert (xor a true))\\u{a}(check-sat)\\u{a}"
    text = f'# murxpy-trace 1\n# solver fake 1.0\n1 new\n1 run-script "{rows}"\n'
    (plan,) = make_plans(Request((f"fake@{FAKES}",), wrapper=str(FAKES / "scripts.yaml")))
    with closing(JudgedSolver(plan, judge_plans(("z3",)), Limits())) as solver:
        _, case = solver.answer(cross_checked(solver.solvers, text))
        assert case is not None
        solved = solver.answer(investigate(solver.solvers, case))
    assert (solved.triage.verdict, solved.triage.by) == ("refutation-unsoundness", "model")
    assert "all 1 assertions are true under the model of z3" in "".join(solved.triage.evidence)
