"""Trials: replays that see whether a finding shows again, each in a fresh process, one at a
time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from murxpy.campaign.replays.service import Fresh, Future, Replays
from murxpy.campaign.workers.handles import Job


@dataclass(frozen=True, slots=True)
class Trial:
    """The jobs of one trial, and the fresh process to do them in. `done` gets the future when it is
    over.
    """

    jobs: Sequence[Job]
    on: Fresh
    done: Callable[[Future], None]


class Trials:
    """Does trials one at a time, so that they take little from the runs of a campaign."""

    def __init__(self, replays: Replays) -> None:
        self._replays = replays
        self._waiting: deque[Trial] = deque()
        self._running: Future | None = None

    def add(self, trial: Trial) -> None:
        """Do `trial` after the waiting trials."""
        self._waiting.append(trial)

    def add_first(self, trial: Trial) -> None:
        """Do `trial` before the waiting trials."""
        self._waiting.appendleft(trial)

    @property
    def busy(self) -> bool:
        """Whether a trial is under way or waits."""
        return self._running is not None or bool(self._waiting)

    def feed(self) -> None:
        """Begin the next trial when none is under way."""
        if self._running is None and self._waiting:
            trial = self._waiting.popleft()

            def over(future: Future) -> None:
                self._running = None
                trial.done(future)

            self._running = self._replays.submit(trial.jobs, trial.on, over)

    def clear(self) -> None:
        """Forget the waiting trials, and kill the process of the trial under way."""
        self._waiting.clear()
        if self._running is not None:
            self._replays.cancel(self._running)
            self._running = None
