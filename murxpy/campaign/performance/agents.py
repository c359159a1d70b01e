"""The two agents of BanditFuzz: one chooses between a new script and a mutant of the best one, the
other the operator that is put into the mutant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from murxpy.learning.bandit import DECAY, Bandit
from murxpy.machine.random import Stream, mix

NEW, MUTATE = "new", "mutate"
_ARMS, _TREES = 1, 2  # key the streams of a step
LEAST_PRICE = 10.0  # milliseconds: what the work around a query takes
_DAMPED = 10.0  # losses of an operator that a slow script is known for


@dataclass(frozen=True, slots=True)
class Choice:
    """What a step does: a new script, or a mutant with the operator `construct`; from this seed."""

    number: int
    loop: str
    construct: str
    seed: int


class Agents:
    """Chooses the steps of a search with this seed. Without `learning`, every script is new.

    A mutant of a slow script is slow, too: it can cost as much as a hundred new scripts. So the first
    agent draws by what an arm gives for what its steps cost. That mutants of a script that costs
    nothing are cheap does not speak for them: a mutant has at least the price of a new script.
    """

    def __init__(self, seed: int, constructs: Sequence[str], *, learning: bool = True) -> None:
        self._seed, self._learning = seed, learning
        self.loop = Bandit((NEW, MUTATE))
        self.construct = Bandit(constructs)
        self._prices = dict.fromkeys(self.loop.arms, LEAST_PRICE)

    def choose(self, number: int, able: Sequence[str]) -> Choice:
        """Step `number`, where the operators `able` can be put into the best script; there is none
        yet where these are none.
        """
        key = mix(self._seed, number)
        stream, seed = Stream(mix(key, _ARMS)), mix(key, _TREES)
        if not able or not self._learning or self._drawn(stream) == NEW:
            return Choice(number, NEW, "", seed)
        return Choice(number, MUTATE, self.construct.draw(stream, able), seed)

    def _drawn(self, stream: Stream) -> str:
        new, mutant = self._prices[NEW], self._prices[MUTATE]
        return self.loop.draw(stream, prices={NEW: new, MUTATE: max(new, mutant)})

    def learn(self, choice: Choice, gain: float, spent: float) -> None:
        """Learn by what share of itself, at most 1, the best margin grew in a step that cost so many
        milliseconds.
        """
        price = self._prices[choice.loop]
        self._prices[choice.loop] = DECAY * price + (1 - DECAY) * max(LEAST_PRICE, spent)
        self.loop.reward(choice.loop, gain)
        if choice.construct:
            self.construct.reward(choice.construct, gain)

    def damp(self, constructs: Iterable[str]) -> None:
        """Choose these operators less often: what they lead to is known."""
        for construct in constructs:
            if construct in self.construct.arms:
                self.construct.damp(construct, _DAMPED)
