"""The seeds of a session, and which source and which of them a run works on: the run's own seed
says so.

A run seed, mixed, is a code: its low bits choose the source, the digits above them, in a mixed
radix, the seed scripts. The code can be read and written, so whoever hands out run seeds can steer
what they draw, and each is still redone by its run seed alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.machine.random import Stream, mix, unmix
from murxpy.mutation.registry import SOURCES
from murxpy.mutation.workshop import Seed

STEERED = 2  # seeds of a run that can be steered; those behind them are drawn at random
_KEY = 0xD4A3
_LOW = 16  # bits that choose the source
_HIGH = 64 - _LOW


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a run is made from: a source, and numbers of seeds in the corpus; empty where there is
    none of a label, and for walks.
    """

    source: str
    seeds: tuple[int, ...] = ()


class Corpus:
    """Seeds by label. `files` are names, texts and labels, `mix` sources with weights, `choices`
    the settings of each: plain data.
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
        self.labels = {name: SOURCES[name].labels(choices.get(name) or {}) for name in self._ranges}

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of the mix."""
        return tuple(self._ranges)

    def among(self, source: str) -> list[list[int]]:
        """The seeds that each place of a run of this source can have, by their numbers; of walks
        nothing.
        """
        return [self._by_label.get(label, []) for label in self.labels[source]]

    def sample(self, stream: Stream, labels: Sequence[str]) -> list[int]:
        """A random seed for each label, by their numbers; the empty label is for any seed. Empty
        where there is none of a label.
        """
        among = [self._by_label.get(label, []) for label in labels]
        return [stream.choose(numbers) for numbers in among] if all(among) else []

    def draw(self, run_seed: int) -> Drawn:
        """What the run of this seed is made from."""
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
        """The run seed that draws `source` and `seeds` (as many as can be steered), otherwise as
        near to `run_seed` as can be.
        """
        code = mix(run_seed, _KEY)
        low, rest = code & ((1 << _LOW) - 1), code >> _LOW
        slots = self._ranges[source]
        if low not in slots:
            low = slots[low % len(slots)]
        digits, size = 0, 1
        for numbers, seed in zip(self.among(source), seeds, strict=False):
            digits += bisect_left(numbers, seed) * size  # they stand in order
            size *= len(numbers)
        rest += digits - rest % size
        return unmix((rest if rest >> _HIGH == 0 else rest - size) << _LOW | low, _KEY)


def _ranges(mix: Sequence[tuple[str, float]]) -> dict[str, range]:
    """The codes of each source: as many as its weight says, at least one."""
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
