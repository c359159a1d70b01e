"""The figures of a campaign over time: points that the store keeps, more of them early in a session
than late, so that a campaign of any length has at most about a thousand.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path

_LEAST = 1.0  # seconds between two points
# The part of the session's time between two points. A day has about 800 points, a minute 60.
_PART = 0.01


@dataclass(frozen=True, slots=True)
class Point:
    """The figures of a session, which began at `session` in seconds since the epoch, after `elapsed`
    seconds. All but the last two are sums since the session began: `unknown` are checks without an
    answer, `run_ns` and `solver_ns` the time of all runs and the part of it in solver and binding,
    `killed` the runs that were ended from outside, and `lost` the worker processes that died.
    `supervisor` and `largest` are the resident memory of the supervisor and of the largest process
    below it, in bytes.
    """

    session: float
    elapsed: float
    runs: int = 0
    checks: int = 0
    decided: int = 0
    unknown: int = 0
    run_ns: int = 0
    solver_ns: int = 0
    killed: int = 0
    lost: int = 0
    supervisor: int = 0
    largest: int = 0


_MEMORY = ("supervisor", "largest")
_SUMS = [one.name for one in fields(Point) if one.name not in ("session", *_MEMORY)]
_COUNTERS = {
    "runs": "run:total",
    "checks": "check:total",
    "decided": "check:decided",
    "unknown": "answer:unknown",
    "run_ns": "time-ns:run",
    "solver_ns": "time-ns:solver",
}


class Timeline:
    """Says when a point of the session that began at `session` is due, and makes it."""

    def __init__(self, session: float) -> None:
        self._session = session
        self._next = 0.0

    def due(self, elapsed: float) -> bool:
        """Whether the next point is due after so many seconds."""
        return elapsed >= self._next

    def point(self, elapsed: float, counts: Mapping[str, int], killed: int, lost: int) -> Point:
        """The point after so many seconds, of a session with these counters."""
        self._next = elapsed + max(_LEAST, _PART * elapsed)
        own = os.getpid()
        return Point(
            self._session,
            round(elapsed, 3),
            **{name: counts.get(counter, 0) for name, counter in _COUNTERS.items()},
            killed=killed,
            lost=lost,
            supervisor=resident(own),
            largest=max(map(resident, _below(own)), default=0),
        )


def resident(pid: int) -> int:
    """The resident memory of a process in bytes; 0 where it is gone."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _below(pid: int) -> Iterator[int]:
    """The processes that live below process `pid`."""
    with suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split():
            yield int(child)
            yield from _below(int(child))


def joined(points: Iterable[Point]) -> list[Point]:
    """The points of all sessions in one line: times and sums go on where the session before ended."""
    line: list[Point] = []
    before = last = Point(0.0, 0.0)
    session: float | None = None
    for point in points:
        if point.session != session:
            session, before = point.session, last
        sums = {name: getattr(before, name) + getattr(point, name) for name in _SUMS}
        last = replace(point, **sums)
        line.append(last)
    return line
