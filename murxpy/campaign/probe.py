"""A quick look at a target: what its session says, and what a few random runs are refused."""

from __future__ import annotations

import resource
import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from murxpy.campaign.campaign import Campaign
from murxpy.campaign.config import CampaignConfig
from murxpy.campaign.events import Ended, RunEnded
from murxpy.campaign.snapshot import BucketView
from murxpy.campaign.workers.scratch import Scratch
from murxpy.campaign.workers.targets import Plan

_REFUSAL = "refusal-message:"
_SEED = 1  # the same runs each time, so that two answers can be compared


@dataclass(frozen=True, slots=True)
class Probe:
    """What `runs` runs gave: `refused` are the runs that saw a refusal, by class and message
    (`unsupported:...`).
    """

    about: Mapping[str, Any]
    runs: int
    overstayed: int
    counts: Mapping[str, int]
    refused: Mapping[str, int]
    buckets: tuple[BucketView, ...]


def probe(plan: Plan, runs: int, jobs: int) -> Probe:
    """Do `runs` random runs on `plan`'s target. Raises TargetError when the solver cannot be used."""
    refused: Counter[str] = Counter()
    with Scratch("doctor") as folder:
        config = CampaignConfig(
            (plan,), folder, _SEED, jobs, runs=runs, known=("*",), backtrace=False, damp=False
        )
        campaign = Campaign(config)
        for event in campaign:
            if isinstance(event, RunEnded):
                names = event.report["counts"]
                refused.update(
                    name.removeprefix(_REFUSAL) for name in names if name.startswith(_REFUSAL)
                )
            elif isinstance(event, Ended):
                figures = event.snapshot
    return Probe(
        campaign.abouts[0],
        figures.runs,
        figures.overstayed,
        figures.counts,
        refused,
        figures.buckets,
    )


@dataclass(frozen=True, slots=True)
class Host:
    """What this machine has: paths, bytes (None: no limit, or not known), and the gdb that shows
    native frames.
    """

    gdb: str | None
    memory: int | None
    available: int | None
    group_limit: int | None
    address_space: int | None


def look_at_host() -> Host:
    """The facts of this machine."""
    memory = _meminfo()
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    space = None if soft == resource.RLIM_INFINITY else soft
    return Host(
        shutil.which("gdb"),
        memory.get("MemTotal"),
        memory.get("MemAvailable"),
        _group_limit(),
        space,
    )


def _meminfo() -> dict[str, int]:
    """Sizes in bytes by the kernel's names."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return {}
    pairs = (line.partition(":") for line in lines)
    return {name: int(value.split()[0]) * 1024 for name, _, value in pairs if value.endswith("kB")}


def _group_limit() -> int | None:
    """The limit of the control group, as containers have one."""
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            text = Path(file).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdigit() and int(text) < 1 << 60:  # version 1 has a huge number for none
            return int(text)
    return None
