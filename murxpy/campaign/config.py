"""What a campaign is asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.targets import Plan


@dataclass(frozen=True, slots=True)
class CampaignConfig:
    """The wishes of the user.

    `seed` None: that of the campaign in `out`, or a new one. `time` is in seconds; `runs` are the
    runs of this session for each target; None: no limit. `first`: end with the first finding that
    fails. `known` are patterns of bucket keys. `fail_on` are kinds that make the exit code 1
    besides the usual ones. `machine` and `arguments` are recorded. `damp`: draw the fatal calls of
    found buckets less often. `backtrace`: ask gdb for native frames, where it is installed.
    `minimize`: make findings smaller while it runs. `tick` are the seconds between two `Tick`
    events. `judges` answer again what the targets decided.
    """

    targets: tuple[Plan, ...]
    out: Path
    seed: int | None = None
    jobs: int = 1
    time: float | None = None
    runs: int | None = None
    first: bool = False
    limits: Limits = field(default_factory=Limits)
    known: tuple[str, ...] = ()
    fail_on: tuple[str, ...] = ()
    machine: str = "default"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    damp: bool = True
    backtrace: bool = True
    minimize: bool = False
    tick: float = 0.5
    judges: tuple[Plan, ...] = ()
