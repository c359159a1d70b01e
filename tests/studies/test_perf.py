"""The search for slow scripts, on fake solvers whose costs are planted."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest
from campaigns import FAKES
from commands import error, outcome
from wheels import SOURCE

from murxpy.cli.report.text import amount
from murxpy.cli.studies.perf import best_of_rounds, outcome_lines
from murxpy.oracles.crash import Outcome
from murxpy.passes.reduction import OutOfReplays
from murxpy.studies.performance import campaign, minimizing
from murxpy.studies.performance.campaign import FILE, SearchTotals
from murxpy.studies.performance.search import MUTATE, NEW, Agents, gain_of
from murxpy.studies.performance.solvers import Weight, margin, weight_of

pytestmark = pytest.mark.usefixtures("kept_solvers")

ALONE = """
import os
import time

_spent = 0

def cost_of(text):
    return {cost}

def run_alone(text, limit, wall_ms):
    cost = cost_of(text)
    if not limit:  # by the clock
        end = time.process_time() + min(cost / 10, wall_ms, 200) / 1000
        while time.process_time() < end:
            pass
    if cost == 66:
        os.abort()
    if cost == 55:
        return ("unknown\\n", 5)
    said = "unsat" if cost == 77 else "sat"
    return ("unknown\\n", limit) if limit and cost > limit else (said + "\\n", cost)

def weighed(text):
    global _spent
    _spent += cost_of(text)
    if {again} and cost_of(text) == 66:
        os.abort()
    if cost_of(text) == 55:
        return "unknown (INCOMPLETE)\\n"
    return "unsat\\n" if {again} and cost_of(text) == 77 else "sat\\n"

def spent():
    return _spent
"""
COSTS = {
    "quick": "20",
    "slow-at-xor": "100 + 2000 * text.count('(xor ') ** 2",
    "even": "100 + 10 * len(text)",
    "refusing": "1 / 0",
    "wrong": "77",
    "dying": "66",
    "giving-up": "55",
    "hungry": "len(bytearray(b'x') * (700 << 20)) and time.sleep(5) or 20",
}


NEVER_SLOW = ("--query", "900ms", "--stale", "8")  # no script can cost a second


def solver(folder: Path, cost: str, again: bool = True) -> str:
    """A target with these costs. Without `again`, a replay shows no bug. It lies beside the folder of
    the test, so that the next test finds it loaded.
    """
    target = folder.parent / "solvers" / (cost if again else f"{cost}-once")
    package = target / "fakesolver"
    if not package.exists():
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(
            SOURCE["__init__.py"] + ALONE.format(cost=COSTS[cost], again=again)
        )
        (target / "faults.py").write_text((FAKES / "faults.py").read_text())
    return f"fake@{target}"


def wrapper(folder: Path) -> Path:
    """The file of a wrapper of the fake solver that weighs scripts: a unit is a tenth of a microsecond."""
    file = folder / "scripts.yaml"
    file.write_text(
        (FAKES / "scripts.yaml").read_text().replace("f.run_script({v})", "f.weighed({v})")
        + 'limit-per-ms: 10\nreaders: {alone: "f.run_alone({v}, {0}, {1})", script-cost: "f.spent()"}\n'
    )
    return file


def perf(folder: Path, *words: str | Path, out: str = "out") -> tuple[str | Path, ...]:
    """A command that searches where xor is slow."""
    return (
        *("perf", solver(folder, "slow-at-xor"), "--reference", solver(folder, "quick")),
        *("--wrapper", wrapper(folder), "--theories", "BOOL", "--out", folder / out, *words),
    )


def journal(folder: Path, out: str = "out") -> list[dict[str, object]]:
    """The lines of a journal behind its head."""
    lines = (folder / out / FILE).read_text().splitlines()
    return [json.loads(line) for line in lines[1:]]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script is slow from a twentieth of a second on."""
    for module in (minimizing, campaign):
        monkeypatch.setattr(module, "SECOND", 50.0)
    monkeypatch.setattr(minimizing, "TIMES", 1)


@pytest.mark.usefixtures("quick")
def test_the_search_finds_what_is_slow_and_makes_it_small(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = perf(tmp_path, "--steps", "60", "--query", "400ms", "--stale", "20", "--jobs", "2")
    code, out, _ = outcome(capsys, *words)
    assert code == 1 and "60 scripts weighed" in out
    (found,) = [line for line in out.splitlines() if line.startswith("slow: ") and " xor" in line]
    assert "slow-reference-fake-run-script-xor" in found and found.count(" in 0.") == 2
    rounds = [line for line in journal(tmp_path) if "round" in line]
    assert rounds[0]["operators"] == ["OP_XOR"]
    # it is a finding like any other
    ended, listed, _ = outcome(capsys, "findings", tmp_path / "out")
    assert ended == 0 and "by another solver" in listed
    (trace,) = (tmp_path / "out" / "findings").glob("*xor*/*.trace")
    assert "(set-info :slow-cause |xor|)" in trace.read_text()
    again = ("--solver", solver(tmp_path, "slow-at-xor"), "--wrapper", wrapper(tmp_path))
    replayed = outcome(capsys, "replay", trace, *again)
    assert replayed[0] == 1 and "slow" in replayed[1], replayed
    # its page has the search and its findings
    page = tmp_path / "p.html"
    assert outcome(capsys, "report", tmp_path / "out", "--html", page)[0] == 0
    shown = page.read_text()
    assert "Slow scripts, by the clock" in shown and "OP_XOR" in shown and "<svg" in shown
    assert "Best scripts of rounds solved, each within so many ms" in shown
    told = outcome(capsys, "report", tmp_path / "out")[1]
    assert "scripts weighed in" in told and "OP_XOR" in told and "slow-against-reference" in told
    assert f'id="{trace.parent.name}"' in shown
    # the next start tells the same, and nothing is new
    code, again, _ = outcome(capsys, *words)
    assert code == 0 and found in again.splitlines()


@pytest.mark.usefixtures("quick")
def test_what_only_counts_much_is_no_finding(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaign, "confirmed", lambda rows, targets: False)
    code, out, _ = outcome(capsys, *perf(tmp_path, "--steps", "12", "--query", "400ms"))
    assert code == 0 and ": 0 slow scripts" in out and ", 0 not slow by the clock" not in out


def test_the_same_seed_gives_the_same_journal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    texts = []
    for out, seed in (("a", "7"), ("b", "7"), ("c", "8")):
        words = perf(tmp_path, "--steps", "40", *NEVER_SLOW, "--seed", seed, out=out)
        told = outcome(capsys, *words)[2]
        texts.append((tmp_path / out / FILE).read_bytes())
    assert texts[0] == texts[1] != texts[2]
    assert "no script can be a finding" in told


@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.slow), "3"])
def test_a_search_goes_on_where_it_was_killed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, jobs: str
) -> None:
    words = (*NEVER_SLOW, "--jobs", jobs)
    outcome(capsys, *perf(tmp_path, "--steps", "36", *words, out="whole"))
    whole = (tmp_path / "whole" / FILE).read_text()
    assert len(whole.splitlines()) > 36
    outcome(capsys, *perf(tmp_path, "--steps", "20", *words, out="parts"))
    file = tmp_path / "parts" / FILE
    file.write_text(file.read_text()[:-30])  # in the middle of a line
    outcome(capsys, *perf(tmp_path, "--steps", "36", *words, out="parts"))
    assert file.read_text() == whole


def test_a_folder_takes_no_other_search(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    outcome(capsys, *perf(tmp_path, "--steps", "2", *NEVER_SLOW))
    code, message = error(capsys, *perf(tmp_path, "--steps", "4", *NEVER_SLOW, "--seed", "2"))
    assert code == 2 and "this folder has a search with seed 1, not 2" in message


@pytest.mark.parametrize("wrong", ["wrong", "dying"])
def test_bugs_are_kept_as_findings(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, wrong: str
) -> None:
    words = ("perf", solver(tmp_path, "even"), "--reference", solver(tmp_path, wrong))
    more = ("--wrapper", wrapper(tmp_path), "--theories", "BOOL", "--out", tmp_path / "out")
    code, out, err = outcome(capsys, *words, *more, "--steps", "2", *NEVER_SLOW)
    assert code == 1, err
    kept = sorted((tmp_path / "out" / "findings").glob("*/*.trace"))
    said = "with opposite answers" if wrong == "wrong" else "of which a solver died"
    assert kept and f"{amount(len(kept), 'script')} {said}" in out, (out, err)
    if wrong == "dying":
        code, shown, err = outcome(capsys, "replay", kept[0], "--solver", words[3], *more[:2])
        assert code == 1 and "SIGABRT" in shown, (shown, err)
    assert outcome(capsys, *words, *more, "--steps", "2", *NEVER_SLOW)[0] == 0  # nothing new


def test_a_bug_that_no_replay_shows_is_kept_apart(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("perf", solver(tmp_path, "even"), "--reference", solver(tmp_path, "wrong", False))
    more = ("--wrapper", wrapper(tmp_path), "--theories", "BOOL", "--out", tmp_path / "out")
    code, _, err = outcome(capsys, *words, *more, "--steps", "1", *NEVER_SLOW)
    (kept,) = (tmp_path / "out" / "odd").iterdir()
    assert code == 1 and "but not in a replay" in err and "(check-sat)" in kept.read_text()


def test_a_script_on_which_only_the_target_gives_up_is_a_finding(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("perf", solver(tmp_path, "giving-up"), "--reference", solver(tmp_path, "quick"))
    more = ("--wrapper", wrapper(tmp_path), "--theories", "BOOL", "--out", tmp_path / "out")
    code, out, err = outcome(capsys, *words, *more, "--steps", "3", *NEVER_SLOW)
    assert code == 1 and "on 3 scripts a target gives up and the references do not" in out, (
        out + err
    )
    # it has the margin of a script that reaches the whole limit, and is the best script of no round
    for line in journal(tmp_path):
        (_, _, limit), (_, ms, _) = cast(list[tuple[str, float, float]], line["weights"])
        assert limit == 900 and line["margin"] == 2 * 900 - ms
    assert "greatest margin: 1.79" in out and "round 1 is not over" not in out
    (bucket,) = (tmp_path / "out" / "findings").glob("incompleteness-baseline-*")
    trace = min(bucket.glob("*.trace"))
    assert "# baseline fake@" in trace.read_text()
    # what it cost each of them is told and kept
    costs = json.loads((bucket / "costs.json").read_text())
    assert [row["solver"].rpartition("/")[2] for row in costs] == ["giving-up", "quick"]
    assert costs[0]["answer"] == "unknown" and costs[1]["answer"] in ("sat", "unsat")
    told = " ".join(err.split())
    assert f"giving-up unknown after {costs[0]['ms']:.1f} ms" in told
    assert f"quick {costs[1]['answer']} after {costs[1]['ms']:.1f} ms" in told
    for solved, shown in (("giving-up", 1), ("quick", 0)):
        named = ("--solver", solver(tmp_path, solved), "--wrapper", wrapper(tmp_path))
        assert outcome(capsys, "replay", trace, *named)[0] == shown
    # where it is the reference that gives up, that is counted
    words = ("perf", solver(tmp_path, "quick"), "--reference", solver(tmp_path, "giving-up"))
    words = (*words, *more[:4], "--out", tmp_path / "turned")
    code, out, err = outcome(capsys, *words, "--steps", "3", *NEVER_SLOW)
    assert code == 0 and "on 3 scripts a reference gives up and the targets do not" in out, (
        out + err
    )
    # where the reference gives up, too, or there is none, it is no finding
    words = ("perf", solver(tmp_path, "giving-up"), *more[:4], "--out", tmp_path / "alone")
    assert outcome(capsys, *words, "--steps", "3", *NEVER_SLOW)[0] == 0


def test_the_script_with_the_greatest_margin_is_there_whatever_ends_the_search(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = perf(tmp_path, "--steps", "25", *NEVER_SLOW)
    _, out, _ = outcome(capsys, *words)
    best = tmp_path / "out" / "best"
    kept = json.loads((best / "costs.json").read_text())
    margins = [cast(float, line["margin"] or 0) for line in journal(tmp_path) if "margin" in line]
    assert (
        kept["margin-ms"] == max(margins) > 0 and "(check-sat)" in (best / "fake.smt2").read_text()
    )
    assert [row["solver"].rpartition("/")[2] for row in kept["costs"]] == ["slow-at-xor", "quick"]
    assert all(row["memory-mib"] > 1 for row in kept["costs"])
    assert f"greatest margin: {max(margins) / 1000:.3f} s at step {kept['step']}" in out


@pytest.mark.usefixtures("quick")
def test_a_reduction_ends_with_the_time(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reduction that has no end of its own is stopped when half of the time that was left is over, and
    what it has is measured.
    """

    def endless(slow: minimizing.Slow, weighing: Any, *_: object) -> minimizing.Slow:
        with suppress(OutOfReplays):
            while True:
                weighing.__self__.step()
        return slow

    monkeypatch.setattr(campaign, "minimized", endless)
    begin = time.monotonic()
    words = perf(tmp_path, "--time", "6s", "--query", "400ms", "--stale", "5")
    _, out, err = outcome(capsys, *words)
    assert "a script of" in err and "greatest margin" in out, out + err
    assert time.monotonic() < begin + 30  # loading the solvers is not counted
    assert not [line for line in journal(tmp_path) if "round" in line]  # it is ended another time


def test_one_agent_takes_turns() -> None:
    agents = Agents(1, ["OP_A", "OP_B"], one=True)
    loops = [agents.choose(number, ["OP_A", "OP_B"]).loop for number in range(6)]
    assert loops == [NEW, MUTATE] * 3


def test_two_targets_must_both_be_slow(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The margin is that of the faster target."""
    slow, even, quick = [solver(tmp_path, cost) for cost in ("slow-at-xor", "even", "quick")]
    words = ("perf", slow, even, "--reference", quick, "--wrapper", wrapper(tmp_path))
    more = ("--theories", "BOOL", "--out", tmp_path / "out", "--steps", "15", *NEVER_SLOW)
    outcome(capsys, *words, *more)
    whole = [line for line in journal(tmp_path) if len(cast(list[Any], line["weights"])) == 3]
    assert whole
    for line in whole:
        weights = cast(list[tuple[str, float, float]], line["weights"])
        decided = [answer in ("sat", "unsat") for answer, _, _ in weights]
        first, second, reference = [
            ms if solved else 2 * limit
            for (_, ms, limit), solved in zip(weights, decided, strict=True)
        ]
        # a reference that does not decide it shows nothing of the targets
        expected = pytest.approx(min(first, second) - reference) if decided[-1] else None
        assert line["margin"] == expected


def test_what_a_solver_refuses_is_no_margin(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("perf", solver(tmp_path, "refusing"), "--wrapper", wrapper(tmp_path))
    more = ("--theories", "BOOL", "--out", tmp_path / "out", "--steps", "5")
    told = outcome(capsys, *words, *more)[2]
    assert [line["margin"] for line in journal(tmp_path)] == [None] * 5
    assert told.count("answers 'crash' to a script") == 1 and "ZeroDivisionError" in told


def test_a_lack_of_memory_is_no_margin() -> None:
    given = weight_of(Outcome("memory"), 100.0, 1000, 10.0, 1400.0)
    assert (given.answer, given.counts) == ("memory", False)


@pytest.mark.slow
def test_a_solver_that_takes_more_than_its_memory_is_ended(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("perf", solver(tmp_path, "hungry"), "--wrapper", wrapper(tmp_path), "--memory", "300m")
    more = ("--theories", "BOOL", "--out", tmp_path / "out", "--steps", "1")
    outcome(capsys, *words, *more)
    ((answer, _, _),) = cast(list[tuple[str, float, float]], journal(tmp_path)[0]["weights"])
    assert answer == "memory"


def test_operators_that_a_release_does_not_read_do_not_occur(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = wrapper(tmp_path)
    file.write_text(file.read_text() + 'script-since: {OP_XOR: "99.0"}\n')
    words = ("perf", solver(tmp_path, "quick"), "--wrapper", file, "--theories", "BOOL")
    others = "not,and,or,=>,=,distinct,ite"
    code, message = error(capsys, *words, "--ban", others, "--out", tmp_path / "out")
    assert code == 2 and "no operator that is left gives a formula" in message


def test_limits_follow_the_best_margin(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    outcome(capsys, *perf(tmp_path, "--steps", "40", "--depth", "4", *NEVER_SLOW))
    best = 0.0
    for line in journal(tmp_path):
        if "round" in line:
            best = 0.0
            continue
        (answer, _, limit), *behind = cast(list[tuple[str, float, float]], line["weights"])
        least = min(900.0, max(100.0, 1.1 * best))
        raised = [min(900.0, least * 4**times) for times in range(5)]
        assert any(limit == pytest.approx(one) for one in raised)
        assert limit == pytest.approx(least) or answer != "exhausted" or behind
        margin = cast(float | None, line["margin"])
        best = max(best, margin or 0.0)


def test_a_gain_is_the_share_by_which_the_margin_grew() -> None:
    assert [gain_of(found, 200.0) for found in (None, 50.0, 202.0, 300.0, 900.0)] == [
        *(0.0, 0.0, pytest.approx(0.01), 0.5, 1.0)
    ]
    assert [gain_of(found, 4.0) for found in (3.0, 5.0, 54.0, 104.0)] == [0.0, 0.01, 0.5, 1.0]


def test_cheap_mutants_are_not_drawn_for_their_price() -> None:
    loops = []
    for mutant in (1.0, 1000.0):  # milliseconds, where a new script costs 100
        agents = Agents(1, ["OP_NOT"])
        for number in range(400):
            choice = agents.choose(number, ["OP_NOT"])
            agents.learn(choice, 0.0, 100.0 if choice.loop == NEW else mutant)
            loops.append(choice.loop)
    assert 150 < loops[:400].count(NEW) < 250 and loops[400:].count(NEW) > 300


def took(ms: float, units: int = 0) -> minimizing.Measured:
    return minimizing.Measured("fake", "1", "sat", 0.0, (ms,), units)


@pytest.mark.parametrize(
    ("target", "reference", "expected"),
    [
        (took(8000, 800_000), took(60), 120_000),  # 20 times 60 ms, at 100 units a millisecond
        (took(8000, 800_000), took(0.1), 100_000),  # a second
        (took(8000), took(60), 1_200_000),  # nothing was counted: what is usual
    ],
)
def test_a_mark_is_in_units_that_are_measured_with_the_script(
    target: minimizing.Measured, reference: minimizing.Measured, expected: int
) -> None:
    assert minimizing.mark_of(target, [reference], 1000.0) == expected


def weight(answer: str, ms: float, limit: float = 100.0) -> Weight:
    return Weight(answer, ms, limit)


@pytest.mark.parametrize(
    ("targets", "references", "expected"),
    [
        ([weight("sat", 30)], [weight("unsat", 10)], 20),
        ([weight("sat", 30), weight("sat", 20)], [weight("sat", 5), weight("sat", 8)], 12),
        ([weight("exhausted", 100)], [weight("sat", 10)], 190),
        ([weight("late", 100)], [weight("sat", 10)], 190),
        ([weight("sat", 30)], [], 30),
        ([weight("sat", 30)], [weight("exhausted", 10, 10)], None),
        *[
            ([weight(answer, 0)], [weight("sat", 1)], None)
            for answer in ("error", "memory", "crash")
        ],
        ([weight("unknown", 3)], [weight("sat", 1)], 199),
        ([weight("unknown", 3)], [], None),
        *[
            ([weight("exhausted", 1)], [weight(answer, 0)], None)
            for answer in ("error", "unknown", "memory", "crash")
        ],
    ],
)
def test_margins(targets: list[Weight], references: list[Weight], expected: float | None) -> None:
    assert margin(targets, references) == expected


def test_a_search_names_the_folder_of_findings_only_if_there_is_one(tmp_path: Path) -> None:
    """What a target documents to give up on is counted, and is no finding."""
    told = SearchTotals(steps=3, given_up=2)
    assert "findings" not in "\n".join(list(outcome_lines(told, tmp_path))[1:])
    (tmp_path / "findings").mkdir()
    assert f"murxpy findings {tmp_path}" in "\n".join(outcome_lines(told, tmp_path))


def test_the_cactus_plot_has_the_best_script_of_each_round() -> None:
    """And of the open one, but no script on which a target gives up."""

    def step(number: int, margin: float | None, answer: str, ms: float) -> dict[str, Any]:
        return {"step": number, "margin": margin, "weights": [[answer, ms, 900], ["sat", 1, 900]]}

    first = [step(0, None, "late", 900), step(1, 49, "sat", 50), {"round": 1, "step": 1}]
    second = [step(2, 9, "sat", 10), {"round": 2, "step": -1}]
    last = [step(3, 19, "sat", 20), step(4, 29, "unsat", 30), step(5, 1799, "unknown", 2)]
    found = best_of_rounds([*first, *second, *last])
    assert [weights[0][1] for weights in found] == [50, 30]
