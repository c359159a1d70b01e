"""The two agents of BanditFuzz: one chooses between a new script and a mutant of the best one, the
other the operator that is put into the mutant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from murxpy.learning.bandit import Bandit
from murxpy.machine.random import Stream, mix

NEW, MUTATE = "new", "mutate"
_ARMS, _TREES = 1, 2  # key the streams of a step
_DAMPED = 10.0  # losses of an operator that a slow script is known for


@dataclass(frozen=True, slots=True)
class Choice:
    """What a step does: a new script, or a mutant with the operator `construct`; from this seed."""

    number: int
    loop: str
    construct: str
    seed: int


class Agents:
    """Chooses the steps of a search with this seed. Without `learning`, every script is new."""

    def __init__(self, seed: int, constructs: Sequence[str], *, learning: bool = True) -> None:
        self._seed, self._learning = seed, learning
        self.loop = Bandit((NEW, MUTATE))
        self.construct = Bandit(constructs)

    def choose(self, number: int, able: Sequence[str]) -> Choice:
        """Step `number`, where the operators `able` can be put into the best script; there is none
        yet where these are none.
        """
        key = mix(self._seed, number)
        stream, seed = Stream(mix(key, _ARMS)), mix(key, _TREES)
        if not able or not self._learning or self.loop.draw(stream) == NEW:
            return Choice(number, NEW, "", seed)
        return Choice(number, MUTATE, self.construct.draw(stream, able), seed)

    def learn(self, choice: Choice, better: bool) -> None:
        """Learn whether a step gave a better script than the best."""
        self.loop.reward(choice.loop, better)
        if choice.construct:
            self.construct.reward(choice.construct, better)

    def damp(self, constructs: Iterable[str]) -> None:
        """Choose these operators less often: what they lead to is known."""
        for construct in constructs:
            if construct in self.construct.arms:
                self.construct.damp(construct, _DAMPED)
