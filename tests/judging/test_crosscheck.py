"""The cross-check of a campaign, on solvers with planted flaws: found once, the right one named,
nothing lost.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import outcome
from truth import truth

from murxpy.campaign.campaign import Campaign
from murxpy.errors import InputError
from murxpy.findings.buckets import Bucket
from murxpy.findings.origin import origin
from murxpy.findings.store import Store, read_buckets
from murxpy.judging.cross_check import figures
from murxpy.judging.operators import agree, apart
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.generate.swarm import Profile
from murxpy.oracles.crash import Outcome
from murxpy.processes.limits import MIB, Limits
from murxpy.processes.plans import Request
from murxpy.records.config import CampaignConfig
from murxpy.records.events import Event, Found, Reproduced, RunEnded
from murxpy.solvers.wrapper import Wrapper
from murxpy.worker.mutating import make_sources

pytestmark = pytest.mark.usefixtures("kept_solvers")

LIMITS = Limits(wall=30.0, memory=500 * MIB)


def run(
    out: Path, *plans: Any, targets: int = 1, **options: Any
) -> tuple[list[Bucket], list[Event]]:
    """A campaign on the first plans, judged by the others: its buckets and events."""
    made = {"runs": 12, "seed": 1, "limits": LIMITS, "backtrace": False, **options}
    campaign = Campaign(CampaignConfig(plans[:targets], out, judges=plans[targets:], **made))
    events = list(campaign)
    return campaign.buckets, events


def counters(out: Path) -> dict[str, int]:
    store = Store(out, read_only=True)
    try:
        return store.counters()
    finally:
        store.close()


def test_sound_solvers_agree(tmp_path: Path) -> None:
    buckets, events = run(tmp_path, truth("left"), truth("right"))
    assert buckets == [] and events[-1].exit_code == 0  # type: ignore[union-attr]
    assert counters(tmp_path)["judge:decided"] > 10


def test_a_share_of_the_runs_is_judged_and_their_seeds_say_which(tmp_path: Path) -> None:
    judged = {}
    for jobs, share in ((1, 0.5), (2, 0.5), (1, 0.0), (1, 1.0)):
        out = tmp_path / f"{jobs}-{share}"
        run(out, truth("left"), truth("right"), runs=16, jobs=jobs, judged=share)
        judged[jobs, share] = counters(out).get("judge:runs", 0)
    assert judged[1, 0.0] == 0 < judged[1, 0.5] < judged[1, 1.0]
    assert judged[2, 0.5] == judged[1, 0.5]


def test_only_what_both_decided_counts_as_agreed_or_not() -> None:
    answers = [(3, "unknown", "sat"), (4, "sat", "unknown"), (5, "sat", "sat"), (6, "unsat", "sat")]
    counts = figures(
        Outcome(
            "report", {"counts": {"judge:given-up": 1, "judge:declined": 2, "check:decided": 7}}
        ),
        answers,
    )
    assert (counts["judge:given-up"], counts["judge:declined"], counts["check:decided"]) == (
        1,
        2,
        0,
    )
    assert (counts["judge:checks"], counts["judge:decided"], counts["judge:agreed"]) == (4, 2, 1)


@pytest.mark.usefixtures("bare_findings")
def test_wrong_answer_is_one_bucket_with_the_culprit(tmp_path: Path) -> None:
    buckets, events = run(
        tmp_path, truth("left", flaw="parity"), truth("right"), truth("third"), seed=4
    )
    wrong = {
        (bucket.kind, bucket.tier, bucket.severity, bucket.triage["culprit"], bucket.triage["by"])
        for bucket in buckets
    }
    assert wrong == {("disagreement", "solver", "high", "left", "vote")}
    assert {bucket.triage["verdict"] for bucket in buckets} <= {
        "refutation-unsoundness",
        "solution-unsoundness",
    }
    assert len(buckets) <= 2 and all("OP_XOR" in b.triage["operators"] for b in buckets)
    seeds = [event.finding.seed for event in events if isinstance(event, Found)]
    assert len(seeds) == len(set(seeds)) > 2  # once a run
    assert all(bucket.state == "confirmed" for bucket in buckets)


@pytest.mark.slow
def test_flawed_judge_is_the_culprit(tmp_path: Path) -> None:
    asked = {"request": Request(("left",)).recorded(), "judges": ["right@/place", "third"]}
    buckets, events = run(
        tmp_path, truth("left"), truth("right", flaw="parity"), truth("third"), arguments=asked
    )
    assert {(b.triage["culprit"], b.solver) for b in buckets} == {("right", "right")}
    # The trace is the judge's own, with the target as its judge, so that it can be printed for the
    # judge.
    kept = [kept for bucket in buckets for kept in bucket.traces]
    texts = [(tmp_path / one.file).read_text() for one in kept]
    assert texts and all(
        "# cross-check left,third\n" in text and "# solver right 1.0\n" in text for text in texts
    )
    assert all(one.file.endswith("-1.trace") for one in kept)
    source = origin(tmp_path / kept[0].file)
    assert source is not None and source.request.targets == ("right@/place",)
    made = {
        form.form: form.reproduces
        for event in events
        if isinstance(event, Reproduced)
        for form in event.forms
    }
    assert made["trace"] and "python" in made and "smt2" in made


@pytest.mark.usefixtures("bare_findings")
def test_answer_that_needs_an_earlier_check_says_so(tmp_path: Path) -> None:
    buckets, _ = run(tmp_path, truth("left", flaw="parity", after=True), truth("right"))
    assert {(b.triage["culprit"], b.triage["by"]) for b in buckets} == {("left", "itself")}
    for bucket in buckets:
        assert (
            "earlier check" in [need[0] for need in bucket.triage["depends"]]
            and "depends on earlier check" in bucket.message
        )


@pytest.mark.slow
def test_flaw_that_needs_an_option_shows_in_the_solver_itself(tmp_path: Path) -> None:
    buckets, _ = run(tmp_path, truth("left", flaw="parity", option="fast"), truth("right"), runs=60)
    assert {(b.triage["culprit"], b.triage["by"], tuple(b.triage["options"])) for b in buckets} == {
        ("left", "itself", ("fast",))
    }


@pytest.mark.slow
def test_two_solvers_alone_leave_it_undecided(tmp_path: Path) -> None:
    buckets, _ = run(tmp_path, truth("left", flaw="parity"), truth("right"))
    assert {b.triage["verdict"] for b in buckets} == {"undecided"}


def test_unknown_agrees_with_anything(tmp_path: Path) -> None:
    buckets, _ = run(tmp_path, truth("left", flaw="parity"), truth("right", shy="parity"))
    assert buckets == []
    counts = counters(tmp_path)
    assert 0 < counts["judge:decided"] < counts["judge:checks"]


@pytest.mark.slow
def test_dying_judge_ends_neither_the_others_nor_the_campaign(tmp_path: Path) -> None:
    buckets, events = run(
        tmp_path,
        truth("left", flaw="parity"),
        truth("right", deadly="conj"),
        truth("third"),
        runs=20,
    )
    assert {bucket.triage["culprit"] for bucket in buckets} <= {"left", ""} and buckets
    assert sum(isinstance(event, RunEnded) for event in events) == 20
    counted = counters(tmp_path)
    assert counted["judge:lost"] > 2 and counted["judge:runs"] > 20


SEED = "(declare-const p Bool)(declare-const q Bool)(assert (and p (or q p)))(check-sat)"


def mixed(plan: Any, *, learns: bool) -> Any:
    """The same target with walks and mutants."""
    sources = {
        "mix": [["api", 1.0], ["opfuzz", 1.0]],
        "seeds": [["a.smt2", SEED, "sat"]],
        "walk": 5,
        "budget": None,
        "check-ms": 50.0,
        "dialect": "standard",
        "through": "api",
        "stability": 0.0,
        "choices": {},
        **({"auto": True} if learns else {}),
    }
    return replace(plan, setup={**plan.setup, "sources": sources})


@pytest.mark.parametrize("learns", [False, True])
def test_walks_of_a_mix_that_learns_are_not_judged(tmp_path: Path, learns: bool) -> None:
    run(tmp_path, mixed(truth("left"), learns=learns), truth("right"), runs=16)
    counts = counters(tmp_path)
    walks, mutants = counts["source:api:runs"], counts["source:opfuzz:runs"]
    assert counts["judge:runs"] <= mutants if learns else counts["judge:runs"] > mutants
    assert walks and mutants and counts["judge:runs"]


def test_what_means_another_thing_in_a_judge_is_left_to_walks_that_nobody_judges() -> None:
    target, judge = mixed(truth("left"), learns=True), truth("right")
    differing = {"reason": "", "from": [], "operators": ["OP_XOR"], "special-values": []}
    judge.setup["wrapper"]["differences"] = [differing]
    (plan,), (note,) = apart((target,), (judge, target))
    assert plan.setup["wrapper"] == target.setup["wrapper"]
    assert note == "mutants of left are judged by right, walks by nobody"
    catalogue = build_catalogue(plan.setup["catalogue"])
    wrapper = Wrapper(plan.setup["wrapper"], catalogue)
    shop = make_sources(plan.setup, catalogue, wrapper, Profile({}), ["OP_AND", "OP_XOR"]).shop
    assert shop.operators == {"OP_AND"}


def test_only_what_all_have_is_generated(tmp_path: Path) -> None:
    judges = (truth("right", lacks=("OP_XOR",)), truth("third", lacks=("OP_ITE",)))
    plans, (note,) = agree((truth("left", flaw="parity"),), judges, LIMITS)
    assert "right 1.0 and third 1.0" in note and "2 operators (XOR, ITE)" in note
    buckets, _ = run(tmp_path, *plans, *judges)
    assert buckets == []
    used = counters(tmp_path)
    assert "op:OP_AND" in used and not {"op:OP_XOR", "op:OP_ITE"} & set(used)


def test_judge_with_nothing_in_common_is_refused() -> None:
    from truth import OPERATORS

    with pytest.raises(InputError, match="left has no operator in common with right"):
        agree((truth("left"),), (truth("right", lacks=tuple(OPERATORS)),), LIMITS)


@pytest.mark.slow
def test_end_of_the_time_comes_while_judges_work(tmp_path: Path) -> None:
    _, events = run(tmp_path, truth("left"), truth("right", idle=0.05), runs=None, time=1.5)
    assert events[-1].reason == "time limit"  # type: ignore[union-attr]
    again, _ = run(tmp_path, truth("left"), truth("right"), runs=2)
    assert again == [] and counters(tmp_path)["judge:runs"] >= 2


@pytest.mark.slow
def test_same_findings_when_interrupted(tmp_path: Path) -> None:
    plans = (truth("left", flaw="parity"), truth("right"), truth("third"))
    whole, _ = run(tmp_path / "whole", *plans, runs=16)
    for runs in (4, 7, 5):
        run(tmp_path / "pieces", *plans, runs=runs, jobs=2)
    assert sum(b.count for b in whole) == sum(b.count for b in read_buckets(tmp_path / "pieces"))


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("murxpy.judging.disagreement.TESTS", 150)


def test_the_options_that_runs_draw_are_those_of_the_target(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--options", "bv-*", "--cross-check", "z3", "--theories", "BV", "--runs", "2")
    code, _, told = outcome(
        capsys, "fuzz", "cvc5", *options, "--jobs", "1", "--seed", "3", "--out", tmp_path / "out"
    )
    assert code == 0, told
