"""The numbers of a machine file: distributions, limits, probabilities and weights by name."""

from __future__ import annotations

from typing import Any

from murxpy.machine.random import Stream, Weighted


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
