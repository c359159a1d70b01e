"""Campaigns with the fake session, for the tests of the process layer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from murxpy.campaign.campaign import Campaign
from murxpy.findings.buckets import Bucket
from murxpy.processes.limits import MIB, Limits
from murxpy.processes.targets import Plan, resolve
from murxpy.records.config import CampaignConfig
from murxpy.records.events import Event, Found

FAKES = Path(__file__).parents[1] / "fakes"


def plan(**setup: Any) -> Plan:
    """A target with the fake session; see `fakes/fakesession.py` for its setup."""
    return Plan(
        resolve("fake"),
        {"session": "fakesession:FakeSession", "session_path": [str(FAKES)], **setup},
    )


def config(out: Path, setup: dict[str, Any], **options: Any) -> CampaignConfig:
    """A small campaign with seed 1, unless `options` say otherwise."""
    options = {
        "limits": Limits(wall=1.0, memory=300 * MIB),
        "seed": 1,
        "backtrace": False,
        **options,
    }
    return CampaignConfig((plan(**setup),), out, **options)


def run(
    out: Path,
    setup: dict[str, Any],
    watch: Callable[[Campaign, Event], None] | None = None,
    **options: Any,
) -> tuple[Campaign, list[Event]]:
    """Run a campaign to its end; `watch` sees each event as it comes."""
    campaign = Campaign(config(out, setup, **options))
    events = []
    for event in campaign:
        events.append(event)
        if watch is not None:
            watch(campaign, event)
    return campaign, events


def only_bucket(campaign: Campaign) -> Bucket:
    """The one bucket there is."""
    (bucket,) = campaign.buckets
    return bucket


def found(events: list[Event]) -> list[Found]:
    """The findings among `events`."""
    return [event for event in events if isinstance(event, Found)]


def children(supervisor: int) -> list[int]:
    """The warm parents and workers of the process `supervisor`."""
    return processes(supervisor, "worker/boot.py")


def started_by(pid: int) -> list[int]:
    """The processes that the process `pid` started itself; none if it is gone."""
    try:
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def processes(parent: int, program: str) -> list[int]:
    """The processes of a program that a process started, which all have the number of that in their
    command line.
    """
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if any(word.endswith(program) for word in words) and str(parent) in words:
            found.append(int(path.parent.name))
    return found
