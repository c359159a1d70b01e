"""Which seeds of a run are drawn together: an index of the groups of all seeds, for fuzzers that need
two seeds with something in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from murxpy.mutation.entry import Entry
from murxpy.mutation.workshop import Seed


class Pairing:
    """The groups of the seeds of one source, whose settings are `choices`. A seed is named by its
    number among `seeds`.
    """

    def __init__(self, entry: Entry, seeds: Sequence[Seed], choices: Mapping[str, Any]) -> None:
        self._groups = entry.groups
        self._seeds = seeds
        self._choices = choices
        self._known: dict[tuple[int, int], frozenset[str]] = {}
        self._partners: dict[frozenset[str], list[int]] = {}

    def _of(self, place: int, number: int) -> frozenset[str]:
        assert self._groups is not None
        found = self._known.get((place, number))
        if found is None:
            found = self._groups(place, self._seeds[number], self._choices)
            self._known[place, number] = found
        return found

    def paired(self, pools: Sequence[list[int]]) -> list[list[int]]:
        """The seeds of two pools that have a partner in the other pool. Pools of a fuzzer that
        needs no pairs stay as they are.
        """
        if self._groups is None or len(pools) != 2:
            return [list(pool) for pool in pools]
        self._partners.clear()
        groups = [
            frozenset[str]().union(*(self._of(place, number) for number in pool))
            for place, pool in enumerate(pools)
        ]
        return [
            [number for number in pool if self._of(place, number) & groups[1 - place]]
            for place, pool in enumerate(pools)
        ]

    def partners(self, first: int, pool: list[int]) -> list[int]:
        """The seeds of `pool`, from which second seeds are drawn, that have a group in common with
        the first seed. `paired` must be called again when the pool has changed.
        """
        if self._groups is None:
            return pool
        groups = self._of(0, first)
        if groups not in self._partners:
            self._partners[groups] = [n for n in pool if self._of(1, n) & groups]
        return self._partners[groups]
