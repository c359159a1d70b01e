"""The limit for the checks of a run. Checks that are not decided use up a credit, and checks that
are decided add to it.

So checks without an answer take only a small part of the time of a run, whatever its seed is. A
seed whose mutants the solver cannot decide gets smaller limits and is soon given up; a seed whose
mutants it can decide gets larger limits. Only answers decide, never a clock.
"""

from __future__ import annotations

from collections.abc import Sequence

# All numbers are shares of the largest limit. They were chosen by measuring the answers of z3 5.4.0
# to mutants of four logics.
CREDIT = 0.5
GAIN = 0.01  # the gain for a mutant that was decided
STAKE = 0.5  # the share of the credit that one check may use
HALVINGS = 5  # how often the limit is halved at most


class Patience:
    """The limits of a run's checks. `most` is the largest limit, in the solver's unit; 0 for a
    solver without limits.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._credit = CREDIT

    @property
    def over(self) -> bool:
        """True if the credit is used up."""
        return self._share() > self._credit

    @property
    def limit(self) -> int:
        """The limit of the next checks: the largest limit, halved some times. So it changes rarely."""
        return max(min(1, self.most), int(self.most * self._share()))

    def _share(self) -> float:
        share = 1.0
        for _ in range(HALVINGS):
            if share <= STAKE * self._credit:
                break
            share /= 2
        return share

    def note(self, answers: Sequence[str] | None, spent: int | None = None) -> None:
        """Record the answers of a mutant's checks; None if the mutant was refused.

        `spent` is what the solver counted for the mutant, for checks that may give up at once. An
        undecided check costs no more than that.
        """
        undecided = 1 if answers is None else sum(answer == "unknown" for answer in answers)
        if answers and undecided < len(answers):
            self._credit += GAIN
        cost = undecided * self._share()
        self._credit -= cost if spent is None else min(cost, spent / max(1, self.most))


def decided(answers: Sequence[str] | None) -> bool:
    """True if a check of a mutant was decided."""
    return any(answer != "unknown" for answer in answers or ())
