"""The end of a campaign with judges: what they did not finish is told, is not lost, and is counted
once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from truth import truth

from murxpy.campaign import campaign as campaigns
from murxpy.campaign.campaign import Campaign
from murxpy.findings.store import Store
from murxpy.processes.limits import MIB, Limits
from murxpy.records.config import CampaignConfig
from murxpy.records.events import Ended, Event, Notice, Tick

pytestmark = pytest.mark.usefixtures("kept_solvers")

LIMITS = Limits(wall=30.0, memory=500 * MIB)


def run(
    out: Path, *plans: Any, stop: Any = None, **options: Any
) -> tuple[Campaign, list[Event], Ended]:
    """A campaign on the first plan, judged by the others; `stop` is asked at each tick whether it
    is to end.
    """
    made = {"seed": 1, "limits": LIMITS, "backtrace": False, "tick": 0.02, **options}
    campaign = Campaign(CampaignConfig(plans[:1], out, judges=plans[1:], **made))
    events = []
    for event in campaign:
        events.append(event)
        if stop is not None and isinstance(event, Tick) and stop(campaign):
            campaign.stop()
            stop = None
    ended = events[-1]
    assert isinstance(ended, Ended)
    return campaign, events, ended


def counters(out: Path) -> dict[str, int]:
    store = Store(out, read_only=True)
    try:
        return store.counters()
    finally:
        store.close()


def notices(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice)]


def inquiring(campaign: Campaign) -> bool:
    return campaign._judges.left.disagreements > 0


def some_wait(campaign: Campaign) -> bool:
    return campaign._judges.left.runs > 3


@pytest.mark.slow
def test_judges_finish_after_the_time_is_up(tmp_path: Path) -> None:
    plans = (truth("left", flaw="parity"), truth("right", idle=0.005), truth("third", idle=0.01))
    campaign, _, ended = run(tmp_path, *plans, time=0.8)
    assert ended.reason == "time limit" and ended.exit_code == 1 and campaign.buckets
    assert ended.left.disagreements == ended.left.runs == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "reason", [pytest.param("interrupted", marks=pytest.mark.slow), "time limit"]
)
def test_known_disagreement_that_is_left_is_told_and_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    monkeypatch.setattr(campaigns, "GRACE", 0.0)
    plans = (truth("left", flaw="parity"), truth("right", idle=0.01))
    campaign, events, ended = run(
        tmp_path, *plans, stop=lambda c: inquiring(c) and c.stop(reason) is None
    )
    assert campaign.buckets == [] and ended.reason == reason
    assert ended.left.disagreements > 0 and ended.exit_code == 1
    assert any(
        text.startswith("left for ") and "known disagreement" in text for text in notices(events)
    )
    campaign, _, ended = run(tmp_path, *plans, runs=ended.left.disagreements + ended.left.runs)
    assert campaign.buckets and ended.left.disagreements == ended.left.runs == 0


@pytest.mark.slow
def test_judges_of_an_interrupted_campaign_get_the_grace(tmp_path: Path) -> None:
    plans = (truth("left", flaw="parity"), truth("right", idle=0.002))
    campaign, _, ended = run(tmp_path, *plans, stop=inquiring)
    assert (
        ended.reason == "interrupted"
        and campaign.buckets
        and ended.left.disagreements == ended.left.runs == 0
    )


def test_runs_that_are_judged_again_count_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = (truth("left"), truth("right", idle=0.02))
    monkeypatch.setattr(campaigns, "GRACE", 0.0)
    _, _, first = run(tmp_path / "pieces", *plans, stop=some_wait)
    assert first.left.runs > 3 and first.exit_code == 0
    monkeypatch.setattr(campaigns, "GRACE", 20.0)
    run(tmp_path / "pieces", truth("left"), truth("right"), runs=first.left.runs + 3)
    done = counters(tmp_path / "pieces")
    run(tmp_path / "whole", truth("left"), truth("right"), runs=done["run:total"])
    whole = counters(tmp_path / "whole")
    timeless = {
        name: number
        for name, number in done.items()
        if "time-ns" not in name and not name.startswith("worker")
    }
    assert timeless == {
        name: number
        for name, number in whole.items()
        if "time-ns" not in name and not name.startswith("worker")
    }


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("murxpy.judging.disagreement.TESTS", 12)
