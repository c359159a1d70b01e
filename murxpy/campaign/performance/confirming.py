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
    """What a solver took for a script: its name, release and answer, the milliseconds that it counted,
    and those of the processor, in three fresh processes.
    """

    name: str
    version: str
    answer: str
    counted: float
    took: tuple[float, ...]

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
        found.append(Measured(one.name, one.version, times[-1].answer, counted, took))
    return found


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
