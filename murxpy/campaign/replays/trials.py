"""Trials: jobs done alone in a fresh process, to see whether a finding shows again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from murxpy.campaign.workers.handles import Job, Worker
from murxpy.campaign.workers.pool import Lost, Pool, Result
from murxpy.oracles.crash import Outcome

_TRIES = 3  # a trial is begun again when the process was lost through no fault of its own


@dataclass(eq=False)
class Trial:
    """`jobs`, in this order, in one fresh process of `target`; `done` is called with the trial when
    it is over.
    """

    target: int
    jobs: tuple[Job, ...]
    done: Callable[[Trial], None]
    private: bool = False
    outcomes: list[Outcome] = field(default_factory=list)
    tries: int = 0


class Lane:
    """Does trials one at a time."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._queue: deque[Trial] = deque()
        self._trial: Trial | None = None
        self._worker: Worker | None = None

    def add(self, trial: Trial) -> None:
        """Do `trial` after those that wait already."""
        self._queue.append(trial)

    def first(self, trial: Trial) -> None:
        """Do `trial` before those that wait already."""
        self._queue.appendleft(trial)

    @property
    def busy(self) -> bool:
        """Whether a trial is under way or waits."""
        return self._trial is not None or bool(self._queue)

    @property
    def worker(self) -> Worker | None:
        """The process of the trial under way."""
        return self._worker

    def feed(self) -> None:
        """Begin the next trial when none is under way."""
        if self._trial is not None or not self._queue:
            return
        trial = self._trial = self._queue.popleft()
        trial.tries += 1
        trial.outcomes.clear()
        self._worker = self._pool.spawn(trial.target, private=trial.private)
        for job in trial.jobs:
            self._pool.assign(self._worker, job)
        self._pool.stop(self._worker)

    def take(self, event: Result | Lost) -> bool:
        """Take `event` when it is about this lane's process; False when it is not."""
        if self._trial is None or event.worker is not self._worker:
            return False
        trial = self._trial
        if isinstance(event, Result):
            trial.outcomes.append(event.outcome)
            return True
        self._trial = self._worker = None
        orphaned = not trial.private and (event.worker.killed == "parent")
        unborn = not trial.outcomes and event.worker.killed != "stopped"
        if (orphaned or unborn) and trial.tries < _TRIES:
            # whose fault it was shows in a process tree of its own
            trial.private = trial.private or orphaned
            self._queue.appendleft(trial)
        else:
            trial.done(trial)
        return True

    def clear(self) -> None:
        """Forget the trials that wait, and end the one under way without a word."""
        self._queue.clear()
        if self._worker is not None:
            self._worker.kill("stopped")
        if self._trial is not None:
            self._trial.done = lambda trial: None
