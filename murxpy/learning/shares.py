"""The shares of several sources in the time of a campaign, which follow from what each gave lately."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate

from murxpy.learning.bandit import Uniform

FLOOR = 0.03  # the part of the time that all sources share whatever they give, so that none starves
# What was gained lately counts: about the last third of a campaign, and at least so many milliseconds.
# New defects become rarer the longer a campaign lasts, so a fixed time would later hold none.
LATELY, _PART = 60_000.0, 3
_FIRST = 10_000.0  # milliseconds for a defect, as long as nothing was found


class Shares:
    """The sources of a campaign with their `weights`, by which the time is shared at the beginning.
    `saved` is what `state` gave in an earlier session.
    """

    def __init__(
        self, weights: Mapping[str, float], saved: Mapping[str, Sequence[float]] | None = None
    ) -> None:
        most = max(weights.values())
        # By source: the defects that it is thought to have given before it gave any. They are few, so
        # the first defects of a source with a small weight raise its share at once.
        self._thought = {name: math.sqrt(weight / most) for name, weight in weights.items()}
        saved = saved or {}
        # by source: the new defects and the milliseconds lately, and all milliseconds
        self._lately = {name: list(saved.get(name, (0.0, 0.0, 0.0))) for name in weights}

    def state(self) -> dict[str, list[float]]:
        """The plain data to store."""
        return {name: list(row) for name, row in self._lately.items()}

    def learn(self, source: str, new: int, cost: float) -> None:
        """Note that a run of a source cost so many milliseconds and gave so many new defects."""
        whole = sum(spent for _, _, spent in self._lately.values())
        kept = math.exp(-cost / max(LATELY, whole / _PART))
        for row in self._lately.values():
            row[0] *= kept
            row[1] *= kept
        own = self._lately[source]
        own[0] += new
        own[1] += cost
        own[2] += cost

    def shares(self, alive: Collection[str]) -> dict[str, float]:
        """The part of the time for each source of `alive`, in their order; together 1."""
        found = sum(new for new, _, _ in self._lately.values())
        spent = sum(cost for _, cost, _ in self._lately.values())
        # What a source is thought to have given took it the time that a defect takes in the mean.
        mean = (spent + _FIRST) / (found + 1.0)
        # Squares give the best of several sources more of the time than its part of the yield.
        worth = {
            name: ((new + self._thought[name]) / (cost + mean)) ** 2
            for name, (new, cost, _) in self._lately.items()
            if name in alive
        }
        whole = sum(worth.values())
        return {
            name: FLOOR / len(worth) + (1.0 - FLOOR) * own / whole for name, own in worth.items()
        }

    def draw(self, stream: Uniform, alive: Collection[str], means: Mapping[str, float]) -> str:
        """The source of the next run. A source whose runs cost less in the mean has more of them."""
        chances = {name: part / means[name] for name, part in self.shares(alive).items()}
        ends = list(accumulate(chances.values()))
        at = bisect_right(ends, stream.random() * ends[-1])
        return list(chances)[min(at, len(ends) - 1)]
