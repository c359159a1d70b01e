"""Samples of the beta distribution, made of uniform numbers alone, so that the streams of a run
decide them and every release of Python draws the same.
"""

from __future__ import annotations

import math
from typing import Protocol


class Uniform(Protocol):
    """A source of uniform numbers in [0, 1), such as the random streams of a run."""

    def random(self) -> float:
        """The next number."""


def beta(stream: Uniform, alpha: float, other: float) -> float:
    """A sample of Beta(`alpha`, `other`); both are above 0."""
    first = gamma(stream, alpha)
    total = first + gamma(stream, other)
    # Parameters close to 0 can round both samples to 0. Then the mean stands for a sample.
    return first / total if total > 0.0 else alpha / (alpha + other)


def gamma(stream: Uniform, shape: float) -> float:
    """A sample of Gamma(`shape`, 1), by the method of Marsaglia and Tsang (A Simple Method for
    Generating Gamma Variables, 2000).
    """
    if shape < 1.0:
        power: float = (1.0 - stream.random()) ** (1.0 / shape)
        return gamma(stream, shape + 1.0) * power
    width = shape - 1.0 / 3.0
    scale = 1.0 / math.sqrt(9.0 * width)
    while True:
        normal = _normal(stream)
        cube = (1.0 + scale * normal) ** 3
        if cube > 0.0:
            accepted = 0.5 * normal * normal + width * (1.0 - cube + math.log(cube))
            if math.log(1.0 - stream.random()) < accepted:
                return width * cube


def _normal(stream: Uniform) -> float:
    """A sample of the standard normal distribution, by the method of Box and Muller."""
    radius = math.sqrt(-2.0 * math.log(1.0 - stream.random()))
    return radius * math.cos(2.0 * math.pi * stream.random())
