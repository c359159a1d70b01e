"""The shares of several sources in the time of a campaign, which follow from what each gave."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import accumulate
from typing import Any

from murxpy.learning.bandit import Uniform

FLOOR = 0.03  # the part of the time that all sources share whatever they give, so that none starves
# The source with the largest weight is thought to have given a defect before it gave any, in so many
# milliseconds. With three, a source that has all defects is found later (bench/learning.py).
_FIRST = 10_000.0


class Shares:
    """The sources of a campaign with their `weights`, by which the time is shared at the beginning.
    `saved` is what `state` gave in an earlier session. Raises ValueError where that has a time that is none.

    What a source will give is estimated by the defects that only one run of the campaign showed, and that
    run was of this source: if that run had been its last one, it would have given something new. (Good
    and Turing's estimate of what is still unseen.) So a source whose defects come again and again, or come
    from other sources as well, loses its time.
    """

    def __init__(
        self, weights: Mapping[str, float], saved: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        most = max(weights.values())
        # by source: squares of these are in the proportion of the weights
        self._thought = {name: math.sqrt(weight / most) for name, weight in weights.items()}
        saved = saved or {"spent": {}, "shown": {}}
        self._spent = {name: float(saved["spent"].get(name, 0.0)) for name in weights}
        if not all(0.0 <= spent < math.inf for spent in self._spent.values()):
            raise ValueError("the time of a source is below 0 or no number")
        # by bucket: the source of the only run that showed it; empty if several did
        self._shown: dict[str, str] = dict(saved["shown"])

    def state(self) -> dict[str, dict[str, Any]]:
        """The plain data to store."""
        return {"spent": dict(self._spent), "shown": dict(self._shown)}

    def learn(self, source: str, buckets: Iterable[str], cost: float) -> None:
        """Note that a run of a source cost so many milliseconds and showed these buckets."""
        self._spent[source] += cost
        for bucket in dict.fromkeys(buckets):
            self._shown[bucket] = "" if bucket in self._shown else source

    def shares(self, alive: Collection[str]) -> dict[str, float]:
        """The part of the time for each source of `alive`, in their order; together 1."""
        once = Counter(source for source in self._shown.values() if source)
        # What a source is thought to have given took it the time that a defect takes in the mean.
        mean = (sum(self._spent.values()) + _FIRST) / (once.total() + 1.0)
        # Squares give the best of several sources more of the time than its part of the yield.
        worth = {
            name: ((once[name] + self._thought[name]) / (spent + mean)) ** 2
            for name, spent in self._spent.items()
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
