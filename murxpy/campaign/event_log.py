"""The log of a campaign: its events in order, and their sums."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator

from murxpy.campaign import events
from murxpy.campaign.snapshot import WorkerState
from murxpy.campaign.statistics import Statistics
from murxpy.campaign.yields import fruitless


class EventLog:
    """Collects events until the campaign yields them, and sums them in `statistics`. Times are
    seconds since the campaign began.
    """

    def __init__(self) -> None:
        self._events: deque[events.Event] = deque()
        self._start = time.monotonic()
        self.statistics = Statistics()

    def restart_clock(self) -> None:
        """Let the campaign begin now."""
        self._start = time.monotonic()

    @property
    def now(self) -> float:
        """The seconds since the campaign began."""
        return time.monotonic() - self._start

    @property
    def runs(self) -> int:
        """The number of runs that have ended."""
        return self.statistics.counts["run:total"]

    def emit(self, event: events.Event) -> None:
        """Append `event`."""
        self.statistics.add(event, self.now)
        self._events.append(event)

    def notice(self, text: str) -> None:
        """Append a line for the user."""
        self.emit(events.Notice(text))

    def end_runs(self, now: float, more: Iterable[str] = ()) -> None:
        """Note that there are no more runs, and tell which fuzzers made nothing worth while, and
        what `more` there is to tell.
        """
        self.statistics.end_runs(now)
        for text in (*fruitless(self.statistics.counts), *more):
            self.notice(text)

    def show(self, slot: int, target: str, state: WorkerState, seed: int | None = None) -> None:
        """Note that the process in `slot` is now in `state`, with the run of `seed` (None: with no
        run).
        """
        self.statistics.worker(slot, target, state, seed, self.now)

    def drain(self) -> Iterator[events.Event]:
        """Yield the events that were not yielded before."""
        while self._events:
            yield self._events.popleft()
