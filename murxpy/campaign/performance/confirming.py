"""Measuring a slow script by the time of the processor, which only confirms what the solvers counted."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from murxpy.campaign.performance.minimizing import FACTOR, FASTEST, SECOND
from murxpy.campaign.performance.solvers import Solvers

TIMES = 3
_LONGEST = 2.0  # times the limit of a query that a measurement may take


@dataclass(frozen=True, slots=True)
class Measured:
    """What a solver took for a script: its name, release and answer, the milliseconds that it counted in
    the search, and those of the processor, in three fresh processes. `units` are what it counted there.
    """

    name: str
    version: str
    answer: str
    counted: float
    took: tuple[float, ...]
    units: int

    @property
    def ms(self) -> float:
        """The median of the milliseconds."""
        return statistics.median(self.took)


def measured(
    texts: Mapping[str, str],
    weights: Sequence[tuple[str, float, float]],
    limit: float,
    solvers: Solvers,
) -> list[Measured]:
    """What each solver takes for a script with these texts by dialect. A solver that does not end is
    stopped after twice the limit of a query.
    """
    wall, found = _LONGEST * limit, []
    for one, (_, counted, _) in zip(solvers.known, weights, strict=True):
        times = [solvers.measure(one.number, texts[one.family], wall) for _ in range(TIMES)]
        took = tuple(round(time.ms, 1) for time in times)
        last = times[-1]
        found.append(Measured(one.name, one.version, last.answer, counted, took, last.units))
    return found


def mark_of(target: Measured, references: Sequence[Measured], per_ms: float) -> int:
    """The units of a target that are too much for a script: as many as it counts in a second, and in
    so many times what a reference takes. How many it counts in a millisecond is measured with the
    script itself, because that differs much between scripts; usually it is `per_ms`.
    """
    rate = target.units / target.ms if target.units and target.ms else per_ms
    reference = max([FASTEST, *[row.ms for row in references]])
    return max(1, int(max(SECOND, FACTOR * reference) * rate))


def confirmed(rows: Sequence[Measured], targets: int) -> bool:
    """Whether each target takes a second or more, and so many times as long as each reference."""
    ahead = min(row.ms for row in rows[:targets])
    behind = [max(row.ms, FASTEST) for row in rows[targets:]]
    return ahead >= SECOND and all(ahead >= FACTOR * ms for ms in behind)


def plain(rows: Sequence[Measured]) -> list[Mapping[str, object]]:
    """The figures as plain data."""
    return [
        {
            "solver": row.name,
            "version": row.version,
            "answer": row.answer,
            "counted-ms": row.counted,
            "took-ms": list(row.took),
        }
        for row in rows
    ]
