"""Random streams, keyed by the seed of the run and the step, so that the draws of one step do not
change those of others.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Sequence
from hashlib import blake2b
from itertools import accumulate
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_MASK = (1 << 64) - 1


def mix(seed: int, key: int) -> int:
    """A 64-bit number that depends on every bit of both (the finaliser of SplitMix64)."""
    z = (seed + (key + 1) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def run_seed(seed: int, index: int) -> int:
    """The 64-bit seed of run `index` in the campaign with `seed`. The run seed depends on nothing
    else.
    """
    return int.from_bytes(blake2b(f"{seed}:{index}".encode()).digest()[:8], "big")


def unmix(number: int, key: int) -> int:
    """The seed for which `mix(seed, key)` is `number`. Each step of `mix` can be reversed."""
    z = _unshifted(number, 31)
    z = _unshifted((z * pow(0x94D049BB133111EB, -1, 1 << 64)) & _MASK, 27)
    z = _unshifted((z * pow(0xBF58476D1CE4E5B9, -1, 1 << 64)) & _MASK, 30)
    return (z - (key + 1) * 0x9E3779B97F4A7C15) & _MASK


def _unshifted(number: int, bits: int) -> int:
    """The z for which z ^ (z >> bits) is `number`."""
    z = number
    for _ in range(63 // bits):
        z = number ^ (z >> bits)
    return z


def point(seed: int) -> float:
    """A number in [0, 1) that depends on a line's seed alone, so that a replay makes the same
    choice.
    """
    return mix(seed, 0x5EED) / 2.0**64


class Weighted(Generic[T]):
    """A weighted choice whose sums are computed once."""

    __slots__ = ("_ends", "items", "total")

    def __init__(self, pairs: Sequence[tuple[T, float]]) -> None:
        self.items = [item for item, weight in pairs if weight > 0]
        self._ends = list(accumulate(weight for _, weight in pairs if weight > 0))
        self.total = self._ends[-1] if self._ends else 0.0

    def pairs(self) -> list[tuple[T, float]]:
        """The items with their weights."""
        return [
            (item, end - start)
            for item, end, start in zip(self.items, self._ends, [0.0, *self._ends], strict=False)
        ]

    def at(self, fraction: float) -> T:
        """The item at `fraction` in [0, 1) of the total weight."""
        return self.items[min(bisect_right(self._ends, fraction * self.total), len(self.items) - 1)]


class Stream:
    """A stream of draws, which is reset for each step. The stream uses only `random()` and
    `getrandbits()`, which stay the same in all releases of Python.
    """

    __slots__ = ("_source", "bits", "random", "reset")

    def __init__(self, seed: int) -> None:
        self._source = random.Random(seed)
        self.random = self._source.random
        self.bits = self._source.getrandbits
        # This starts the stream from an int, as `Random.seed` does, without the cases of other
        # types.
        self.reset = super(random.Random, self._source).seed

    def below(self, limit: int) -> int:
        """A uniform int in 0..limit-1."""
        return (
            int(self.random() * limit)
            if limit < 1 << 50
            else self.bits(limit.bit_length() + 32) % limit
        )

    def between(self, low: int, high: int) -> int:
        """A uniform int in low..high."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random() < probability

    def choose(self, items: Sequence[T]) -> T:
        """A uniform choice."""
        return items[int(self.random() * len(items))]

    def weighted(self, choice: Weighted[T]) -> T:
        """A weighted choice."""
        return choice.at(self.random())

    def shuffle(self, items: list[Any]) -> None:
        """Shuffle in place (Fisher-Yates)."""
        for at in range(len(items) - 1, 0, -1):
            other = int(self.random() * (at + 1))
            items[at], items[other] = items[other], items[at]

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """`count` different items in random order; all items if there are fewer."""
        pool = list(items)
        self.shuffle(pool)
        return pool[:count]


# ----------------------------------------------------------------------
# The numbers of a machine file: distributions, limits, probabilities and weights by name.


class Distribution:
    """Draws a number or a name: `[lo, hi]` stands for a uniform draw."""

    __slots__ = ("_choice",)

    def __init__(self, choices: list[Any]) -> None:
        self._choice: Weighted[Any] = Weighted(
            [(value, float(weight)) for value, weight in choices]
        )

    def draw(self, stream: Stream) -> Any:
        """One number (int) or name (str)."""
        value = self._choice.at(stream.random())
        return stream.between(value[0], value[1]) if isinstance(value, (list, tuple)) else value

    def within(self, stream: Stream, low: int, high: int) -> int:
        """A number in low..high. Where a few draws fall outside this range, the number is drawn
        uniformly from it.
        """
        for _ in range(4):
            value = self.draw(stream)
            if isinstance(value, int) and low <= value <= high:
                return value
        return stream.between(low, high)


class Settings:
    """The distributions, limits, probabilities and weights of a machine file; a profile can
    override limits.
    """

    def __init__(self, machine: dict[str, Any], overrides: dict[str, int]) -> None:
        self.machine = machine
        self.distributions = {
            name: Distribution(e["choices"])
            for name, e in (machine.get("distributions") or {}).items()
        }
        self.limits: dict[str, int] = dict(machine.get("limits") or {})
        for name, value in overrides.items():
            self.limits[name] = min(value, self.limits.get(name, value))
        self.probabilities: dict[str, float] = dict(machine.get("probabilities") or {})
        self.weights: dict[str, dict[str, float]] = machine.get("weights") or {}

    def draw(self, name: str, stream: Stream) -> Any:
        """A number or name from the distribution called `name`."""
        return self.distributions[name].draw(stream)

    def number(self, name: str, stream: Stream) -> int:
        """A number from the distribution called `name`."""
        return int(self.distributions[name].draw(stream))

    def within(self, name: str, stream: Stream, low: int, high: int) -> int:
        """A number in low..high from the distribution called `name`."""
        return self.distributions[name].within(stream, low, high)

    def limit(self, name: str) -> int:
        """The limit called `name`."""
        return self.limits[name]

    def chance(self, name: str, stream: Stream) -> bool:
        """True with the probability called `name`."""
        return stream.random() < self.probabilities[name]

    def weight(self, group: str, key: str) -> float:
        """The weight of `key` in a group (`theories`, `operators`, `sorts`)."""
        weights = self.weights.get(group) or {}
        return float(weights.get(key, weights.get("default", 1)))
