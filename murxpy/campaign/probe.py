"""A quick look at a target: the session's description of the solver, and the refusals in a few
random runs.
"""

from __future__ import annotations

import resource
import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from murxpy.campaign.campaign import Campaign
from murxpy.processes.handles import Scratch
from murxpy.processes.targets import Plan
from murxpy.records.config import CampaignConfig
from murxpy.records.events import Ended, RunEnded
from murxpy.records.snapshot import BucketView
from murxpy.worker.confine import filters, landlock_abi

_REFUSAL = "refusal-message:"
_SEED = 1  # always the same runs, so that the results for two releases can be compared


@dataclass(frozen=True, slots=True)
class Probe:
    """The results of `runs` random runs. `refused` counts, by class and message
    (`unsupported:...`), the runs in which the solver refused a call.
    """

    about: Mapping[str, Any]
    runs: int
    overstayed: int
    counts: Mapping[str, int]
    refused: Mapping[str, int]
    buckets: tuple[BucketView, ...]


def probe(plan: Plan, runs: int, jobs: int) -> Probe:
    """Make `runs` random runs on the target of `plan`. Raises TargetError when the solver cannot be
    used.
    """
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
    if campaign.interrupted:
        raise KeyboardInterrupt
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
    """The machine: the path of the gdb that shows native frames, and sizes in bytes. A size is None
    where there is no limit, or where the size is not known. `landlock` is the ABI of the kernel's
    Landlock, 0 without it, and `filters` says whether system calls can be filtered.
    """

    gdb: str | None
    memory: int | None
    available: int | None
    group_limit: int | None
    address_space: int | None
    landlock: int
    filters: bool


def look_at_host() -> Host:
    """Describe this machine."""
    memory = _meminfo()
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    space = None if soft == resource.RLIM_INFINITY else soft
    return Host(
        shutil.which("gdb"),
        memory.get("MemTotal"),
        memory.get("MemAvailable"),
        _group_limit(),
        space,
        landlock_abi(),
        filters(),
    )


def _meminfo() -> dict[str, int]:
    """The sizes in /proc/meminfo, in bytes, by the kernel's names."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return {}
    pairs = (line.partition(":") for line in lines)
    return {name: int(value.split()[0]) * 1024 for name, _, value in pairs if value.endswith("kB")}


def _group_limit() -> int | None:
    """The memory limit of the control group, which containers have."""
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            text = Path(file).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if (
            text.isdigit() and int(text) < 1 << 60
        ):  # version 1 of control groups says "no limit" with a huge number
            return int(text)
    return None
