"""The time of all processors that the parts of a campaign took."""

from __future__ import annotations

import resource
from collections.abc import Mapping


def own_cpu() -> float:
    """The seconds of this process."""
    return _seconds(resource.RUSAGE_SELF)


def reaped_cpu() -> float:
    """The seconds of all children of this process that have ended and were waited for, with what
    these have waited for.
    """
    return _seconds(resource.RUSAGE_CHILDREN)


def cpu_counts(seconds: Mapping[str, float]) -> dict[str, int]:
    """Counters of a campaign that say how long its parts took."""
    return {f"cpu-ns:{name}": int(1e9 * value) for name, value in seconds.items()}


def _seconds(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime
