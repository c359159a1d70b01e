"""Samples of the beta distribution, made of uniform numbers alone, so that the streams of a run
decide them and every release of Python draws the same.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol


class Uniform(Protocol):
    """A source of uniform numbers in [0, 1), such as the random streams of a run."""

    def random(self) -> float:
        """The next number."""


def beta(stream: Uniform, alpha: float, other: float) -> float:
    """A sample of Beta(`alpha`, `other`); both are above 0."""
    first = gamma(stream, alpha)
    total = first + gamma(stream, other)
    # Parameters close to 0 can round both samples to 0. In this case the mean stands for a sample.
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


# ----------------------------------------------------------------------
# Thompson sampling with decay: which of some arms pays most often is learnt while they are drawn.
# Each arm has a beta distribution over the chance that it pays. To draw is to take one sample of
# each and the arm with the greatest. An arm's earlier yields lose weight over time, because the
# arms that pay change while a search goes on.


DECAY = 0.95  # of BanditFuzz: an arm remembers about its last 20 draws


def chance(gains: float, losses: float) -> float:
    """The chance that an arm with such gains and losses pays, as far as is known."""
    return (1.0 + gains) / (2.0 + gains + losses)


class Bandit:
    """Arms by name, each with the gains and losses that it remembers.

    When an arm is rewarded, its memory is multiplied by `decay` first; other arms forget nothing.
    Beside its gains and losses each arm has a prior that does not decay: one draw that paid as much
    as the arms do in the mean, and at least as if one of them always paid and no other. With one gain
    and one loss instead, each of 200 arms is expected to pay half of the time until it has lost often,
    and all draws go into finding out that it does not. An arm that never paid is still drawn now and then.
    """

    __slots__ = ("_decay", "_earned")

    def __init__(self, arms: Sequence[str], decay: float = DECAY) -> None:
        if not arms or len(set(arms)) != len(arms):
            raise ValueError("a bandit has one or more arms, each with a name of its own")
        if not 0.0 < decay <= 1.0:
            raise ValueError(f"the decay of a bandit is above 0 and at most 1, not {decay}")
        self._decay = decay
        self._earned = dict.fromkeys(arms, (0.0, 0.0))

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms, in their order."""
        return tuple(self._earned)

    def draw(
        self,
        stream: Uniform,
        among: Collection[str] | None = None,
        prices: Mapping[str, float] | None = None,
    ) -> str:
        """The arm with the greatest sample; of those in `among` where only some can be drawn now.
        Where draws have different `prices`, above 0, the sample is what an arm gives for its price.
        Only the arms that can be drawn use up numbers of the stream. Raises ValueError if there are
        no arms.
        """
        best, greatest = "", -1.0
        mean = self._mean()
        for arm, (gains, losses) in self._earned.items():
            if among is None or arm in among:
                sample = beta(stream, mean + gains, 1.0 - mean + losses)
                if prices is not None:
                    sample /= prices[arm]
                if sample > greatest:
                    best, greatest = arm, sample
        if greatest < 0.0:
            raise ValueError("none of the arms that can be drawn is an arm of this bandit")
        return best

    def _mean(self) -> float:
        """The share of the draws that paid, of those that are remembered and two more, of which one
        did; at least one by the number of arms, where there are several.
        """
        gained = sum(gains for gains, _ in self._earned.values())
        lost = sum(losses for _, losses in self._earned.values())
        return max(chance(gained, lost), 1.0 / max(2, len(self._earned)))

    def reward(self, arm: str, gain: float) -> None:
        """Note what a draw of `arm` gained: True or 1 if it paid, False or 0 if not, or a share."""
        if not 0.0 <= gain <= 1.0:
            raise ValueError(f"a gain is a share from 0 to 1, not {gain}")
        gains, losses = self._earned[arm]
        self._earned[arm] = (self._decay * gains + gain, self._decay * losses + 1.0 - gain)

    def damp(self, arm: str, losses: float) -> None:
        """Forget the gains of `arm`, and note so many losses, because its results are known now."""
        self._earned[arm] = (0.0, self._earned[arm][1] + losses)

    def state(self) -> dict[str, list[float]]:
        """The gains and losses of each arm, as plain data to store."""
        return {arm: list(earned) for arm, earned in self._earned.items()}

    def restore(self, state: Mapping[str, Sequence[float]]) -> None:
        """Take over what `state` gave. Arms that are not named there know nothing yet, and arms that
        exist no longer are left out.
        """
        for arm in self._earned:
            gains, losses = state.get(arm, (0.0, 0.0))
            self._earned[arm] = (float(gains), float(losses))
