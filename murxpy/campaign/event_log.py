"""The events of a campaign, in order, and their sums."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator

from murxpy.campaign import events
from murxpy.campaign.snapshot import WorkerState
from murxpy.campaign.statistics import Statistics


class EventLog:
    """Collects events until the campaign yields them, and sums them in `statistics`. `now` are the
    seconds since the campaign began.
    """

    def __init__(self) -> None:
        self._events: deque[events.Event] = deque()
        self._start = time.monotonic()
        self.statistics = Statistics()

    def restart_clock(self) -> None:
        """The campaign begins now."""
        self._start = time.monotonic()

    @property
    def now(self) -> float:
        """Seconds since the campaign began."""
        return time.monotonic() - self._start

    @property
    def runs(self) -> int:
        """How many runs have ended."""
        return self.statistics.counts["run:total"]

    def emit(self, event: events.Event) -> None:
        """Append `event`."""
        self.statistics.add(event, self.now)
        self._events.append(event)

    def notice(self, text: str) -> None:
        """Append a line for the user."""
        self.emit(events.Notice(text))

    def show(self, slot: int, target: str, state: WorkerState, seed: int | None = None) -> None:
        """The process in `slot` is from now on in `state`, with the run of `seed` (None: with none)."""
        self.statistics.worker(slot, target, state, seed, self.now)

    def drain(self) -> Iterator[events.Event]:
        """The events that were not given yet."""
        while self._events:
            yield self._events.popleft()
