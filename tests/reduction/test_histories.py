"""Findings that need the runs before them: fewer runs, then smaller traces, in one replay or
several of one process.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import run as campaign_of
from commands import outcome
from plants import EXAMPLE, planted

from murxpy.campaign.behind.process import answer
from murxpy.campaign.behind.requests import Request
from murxpy.errors import InputError
from murxpy.findings.origin import holds_traces
from murxpy.findings.replayed import replay_texts, walk_seeds
from murxpy.machine.trace.grammar import parse_trace
from murxpy.processes.targets import Plan
from murxpy.records.finding import Reproducer
from murxpy.reduction.histories import Run, join, minimize_history, minimize_joined, parts
from murxpy.reduction.pipeline import Task

pytestmark = pytest.mark.usefixtures("kept_solvers")

FAULT = {"at": "check-sat", "earlier": "OP_BV_EXTRACT", "made": ["OP_INT_ADD"], "how": "segfault"}


def lines(text: str) -> list[str]:
    return [" ".join([line.action, *map(str, line.args)]) for line in parse_trace(text, "t").lines]


@pytest.fixture(scope="module")
def history() -> tuple[Run, ...]:
    """Runs of which the last one dies, with more before it than it needs."""
    plan = planted(**FAULT)
    for first in range(1, 60, 6):
        runs = [(seed, ()) for seed in range(first, first + 24)]
        replayed = walk_seeds(plan, runs)
        if replayed.found is not None and len(replayed.outcomes) >= 3:
            return tuple(runs[: len(replayed.outcomes)])
    raise AssertionError("no runs show the fault")


SMALLEST = [
    "new",
    "mk-sort SORT_BV 1",
    'mk-const s1 "a"',
    "mk-term OP_BV_EXTRACT SORT_BV 1 t1 2 0 0",
    "delete",
    "new",
    "mk-sort SORT_INT",
    'mk-const s2 "a"',
    "mk-term OP_INT_ADD SORT_INT 2 t3 t3",
    "check-sat",
]


@pytest.mark.parametrize("joined", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_history_becomes_the_smallest(history: tuple[Run, ...], joined: bool) -> None:
    plan = planted(**FAULT, joined=joined)
    reduced = minimize_history(Task(plan, "h.history"), history)
    assert reduced.apart is not joined, (
        "one trace shows it where the solver keeps its state within a replay"
    )
    assert (reduced.runs, reduced.runs_before) == (2, len(history))
    assert len(lines(reduced.result.text)) <= len(SMALLEST) + 2
    texts = parts(reduced.result.text) if reduced.apart else [reduced.result.text]
    assert replay_texts(plan, texts, "h").found is not None
    again = minimize_joined(Task(plan, "h.min.history"), reduced.result.text)
    assert again.result.after <= reduced.result.after


def test_a_history_that_shows_nothing_is_an_error(history: tuple[Run, ...]) -> None:
    with pytest.raises(InputError, match=r"h.history: it shows no finding in 3 replays"):
        minimize_history(Task(planted(at="gc", how="segfault"), "h.history"), history[:1])


def test_runs_are_joined_and_cut_again() -> None:
    joined = join([EXAMPLE, EXAMPLE, EXAMPLE])
    assert [len(lines(part)) for part in parts(joined)] == [11, 11, 10]
    ids = [
        token
        for line in parse_trace(joined, "t").lines
        for token in line.result("return") or ()
        if str(token)[0] == "t"
    ]
    assert len(ids) == len(set(ids)), "no id is returned twice"
    assert joined.count("delete") == 2


def test_the_commands_take_histories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    campaign_of(tmp_path, {"every": {"history": 1}}, runs=4, jobs=1)
    (file,) = (tmp_path / "findings").glob("*/*.history")
    assert not holds_traces(file)
    code, _, err = outcome(capsys, "minimize", file, "--command", "true")
    assert code == 2 and "--command is for a trace" in err
    traces = tmp_path / "1.min.history"
    traces.write_text(
        "# murxpy-trace 1\n# solver z3 5.4.0\n0 new\n0 check-sat\n0 delete\n0 new\n0 push 1\n"
    )
    assert holds_traces(traces)
    code, out, _ = outcome(capsys, "replay", traces)
    assert code == 0, out
    code, _, err = outcome(capsys, "minimize", traces)
    assert code == 2 and "it shows no finding" in err


@pytest.fixture(scope="module")
def three(history: tuple[Run, ...]) -> tuple[Run, ...]:
    """Three runs, of which the first two are the same, and the last one dies behind either."""
    plan = planted(**FAULT)
    for run in history[:-1]:
        if walk_seeds(plan, [run, history[-1]]).found is not None:
            return run, run, history[-1]
    raise AssertionError("the fault needs more than one run before it")


def forms_of(runs: tuple[Run, ...], folder: Path, plan: Plan) -> dict[str, Reproducer]:
    """The forms that a campaign makes of a finding that needs these runs."""
    file = folder / "00000000000000aa.history"
    file.write_text("".join(f"{seed:x} []\n" for seed, _ in runs))
    request = Request("crash-a", "crash", "", str(file), 0, minimize=True, replays=12)
    return {form.form: form for form in answer(request, plan).reproducers}


def test_a_campaign_makes_two_runs_of_a_history(three: tuple[Run, ...], tmp_path: Path) -> None:
    forms = forms_of(three, tmp_path, planted(**FAULT))
    assert forms["min.history"].reproduces and forms["trace"].reproduces is False
    assert "several runs" in forms["smt2"].note
    assert len(parts(Path(forms["min.history"].file).read_text())) == 2


@pytest.mark.slow
def test_runs_that_do_not_show_it_each_time_are_tried_five_times(
    three: tuple[Run, ...], tmp_path: Path
) -> None:
    """The fault shows in each third run, so these two runs show it one time of three."""
    plan = planted(**FAULT, turns=str(tmp_path / "turns"), of=3)
    forms = forms_of(three[1:], tmp_path, plan)
    assert "min.history" in forms, forms["min.trace"].note
    assert len(parts(Path(forms["min.history"].file).read_text())) == 2
