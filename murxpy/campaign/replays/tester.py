"""Replays of many candidates: several in one process, which is replaced after a death; what counts
shows in a fresh one.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace

from murxpy.campaign.workers.handles import Job, Worker
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.pool import Lost, Pool, Result
from murxpy.campaign.workers.targets import Plan
from murxpy.errors import InternalError
from murxpy.oracles.crash import Outcome

Wanted = Callable[[Outcome], bool]
_LOSSES = 5  # processes in a row that are lost before they began a replay
_NAME = "candidate"


class OutOfTime(Exception):
    """The time given is over."""


def replay_of(text: str, name: str = _NAME) -> Job:
    """The job that replays `text`."""
    return Job(0, 0, 0.0, text=text, name=name)


@dataclass(eq=False)
class _Task:
    """Jobs on a worker, for candidate number `at`. `fresh`: the process does nothing else, and the
    task is over when it has ended.
    """

    worker: Worker
    jobs: Sequence[Job]
    at: int = 0
    fresh: bool = False
    text: str = ""
    outcomes: list[Outcome] = field(default_factory=list)
    clean: bool = True
    over: bool = False


class Tester:
    """Replays candidates on `plan`'s target, `jobs` at a time, each for `wall` seconds at most,
    until `deadline` (monotonic).

    `alone`: every replay gets a process of its own, and how that process ends counts, too;
    otherwise a process does up to `limits.recycle` replays, and a replay in which it dies is made
    again in a fresh one. `tries`: how often a candidate is replayed at most, for faults that do not
    show each time. `split` cuts a candidate into texts that one fresh process replays one after
    another. Raises TargetError when the solver cannot be loaded. `close` ends all processes.
    """

    def __init__(self, plan: Plan, limits: Limits, jobs: int = 1) -> None:
        self.jobs = jobs
        self.wall = limits.replay_wall
        self.tries = 1
        self.alone = False
        self.split: Callable[[str], Sequence[str]] | None = None
        self.deadline: float | None = None
        self.replays = 0
        self._pool = Pool([plan], limits)
        self._workers: list[Worker] = []
        self._spare: Worker | None = None
        self._tasks: dict[int, _Task] = {}
        try:
            (self.about,) = self._pool.warm()
        except BaseException:
            self._pool.close()
            raise

    def close(self) -> None:
        """End all processes."""
        self._pool.close()

    def fresh(self, *jobs: Job) -> list[Outcome]:
        """How each of `jobs` in one fresh process ended, and then how the process did where
        something was wrong with that.
        """
        task = self._begin_fresh(jobs)
        while not task.over:
            self._step()
        return task.outcomes

    def many(self, count: int, *jobs: Job) -> list[list[Outcome]]:
        """The outcomes of `count` fresh processes that each do `jobs`, as many at a time as there
        may be.
        """
        done: list[_Task] = []
        running: list[_Task] = []
        while len(done) < count:
            while len(running) < self.jobs and len(done) + len(running) < count:
                running.append(self._begin_fresh(jobs))
            self._step()
            done += [task for task in running if task.over]
            running = [task for task in running if not task.over]
        return [task.outcomes for task in done]

    def first(self, texts: Iterator[str], wanted: Wanted) -> int | None:
        """The index of the first of `texts` that is seen to end as `wanted`; None when none does.
        Raises OutOfTime.

        With several jobs, those that are begun behind it are given up as soon as one is seen to.
        """
        replays = self._replays(texts)
        try:
            for task in replays:
                shown = any(map(wanted, task.outcomes))
                if shown and task.clean:
                    return task.at
                tries = max(1, self.tries - (not shown)) if shown or self.tries > 1 else 0
                if any(wanted(outcome) for _ in range(tries) for outcome in self.fresh(*task.jobs)):
                    return task.at
        finally:
            replays.close()
            self._give_up()
        return None

    def _replays(self, texts: Iterator[str]) -> Generator[_Task, None, None]:
        """The replays of the texts as they end."""
        waiting: deque[tuple[int, str]] = deque()
        running: list[_Task] = []
        more, losses, begun = True, 0, enumerate(texts)
        while True:
            while len(running) < self.jobs and (waiting or more):
                if not waiting:
                    following = next(begun, None)
                    more = following is not None
                    if following is None:
                        break
                    waiting.append(following)
                running.append(self._begin(*waiting.popleft()))
            if not running:
                return
            self._step()
            for task in [task for task in running if task.over]:
                running.remove(task)
                if task.outcomes:
                    losses = 0
                    yield task
                else:  # the process was gone before it began
                    losses += 1
                    waiting.append((task.at, task.text))
            if losses > _LOSSES:
                raise InternalError(
                    "the processes die before they begin a replay; see what 'murxpy doctor' says"
                )

    def _begin(self, at: int, text: str) -> _Task:
        if self.alone or self.split is not None:
            task = self._begin_fresh(self.jobs_of(text))
            task.at, task.text = at, text
            return task
        task = _Task(self._idle(), (replay_of(text),), at, text=text)
        self._assign(task)
        return task

    def jobs_of(self, text: str) -> tuple[Job, ...]:
        """The replays that a candidate takes, all in one process."""
        return (replay_of(text),) if self.split is None else tuple(map(replay_of, self.split(text)))

    def _begin_fresh(self, jobs: Sequence[Job]) -> _Task:
        task = _Task(self._new(), jobs, fresh=True)
        self._give(task)
        return task

    def _give(self, task: _Task) -> None:
        self._assign(task)
        self._pool.stop(task.worker)

    def _idle(self) -> Worker:
        """A process without work: one that has done few replays, else a fresh one."""
        self._workers = [
            worker
            for worker in self._workers
            if worker.number in self._pool.workers and not worker.eof
        ]
        given_up = [
            worker for worker in self._workers if worker.jobs and worker.number not in self._tasks
        ]
        for worker in given_up[: max(0, len(given_up) - self.jobs)]:
            worker.kill("stopped")
        for worker in list(self._workers):
            if worker.number not in self._tasks and not worker.jobs and worker.killed is None:
                if len(worker.past) < self._pool.limits.recycle:
                    return worker
                self._workers.remove(worker)
                self._pool.stop(worker)
        worker = self._new()
        self._workers.append(worker)
        return worker

    def _new(self) -> Worker:
        """A process that has done nothing yet: the spare one, so that nobody waits for a fork."""
        spare, self._spare = self._spare, None
        if (
            spare is not None
            and spare.number in self._pool.workers
            and not spare.eof
            and spare.killed is None
        ):
            return spare
        return self._pool.spawn(0)

    def _assign(self, task: _Task) -> None:
        self._tasks[task.worker.number] = task
        for job in task.jobs:
            self.replays += 1
            self._pool.assign(
                task.worker, replace(job, number=self._pool.job_number(), wall=self.wall)
            )
        if self._spare is None:
            self._spare = self._pool.spawn(0)

    def _give_up(self) -> None:
        """Ask no more for what still runs; what is over soon ends by itself, and leaves a process
        for others.
        """
        for task in self._tasks.values():
            if task.fresh:
                task.worker.kill("stopped")
        self._tasks.clear()

    def _step(self) -> None:
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise OutOfTime
        for event in self._pool.step(0.05):
            task = self._tasks.get(event.worker.number)
            if task is None:
                continue
            if isinstance(event, Result):
                task.outcomes.append(event.outcome)
                task.clean = task.fresh or not event.past
            if isinstance(event, Lost) or not task.fresh:
                del self._tasks[event.worker.number]
                task.over = bool(task.outcomes) or not task.fresh
                # the process was gone before it began; the pool raises TargetError when that does
                # not end
                if not task.over:
                    task.worker = self._new()
                    self._give(task)
