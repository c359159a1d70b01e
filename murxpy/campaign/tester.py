"""Replays of many candidates: several in one process, which is replaced after a death; what counts shows in a fresh one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence

from murxpy.campaign.handles import Job, Worker
from murxpy.campaign.limits import Limits
from murxpy.campaign.pool import Lost, Pool, Result
from murxpy.campaign.targets import Plan
from murxpy.errors import InternalError
from murxpy.oracles.crash import Outcome

Wanted = Callable[[Outcome], bool]
_LOSSES = 5  # processes that a candidate may lose before it began


class OutOfTime(Exception):
    """The time given is over."""


class Tester:
    """Replays texts on `plan`'s target, `jobs` at a time, each for `wall` seconds at most, until `deadline` (monotonic).

    `alone`: every replay gets a process of its own, and how that process ends counts, too; otherwise a process does up
    to `limits.recycle` replays, and a replay in which it dies is made again in a fresh one. `tries`: how often a
    candidate is replayed at most, for faults that do not show each time. Raises TargetError when the solver cannot be
    loaded. `close` ends all processes.
    """

    def __init__(self, plan: Plan, limits: Limits, jobs: int = 1) -> None:
        self.jobs = jobs
        self.wall = limits.replay_wall
        self.tries = 1
        self.alone = False
        self.deadline: float | None = None
        self.replays = 0
        self._pool = Pool([plan], limits)
        self._workers: list[Worker] = []
        try:
            (self.about,) = self._pool.warm()
        except BaseException:
            self._pool.close()
            raise

    def close(self) -> None:
        """End all processes."""
        self._pool.close()

    def fresh(self, text: str) -> list[Outcome]:
        """How a replay of `text` in a fresh process ended, and then how the process did where something was wrong with that."""
        worker = self._pool.spawn(0)
        self._assign(worker, text)
        self._pool.stop(worker)
        outcomes: list[Outcome] = []
        while True:
            for event in self._step():
                if event.worker is worker:
                    if isinstance(event, Lost):
                        return outcomes
                    outcomes.append(event.outcome)

    def first(self, texts: Sequence[str], wanted: Wanted) -> int | None:
        """The index of the first of `texts` whose replay ends as `wanted`; None when none does. Raises OutOfTime."""
        if self.alone:
            return next((at for at, text in enumerate(texts) if self._again(text, wanted, self.tries)), None)
        for at, (outcome, clean) in enumerate(self._replay(texts)):
            shown = wanted(outcome)
            if shown and clean:
                return at
            if (shown or self.tries > 1) and self._again(texts[at], wanted, max(1, self.tries - (not shown))):
                return at
        return None

    def _again(self, text: str, wanted: Wanted, tries: int) -> bool:
        return any(wanted(outcome) for _ in range(tries) for outcome in self.fresh(text))

    def _replay(self, texts: Sequence[str]) -> list[tuple[Outcome, bool]]:
        """How the replay of each text ended, and whether its process had done nothing before it."""
        waiting = deque(range(len(texts)))
        running: dict[int, tuple[Worker, int]] = {}
        done: dict[int, tuple[Outcome, bool]] = {}
        losses = 0
        while len(done) < len(texts):
            while waiting and len(running) < self.jobs:
                worker = self._idle(running)
                running[worker.number] = (worker, waiting.popleft())
                self._assign(worker, texts[running[worker.number][1]])
            for event in self._step():
                _, at = running.get(event.worker.number, (event.worker, -1))
                if isinstance(event, Result) and at >= 0:
                    done[at] = (event.outcome, not event.past)
                    del running[event.worker.number]
                elif isinstance(event, Lost) and at >= 0:
                    del running[event.worker.number]
                    waiting.appendleft(at)
                    losses += 1
            if losses > _LOSSES * len(texts):
                raise InternalError("the processes die before they begin a replay; see what 'murxpy doctor' says")
        return [done[at] for at in range(len(texts))]

    def _idle(self, running: dict[int, tuple[Worker, int]]) -> Worker:
        """A process without work: one that has done few replays, else a fresh one."""
        self._workers = [worker for worker in self._workers if worker.number in self._pool.workers and not worker.eof]
        for worker in self._workers:
            if worker.number not in running and not worker.stopping and worker.killed is None:
                if len(worker.past) < self._pool.limits.recycle:
                    return worker
                self._pool.stop(worker)
        worker = self._pool.spawn(0)
        self._workers.append(worker)
        return worker

    def _assign(self, worker: Worker, text: str) -> None:
        self.replays += 1
        self._pool.assign(worker, Job(self._pool.job_number(), 0, self.wall, text=text, name="candidate"))

    def _step(self) -> list[Result | Lost]:
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise OutOfTime
        return self._pool.step(0.05)
