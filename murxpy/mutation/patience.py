"""How much a check of a run may cost: checks that are not decided use up a credit, those that are
add to it.

So the time that goes into checks without an answer stays a small part of a run's, whatever its seed
is: a seed whose mutants the solver cannot decide gets smaller limits and is soon given up, one
whose mutants it can gets larger ones. Answers alone decide, no clock does.
"""

from __future__ import annotations

from collections.abc import Sequence

# All in shares of the largest limit, measured by trying them on the answers of z3 5.4.0 to mutants
# of four logics.
CREDIT = 0.5
GAIN = 0.01  # for a mutant that was decided
STAKE = 0.5  # the share of the credit that one check may use
HALVINGS = 5  # of the limit, at most


class Patience:
    """The limits of a run's checks; `most` is the largest, in the solver's unit, 0 where it has
    none.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._credit = CREDIT

    @property
    def over(self) -> bool:
        """True if the credit is used up."""
        return self._share() > self._credit

    @property
    def limit(self) -> int:
        """The limit of the next checks: the largest one halved some times, so that it seldom
        changes.
        """
        return max(min(1, self._most), int(self._most * self._share()))

    def _share(self) -> float:
        share = 1.0
        for _ in range(HALVINGS):
            if share <= STAKE * self._credit:
                break
            share /= 2
        return share

    def note(self, answers: Sequence[str] | None) -> None:
        """What the checks of a mutant answered, None where it was refused."""
        undecided = 1 if answers is None else sum(answer == "unknown" for answer in answers)
        if answers and undecided < len(answers):
            self._credit += GAIN
        self._credit -= undecided * self._share()


def decided(answers: Sequence[str] | None) -> bool:
    """True if a check of a mutant was."""
    return any(answer != "unknown" for answer in answers or ())
