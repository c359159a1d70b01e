"""Decides which seeds of a run are drawn together: an index of the groups of all seeds, for fuzzers
that need two seeds with something in common.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.machine.random import Stream, mix, unmix
from murxpy.sources.mutation.entry import Entry
from murxpy.sources.mutation.registry import entry_of
from murxpy.sources.mutation.workshop import Seed


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


# ----------------------------------------------------------------------
# The seeds of a session, and the choice of the source and the seeds for a run, which depends on the
# run's seed alone. A run seed is mapped to a number of 64 bits, its code, by a function that can be
# inverted. The low bits of the code choose the source of the run: the walk or one of the fuzzers.
# The rest of the code, divided by the numbers of seed scripts one after another, gives the
# positions of the seed scripts as remainders. The campaign can therefore write a code that draws
# what it wants and invert it to a run seed, and each run can still be repeated from its run seed
# alone.


STEERED = 2  # seeds of a run that the campaign can choose; further seeds are drawn at random
_KEY = 0xD4A3
_LOW = 16  # the number of bits that choose the source
_HIGH = 64 - _LOW


@dataclass(frozen=True, slots=True)
class Drawn:
    """The source and the numbers of the seeds in the corpus from which a run is made. The numbers are
    empty for the walk, and if no seed has a label that the source needs.
    """

    source: str
    seeds: tuple[int, ...] = ()


class Corpus:
    """The seeds by label. `files` are names, texts and labels, `mix` the sources with their
    weights, and `choices` the settings of each source: all plain data.
    """

    def __init__(
        self,
        files: Sequence[Sequence[str]],
        mix: Sequence[Sequence[Any]] = (),
        choices: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        choices = choices or {}
        self.seeds = [Seed(*file) for file in files]
        self._by_label: dict[str, list[int]] = {"": list(range(len(self.seeds)))}
        for number, seed in enumerate(self.seeds):
            for label in seed.label.split():
                self._by_label.setdefault(label, []).append(number)
        self._ranges = _ranges([(str(name), float(weight)) for name, weight in mix])
        self.labels = {
            name: entry_of(name).labels(choices.get(name) or {}) for name in self._ranges
        }

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of the mix."""
        return tuple(self._ranges)

    def among(self, source: str) -> list[list[int]]:
        """For each seed of a run of this source, the numbers of the seeds that it can be; empty for
        the walk.
        """
        return [self.labelled(label) for label in self.labels[source]]

    def labelled(self, label: str) -> list[int]:
        """The numbers of the seeds with this label, or with one of several labels that have blanks
        between them; all seeds for the empty label.
        """
        if " " not in label:
            return self._by_label.get(label, [])
        return sorted({number for word in label.split() for number in self.labelled(word)})

    def sample(self, stream: Stream, labels: Sequence[str]) -> list[int]:
        """A random seed for each label, by their numbers. The empty label means any seed. The
        result is empty if a label has no seed.
        """
        among = [self.labelled(label) for label in labels]
        return [stream.choose(numbers) for numbers in among] if all(among) else []

    def draw(self, run_seed: int) -> Drawn:
        """The source and the seeds of the run with this seed."""
        code = mix(run_seed, _KEY)
        low, rest = code & ((1 << _LOW) - 1), code >> _LOW
        source = next(name for name, slots in self._ranges.items() if low in slots)
        among = self.among(source)
        if not all(among):
            return Drawn(source)
        drawn = []
        for numbers in among[:STEERED]:
            rest, digit = divmod(rest, len(numbers))
            drawn.append(numbers[digit])
        return Drawn(source, (*drawn, *self.sample(Stream(code), self.labels[source][STEERED:])))

    def steered(self, run_seed: int, source: str, seeds: Sequence[int]) -> int:
        """The run seed that draws `source` and `seeds` (as many as can be chosen), and is otherwise
        as near to `run_seed` as possible.
        """
        code = mix(run_seed, _KEY)
        low, rest = code & ((1 << _LOW) - 1), code >> _LOW
        slots = self._ranges[source]
        if low not in slots:
            low = slots[low % len(slots)]
        digits, size = 0, 1
        for numbers, seed in zip(self.among(source), seeds, strict=False):
            digits += bisect_left(numbers, seed) * size  # the numbers are sorted
            size *= len(numbers)
        rest += digits - rest % size
        return unmix((rest if rest >> _HIGH == 0 else rest - size) << _LOW | low, _KEY)


def _ranges(mix: Sequence[tuple[str, float]]) -> dict[str, range]:
    """The range of codes of each source. The size of a range follows the weight of the source, and is
    at least one.
    """
    total, begin, ranges = sum(weight for _, weight in mix), 0, {}
    for at, (name, weight) in enumerate(mix):
        left = len(mix) - at - 1
        end = (
            (1 << _LOW)
            if not left
            else min(
                max(begin + 1, begin + round(weight / total * (1 << _LOW))), (1 << _LOW) - left
            )
        )
        ranges[name] = range(begin, end)
        begin = end
    return ranges
