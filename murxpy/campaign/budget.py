"""The part of a campaign's time that everything but its runs and its judges may take."""

from __future__ import annotations


class Budget:
    """Gives a `share`, from 0 to 1, of the time that all workers have had together. The clock decides
    only when something is done, and never whether: what is left is done after the last run, when
    the budget is `unbounded`, or in a later session.
    """

    def __init__(self, share: float) -> None:
        self._share = share
        self._workers_time = 0.0
        self.spent = 0.0
        self.unbounded = False

    def passed(self, workers_time: float) -> None:
        """Note that the workers have had `workers_time` seconds together."""
        self._workers_time = workers_time

    @property
    def open(self) -> bool:
        """Whether something may begin now."""
        return self.unbounded or self.spent < self._share * self._workers_time
