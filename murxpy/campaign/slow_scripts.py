"""Scripts of an enumeration that cost too much: more than nearly all scripts of their size, or many
times what a judge needs. Each is run once more, alone, with a mark of what it may cost.

Costs are the solver's own counts, and no script is measured against the clock.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.enumeration.blocks import Block
from murxpy.enumeration.grammar import Grammar
from murxpy.machine.witnesses.slowness import REFERENCE, SIZE

ABOVE = 1000  # of so many scripts of a size one may cost more than the others
FACTOR = 100  # times the cost for a judge
MOST = 5_000  # scripts of a size that are kept and told
FLOOR_MS = 5.0  # the least cost that is too much, in milliseconds of a usual machine


@dataclass(frozen=True, slots=True)
class Suspect:
    """A script that may cost at most `bound` units of the solver, measured `against` that: the one at
    a place in the block of the run with this seed.
    """

    seed: int
    place: int
    against: str
    bound: int


class SizeCosts:
    """The costs of `count` scripts of one size, of which `wanted` are to be tested. `top` has the
    largest ones in rising order, each with the seed of its run and its place in the block.
    """

    def __init__(self, wanted: int, count: int = 0, top: Sequence[Sequence[int]] = ()) -> None:
        self.wanted, self.count = wanted, count
        self.top = [(cost, seed, place) for cost, seed, place in top]

    def add(self, cost: int, seed: int, place: int) -> None:
        """Note the cost of a script."""
        self.count += 1
        insort(self.top, (cost, seed, place))
        # the largest cost that is not too much stands below those that are
        kept = min(MOST, self.wanted // ABOVE) + 1
        del self.top[: max(0, len(self.top) - kept)]

    def slow(self, floor: int) -> list[Suspect]:
        """The scripts that cost more than all but one in `ABOVE`, and more than `floor`."""
        above = min(MOST, self.count // ABOVE)
        if not 0 < above < len(self.top):
            return []
        bound = max(floor, self.top[-above - 1][0])
        return [Suspect(seed, place, SIZE, bound) for cost, seed, place in self.top if cost > bound]


class SlowScripts:
    """Collects the costs of the scripts from index `first` on. A check costs at most `limit`, and the
    solver counts `per_ms` units in a millisecond of a usual machine. `saved` is what `state` gave in
    an earlier session.
    """

    def __init__(
        self, first: int, take: int, limit: int, per_ms: float, saved: Sequence[Any] = ()
    ) -> None:
        self._first, self._end = first, first + take
        self._limit, self._per_ms = limit, per_ms
        self._sizes = {(name, size): SizeCosts(*costs) for name, size, *costs in saved}

    def spent(self, seed: int, block: Block, costs: Mapping[int, int]) -> None:
        """Note the costs of the scripts of the block of a run, by their places in it."""
        for place, cost in costs.items():
            size = block.grammar.size_at(block.first + place)
            known = self._sizes.get((block.grammar.name, size))
            if known is None:
                known = SizeCosts(self._wanted(block.grammar, size))
                self._sizes[block.grammar.name, size] = known
            # what a check counts behind its limit is chance
            known.add(min(cost, self._limit) if self._limit else cost, seed, place)

    def _wanted(self, grammar: Grammar, size: int) -> int:
        """The number of scripts of a size that are to be tested."""
        behind, before = min(grammar.up_to(size), self._end), grammar.up_to(size - 1)
        return behind - max(before, self._first)

    def of_sizes(self) -> list[Suspect]:
        """The scripts that cost more than nearly all of their size."""
        floor = int(FLOOR_MS * self._per_ms)
        return [suspect for size in self._sizes.values() for suspect in size.slow(floor)]

    def of_judge(
        self, seed: int, costs: Mapping[int, int], judged: Mapping[int, float]
    ) -> list[Suspect]:
        """The scripts of the block of a run that cost many times what a judge needs: the costs in
        units, and those for the judge in milliseconds of a usual machine, by the places in the block.
        What the cheapest script costs each of the two does not count.
        """
        least, judge_least = min(costs.values(), default=0), min(judged.values(), default=0)
        found = []
        for place, cost in costs.items():
            if place in judged:
                times = FACTOR * (judged[place] - judge_least)
                bound = least + int(max(times, FLOOR_MS) * self._per_ms)
                if cost > bound:
                    found.append(Suspect(seed, place, REFERENCE, bound))
        return found

    def state(self) -> list[Any]:
        """The plain data to store."""
        return [
            (name, size, costs.wanted, costs.count, costs.top)
            for (name, size), costs in self._sizes.items()
        ]
