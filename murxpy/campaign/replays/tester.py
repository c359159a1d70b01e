"""The tester: it replays the many candidates of a minimization, several of them in one process.

What one process did before may change what a candidate shows. So a candidate counts only when a
replay in a fresh process shows the wanted outcome.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from murxpy.campaign.replays.service import Fresh, Future, Group, Replays
from murxpy.campaign.workers.handles import Job
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.pool import Pool
from murxpy.campaign.workers.targets import Plan, version_of
from murxpy.oracles.crash import Outcome

Wanted = Callable[[Outcome], bool]
_NAME = "candidate"


class OutOfTime(Exception):
    """The time given for a task is over."""


def replay_of(text: str, name: str = _NAME) -> Job:
    """The job that replays `text`."""
    return Job(0, 0.0, text=text, name=name)


class Tester:
    """Replays candidates on the target of `plan`, `jobs` at a time, each for at most `wall`
    seconds, until `deadline` (monotonic).

    By default a process makes up to `limits.recycle` replays. With `alone`, every replay gets a
    fresh process, and the way in which that process ends counts, too. `tries` limits how often a
    candidate is replayed, for faults that do not show each time. `split` cuts a candidate into
    several texts, which one fresh process replays one after another. `replays` counts the replays.
    `release` has the family and the version of the solver, as the header of a trace names it.

    Raises TargetError when the solver cannot be loaded. `close` ends all processes.
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
        (about,) = self._pool.warm()
        self.release = f"{plan.target.family} {version_of(about)}".rstrip()
        self._service = Replays(self._pool, spares=(0,))
        self._group = Group()

    def close(self) -> None:
        """End all processes."""
        self._pool.close()

    def limit_cpu(self, seconds: float) -> None:
        """Stop each replay from now on that takes so many seconds of the processor."""
        self._pool.limits = replace(self._pool.limits, cpu=seconds)

    def fresh(self, *jobs: Job) -> list[Outcome]:
        """The outcomes of `jobs` in one fresh process. If the process itself then ended badly, a
        last outcome says so.
        """
        return self.many(1, *jobs)[0]

    def many(self, count: int, *jobs: Job) -> list[list[Outcome]]:
        """The outcomes of `count` fresh processes that each do `jobs`, as many at a time as
        `self.jobs` allows.
        """
        ended: list[Future] = []
        running: list[Future] = []
        while len(ended) < count:
            while len(running) < self.jobs and len(ended) + len(running) < count:
                running.append(self._submit(jobs, Fresh()))
            self._step()
            ended += [future for future in running if future.over]
            running = [future for future in running if not future.over]
        return [future.seen() for future in ended]

    def first(self, texts: Iterator[str], wanted: Wanted) -> int | None:
        """The index of the first text of `texts` that is seen to end as `wanted`; None when none
        is. Raises OutOfTime.

        With several jobs, later texts are begun before earlier ones have ended; they are given up
        as soon as one text is seen to end as wanted.
        """
        begun = enumerate(texts)
        running: dict[Future, int] = {}
        try:
            while True:
                while len(running) < self.jobs and (following := next(begun, None)) is not None:
                    running[self._begin(following[1])] = following[0]
                if not running:
                    return None
                self._step()
                for future in [future for future in running if future.over]:
                    at = running.pop(future)
                    if self._shows(future, wanted):
                        return at
        finally:
            for future in running:
                self._service.cancel(future)

    def _shows(self, future: Future, wanted: Wanted) -> bool:
        """Whether a candidate, replayed in `future`, ends as `wanted`. If it did so in a process
        that had made other replays, it is replayed again in a fresh one.
        """
        shown = any(map(wanted, future.seen()))
        alone = isinstance(future.on, Fresh) or not future.results[-1].past
        if shown and alone:
            return True
        tries = max(1, self.tries - (not shown)) if shown or self.tries > 1 else 0
        return any(wanted(outcome) for _ in range(tries) for outcome in self.fresh(*future.jobs))

    def jobs_of(self, text: str) -> tuple[Job, ...]:
        """The jobs that replay a candidate, all in one process."""
        return (replay_of(text),) if self.split is None else tuple(map(replay_of, self.split(text)))

    def _begin(self, text: str) -> Future:
        if self.alone or self.split is not None:
            return self._submit(self.jobs_of(text), Fresh())
        self._group.places = range(self.jobs)
        return self._submit((replay_of(text),), self._group)

    def _submit(self, jobs: Sequence[Job], on: Fresh | Group) -> Future:
        self.replays += len(jobs)
        return self._service.submit([replace(job, wall=self.wall) for job in jobs], on)

    def _step(self) -> None:
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise OutOfTime
        self._service.step()
