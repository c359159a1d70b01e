"""The part of a campaign's processor time that is not spent on its runs, their replays and its judges."""

from __future__ import annotations


class Budget:
    """Gives a `share`, from 0 to 1, of the time of all processors that the campaign takes. The clock
    decides only when something is done, and never whether: what began waits while the share is
    spent, and what is left is done after the last run, when the budget is `unbounded`, or in a later
    session.
    """

    def __init__(self, share: float) -> None:
        self._share = share
        self._left = False
        self.unbounded = False

    def passed(self, spent: float, total: float) -> None:
        """Note that the campaign took `total` seconds until now, `spent` of them from this budget."""
        self._left = spent < self._share * total

    @property
    def open(self) -> bool:
        """Whether something may begin or go on now."""
        return self.unbounded or self._left
