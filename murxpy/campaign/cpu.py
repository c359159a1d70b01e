"""The time of all processors that the parts of a campaign took."""

from __future__ import annotations

import os
import resource
from collections.abc import Mapping
from pathlib import Path


def own_cpu() -> float:
    """The seconds of this process."""
    return _seconds(resource.RUSAGE_SELF)


def reaped_cpu() -> float:
    """The seconds of all children of this process that have ended and were waited for, with what
    these have waited for.
    """
    return _seconds(resource.RUSAGE_CHILDREN)


def tree_cpu(pid: int) -> float:
    """The seconds of process `pid`, of all children that it has waited for, and of all processes that
    live below it; 0 where it is gone.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    except OSError:
        return 0.0
    own = sum(map(int, stat.rpartition(")")[2].split()[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(tree_cpu(int(child)) for child in below)


def cpu_counts(seconds: Mapping[str, float]) -> dict[str, int]:
    """Counters of a campaign that say how long its parts took."""
    return {f"cpu-ns:{name}": int(1e9 * value) for name, value in seconds.items()}


def _seconds(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime
