"""The runs of a campaign from which something is learnt, in the order of their numbers.

Runs end in any order, and faster on one machine than on another. So a run is chosen by what came of
the runs that are `lag` numbers before it, and waits until these are over. Then a campaign with the
same seed chooses the same, whenever results come and however many workers there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar

LAG = 32  # numbers between a run and the last one that it is chosen by, at the beginning
# Later the lag is a quarter of all runs, up to so many. With a lag of 32, 16 workers would wait for
# slow runs for 45 % of their time (simulated, with exponential times of runs), and now for 1 %.
_MOST, _SHARE = 512, 4


class Row(Protocol):
    """A run that can be stored."""

    def row(self) -> list[Any]:
        """The run as plain data."""


R = TypeVar("R", bound=Row)


def lag(index: int) -> int:
    """How many numbers before run `index` the last run is by which it is chosen."""
    return min(_MOST, max(LAG, index // _SHARE))


class Pending(Generic[R]):
    """The runs that are under way, and those that are over and not learnt from yet, by their numbers.
    `saved` is what `state` gave in an earlier session, and `read` reads a run that `row` described.
    """

    def __init__(self, read: Callable[[Iterable[Any]], R], saved: Mapping[str, Any]) -> None:
        self.open, self.over = (
            {int(index): read(row) for index, row in saved.get(part, {}).items()}
            for part in ("open", "over")
        )

    def state(self) -> dict[str, Any]:
        """The plain data to store."""
        parts = {"open": self.open, "over": self.over}
        return {
            part: {str(index): run.row() for index, run in runs.items()}
            for part, runs in parts.items()
        }

    def ready(self, index: int) -> bool:
        """Whether run `index` can be chosen: all runs are over from which it is to be learnt. A worker
        that is much faster than another one has to wait.
        """
        return index in self.open or min(self.open, default=index) > index - lag(index)

    def done(self, index: int) -> None:
        """Note that run `index` is over."""
        if index in self.open:
            self.over[index] = self.open.pop(index)

    def due(self, index: int) -> Iterator[tuple[int, R]]:
        """The runs from which is learnt before run `index` is chosen, in their order. Each is given
        once.
        """
        for number in sorted(n for n in self.over if n <= index - lag(index)):
            yield number, self.over.pop(number)
