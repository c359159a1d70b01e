"""Trials: replays that see whether a finding shows again, each in a fresh process."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from murxpy.campaign.replays.service import Fresh, Future, Replays
from murxpy.campaign.workers.handles import Job


@dataclass(frozen=True, slots=True)
class Trial:
    """The jobs of one trial, and the fresh process to do them in. `done` gets the future when it is
    over. In a hurry, trials with a smaller `rank` come first.
    """

    jobs: Sequence[Job]
    on: Fresh
    done: Callable[[Future], None]
    rank: int = 0


class Trials:
    """Does trials one at a time, so that they take little from the runs of a campaign. Once there are
    no more runs, the campaign is in a hurry: several trials are done at a time, the worst findings
    first.
    """

    def __init__(self, replays: Replays) -> None:
        self._replays = replays
        self._waiting: deque[Trial] = deque()
        self._running: list[Future] = []
        self._places = 1
        self._hurried = False

    def hurry(self, places: int) -> None:
        """Do so many trials at a time from now on, in the order of their ranks."""
        self._places, self._hurried = places, True
        self._sort()

    def _sort(self) -> None:
        if self._hurried:
            self._waiting = deque(sorted(self._waiting, key=lambda trial: trial.rank))

    def add(self, trial: Trial) -> None:
        """Do `trial` after the waiting trials."""
        self._waiting.append(trial)
        self._sort()

    def add_first(self, trial: Trial) -> None:
        """Do `trial` before the waiting trials."""
        self._waiting.appendleft(trial)
        self._sort()

    @property
    def busy(self) -> bool:
        """Whether a trial is under way or waits."""
        return bool(self._running or self._waiting)

    def feed(self) -> None:
        """Begin the next trials while there are places for them."""
        while len(self._running) < self._places and self._waiting:
            self._begin(self._waiting.popleft())

    def _begin(self, trial: Trial) -> None:
        def over(future: Future) -> None:
            self._running.remove(future)
            trial.done(future)

        self._running.append(self._replays.submit(trial.jobs, trial.on, over))

    def clear(self) -> None:
        """Forget the waiting trials, and kill the processes of the trials under way."""
        self._waiting.clear()
        for future in self._running:
            self._replays.cancel(future)
        self._running.clear()
