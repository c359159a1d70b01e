"""The comparison of two releases: what the newer one broke is found once, confirmed on both, and made
small; what both show, or what only a limit ends, is not found.
"""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from campaigns import children, started_by
from commands import error
from truth import truth

from murxpy.campaign.campaign import Campaign
from murxpy.errors import InputError
from murxpy.findings.buckets import Bucket
from murxpy.findings.store import Store
from murxpy.machine.trace.finished import Call
from murxpy.oracles.crash import Verdict
from murxpy.oracles.regression import Seen, regression
from murxpy.processes.limits import MIB, Limits
from murxpy.processes.targets import Plan
from murxpy.records.config import CampaignConfig
from murxpy.records.events import Ended, Event, RunEnded

LIMITS = Limits(wall=30.0, memory=500 * MIB)


def releases(older: dict[str, Any], newer: dict[str, Any]) -> tuple[Plan, Plan]:
    """Two releases of one solver with these flaws; the operators in `gone` are there no more."""
    plans = []
    for place, flaws in (("1.0", older), ("2.0", newer)):
        gone = flaws.get("gone", ())
        plan = truth("fake", **{name: flaw for name, flaw in flaws.items() if name != "gone"})
        for kind in gone:
            plan.setup["wrapper"]["operators"][kind] = "a_function_that_is_gone({*})"
        plans.append(replace(plan, target=replace(plan.target, name=f"fake@{place}")))
    return plans[0], plans[1]


def compare(
    out: Path, older: dict[str, Any], newer: dict[str, Any], **options: Any
) -> tuple[list[Bucket], list[Event]]:
    """A comparison of two releases: its buckets and events."""
    plans = releases(older, newer)
    made = {
        "compare": True,
        "runs": 12,
        "seed": 1,
        "limits": LIMITS,
        "backtrace": False,
        "damp": False,
        **options,
    }
    campaign = Campaign(CampaignConfig(plans[:1], out, judges=plans[1:], **made))
    events = list(campaign)
    return campaign.buckets, events


def counters(out: Path) -> dict[str, int]:
    store = Store(out, read_only=True)
    try:
        return store.counters()
    finally:
        store.close()


def code(events: list[Event]) -> int:
    ended = events[-1]
    assert isinstance(ended, Ended)
    return ended.exit_code


def test_releases_that_are_alike_differ_in_nothing(tmp_path: Path) -> None:
    flaws = {"flaw": "parity", "shy": "choice"}
    buckets, events = compare(tmp_path, flaws, flaws)
    assert buckets == [] and code(events) == 0
    assert counters(tmp_path)["compare:runs"] == 12 and counters(tmp_path)["compare:checks"] > 10
    # the folder does not take another campaign
    with pytest.raises(InputError, match=r"compares fake@1\.0 fake@2\.0; choose another folder"):
        compare(tmp_path, flaws, flaws, compare=False)


@pytest.mark.slow
def test_an_answer_that_became_unknown_is_one_bucket_and_fails_only_on_wish(tmp_path: Path) -> None:
    buckets, events = compare(tmp_path / "a", {}, {"shy": "parity"})
    (bucket,) = buckets
    assert (bucket.kind, bucket.severity, bucket.state) == ("became-unknown", "low", "confirmed")
    assert bucket.triage["operators"] == ["OP_XOR"] and bucket.count > 1
    assert "unknown" in bucket.message and code(events) == 0
    _, events = compare(tmp_path / "b", {}, {"shy": "parity"}, fail_on=("became-unknown",))
    assert code(events) == 1
    kept = bucket.smallest()
    assert kept is not None and kept.file.endswith("-1.trace")
    text = (tmp_path / "a" / kept.file).read_text()
    assert "# compared fake@1.0,fake@2.0\n" in text and "# shows became-unknown\n" in text
    assert text.count("\n") < 20


@pytest.mark.slow
def test_a_mended_release_has_broken_nothing(tmp_path: Path) -> None:
    buckets, _ = compare(tmp_path, {"shy": "parity"}, {})
    assert buckets == []


@pytest.mark.slow
def test_a_new_death_is_found_and_an_old_one_is_not(tmp_path: Path) -> None:
    buckets, events = compare(tmp_path / "a", {}, {"deadly": "parity"})
    assert {bucket.kind for bucket in buckets} == {"new-crash"} and code(events) == 1
    assert all(bucket.message.startswith("SIGSEGV; fake 1.0: ") for bucket in buckets)
    buckets, events = compare(tmp_path / "b", {"deadly": "parity"}, {"deadly": "parity"})
    assert buckets == [] and code(events) == 0
    assert counters(tmp_path / "b")["compare:of-older"] > 0


def test_a_run_whose_process_somebody_killed_is_made_again(tmp_path: Path) -> None:
    """Such a death says nothing of the older release."""
    plans = releases({"idle": 0.02}, {"idle": 0.02})
    config = CampaignConfig(
        plans[:1], tmp_path, judges=plans[1:], compare=True, runs=12, seed=1, limits=LIMITS
    )
    killed: dict[int, None] = {}
    for event in (campaign := Campaign(config)):
        if isinstance(event, RunEnded) and not killed:
            mine = children(os.getpid())
            killed = {pid: None for pid in mine if not started_by(pid)}
            for pid in killed:
                os.kill(pid, signal.SIGKILL)
    assert killed and not campaign.buckets
    assert counters(tmp_path)["compare:runs"] == 12
    assert "compare:of-older" not in counters(tmp_path)


@pytest.mark.slow
def test_a_call_that_vanished_is_named_once(tmp_path: Path) -> None:
    buckets, events = compare(tmp_path, {}, {"gone": ("OP_XOR",)})
    assert [(b.kind, b.operator, b.tier) for b in buckets] == [("vanished", "OP_XOR", "binding")]
    assert code(events) == 0 and buckets[0].count > 1


@pytest.mark.slow
def test_answers_that_contradict_each_other_are_found(tmp_path: Path) -> None:
    buckets, _ = compare(tmp_path, {}, {"flaw": "parity"})
    assert {bucket.kind for bucket in buckets} <= {"answers-differ", "became-wrong"} and buckets


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 3])
def test_the_same_seed_gives_the_same_findings(tmp_path: Path, jobs: int) -> None:
    buckets, _ = compare(tmp_path, {}, {"shy": "parity", "deadly": "choice"}, jobs=jobs)
    keys = sorted((bucket.key, bucket.count) for bucket in buckets)
    assert [key.rpartition("-")[0] for key, _ in keys] == [
        "became-unknown-fake-xor",
        "new-crash-crash-sigsegv-fake-check-sat-assuming-default",
        "new-crash-crash-sigsegv-fake-check-sat-default",
    ]


def test_what_two_releases_show_on_one_line() -> None:
    def answers(answer: str, total: int) -> Seen:
        return Seen("done", (answer,), 1, total=total)

    fine, sat, unknown = Seen("done"), answers("sat", 100), answers("unknown", 90)
    floor = 500.0
    assert regression(sat, sat, floor) == regression(unknown, sat, floor) == ""
    assert regression(sat, unknown, floor) == "became-unknown"
    assert regression(sat, answers("unsat", 9), floor) == "answers-differ"
    assert regression(sat, answers("sat", 999), floor) == ""  # less than ten times as much
    assert regression(sat, answers("sat", 1000), floor) == "slower"
    assert regression(answers("sat", 1), answers("sat", 499), floor) == ""
    assert regression(sat, Seen("late"), floor) == regression(sat, Seen("other"), floor) == ""
    assert regression(fine, Seen("refused", message="gone"), floor) == "vanished"
    assert regression(Seen("refused"), Seen("refused"), floor) == ""
    assert regression(fine, Seen("refused", refused=(3,)), floor) == ""  # not the same lines before

    def ends(kind: str, tier: Any = "binding") -> str:
        verdict = Verdict(kind, tier, "said", "", Call("mk-term"))
        return regression(fine, Seen("finding", verdict=verdict), floor)

    assert (ends("crash"), ends("exception")) == ("new-crash", "new-exception")
    assert (ends("invalid-model"), ends("contract")) == ("became-invalid", "became-invalid")
    assert (ends("wrong-unsat"), ends("internal", "murxpy")) == ("became-wrong", "")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["z3@4.13.0"], "takes two releases of one solver"),
        (["z3@4.8.12", "z3@4.13.0", "z3"], "takes two releases of one solver"),
        (["z3", "cvc5"], "two releases of one solver, found z3 and cvc5"),
        (["z3@4.13.0[auto_config=false]", "z3"], "the same in brackets"),
        (["z3@4.13.0", "z3@4.12.0"], "the older stands first, found 4.13.0 before 4.12.0"),
        (["z3@4.13.0", "z3@4.13.0"], "the older stands first"),
        (["z3@4.13.0", "z3", "--cross-check", "cvc5"], "--compare' and --cross-check exclude"),
        (["z3@4.13.0", "z3", "--contract"], "--compare' and --contract exclude"),
        (["z3@4.13.0", "z3", "--run-seed", "1"], "--compare' and --run-seed exclude"),
    ],
)
def test_what_cannot_be_compared_is_one_clear_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], expected: str
) -> None:
    code, said = error(capsys, "fuzz", *words, "--compare", "--out", tmp_path / "out")
    assert code == 2 and expected in said


@pytest.mark.slow
def test_a_comparison_goes_on_where_it_stopped(tmp_path: Path) -> None:
    older: dict[str, Any] = {}
    newer = {"shy": "parity", "deadly": "choice"}
    whole, _ = compare(tmp_path / "whole", older, newer)
    compare(tmp_path / "parts", older, newer, runs=5)
    parts, _ = compare(tmp_path / "parts", older, newer, runs=7)
    assert {(b.key, b.count) for b in parts} == {(b.key, b.count) for b in whole}
    for name in ("run:total", "compare:runs", "compare:checks", "compare:suspects"):
        assert counters(tmp_path / "parts")[name] == counters(tmp_path / "whole")[name], name
