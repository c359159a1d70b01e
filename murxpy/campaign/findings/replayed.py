"""One trace, or one run, in a supervised process of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from murxpy.campaign.finding import Finding
from murxpy.campaign.findings.candidates import candidate, version_of
from murxpy.campaign.workers.handles import Job, Worker
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.pool import Pool, Result
from murxpy.campaign.workers.targets import Plan
from murxpy.oracles.crash import Outcome
from murxpy.worker import buffer


@dataclass(frozen=True, slots=True)
class Replayed:
    """How the runs ended, in order, and the finding in the last of them that has one."""

    outcomes: tuple[Outcome, ...]
    found: Finding | None
    about: dict[str, object]

    @property
    def outcome(self) -> Outcome:
        """How the last run ended."""
        return self.outcomes[-1]


def replay_trace(
    plan: Plan,
    text: str,
    name: str,
    limits: Limits | None = None,
    follow: Callable[[str], None] | None = None,
    wall: float | None = None,
) -> Replayed:
    """Replay the trace `text`, called `name` in messages, in a fresh process of `plan`'s target,
    for `wall` seconds.

    `follow` gets the text of the trace that the replay writes, as it grows. Raises TargetError when
    the solver cannot be loaded. A malformed trace is an outcome whose report says so.
    """
    limits = limits or Limits()
    return _run(plan, [Job(1, 0, wall or limits.replay_wall, text=text, name=name)], limits, follow)


def walk_seeds(
    plan: Plan,
    runs: Sequence[tuple[int, tuple[tuple[str, str, str], ...]]],
    limits: Limits | None = None,
    follow: Callable[[str], None] | None = None,
) -> Replayed:
    """Do the random runs of `runs` (seed, damped calls) one after another in one fresh process.

    `follow` gets the text of the last run's trace as it grows. Raises TargetError when the solver
    cannot be loaded.
    """
    limits = limits or Limits()
    jobs = [
        Job(number, seed, limits.wall, damp=damp, keep=True, by_line=limits.by_line)
        for number, (seed, damp) in enumerate(runs, 1)
    ]
    return _run(plan, jobs, limits, follow)


def replay_texts(
    plan: Plan,
    texts: Sequence[str],
    name: str,
    limits: Limits | None = None,
    follow: Callable[[str], None] | None = None,
) -> Replayed:
    """Replay `texts` one after another in one fresh process; otherwise as `replay_trace`."""
    limits = limits or Limits()
    jobs = [
        Job(number, 0, limits.wall, text=text, name=name) for number, text in enumerate(texts, 1)
    ]
    return _run(plan, jobs, limits, follow)


def _run(
    plan: Plan, jobs: list[Job], limits: Limits, follow: Callable[[str], None] | None
) -> Replayed:
    with closing(Pool([plan], limits)) as pool:
        (about,) = pool.warm()
        results: list[Result] = []
        # a process may be gone before it began; the pool raises TargetError when that does not end
        while not results:
            worker = pool.spawn(0)
            for job in jobs:
                pool.assign(worker, job)
            pool.stop(worker)
            results = _gather(pool, worker, _Follower(worker, jobs[-1], follow) if follow else None)
    found = None
    for result in results:
        found = (
            candidate(
                0, plan.target.family, version_of(about), result.job, result.past, result.outcome
            )
            or found
        )
    return Replayed(tuple(result.outcome for result in results), found, about)


def _gather(pool: Pool, worker: Worker, follower: _Follower | None) -> list[Result]:
    results: list[Result] = []
    while worker.number in pool.workers:
        for event in pool.step(0.05):
            if isinstance(event, Result):
                results.append(event)
                if follower is not None:
                    follower.end(event)
        if follower is not None and worker.number in pool.workers:
            follower.look()
    return results


class _Follower:
    """Gives the text of the trace of `job` to `write` as `worker` writes it."""

    def __init__(self, worker: Worker, job: Job, write: Callable[[str], None]) -> None:
        self._worker = worker
        self._job = job
        self._write = write
        self._given = 0

    def look(self) -> None:
        """Give what was written since, in whole lines."""
        if buffer.progress(self._worker.trace_fd).job != self._job.number:
            return
        data = buffer.read(self._worker.trace_fd, self._given)
        data = data[: data.rfind(b"\n") + 1]
        self._given += len(data)
        if data:
            self._write(buffer.decode(data))

    def end(self, result: Result) -> None:
        """Give the rest, when `result` ends the job."""
        if result.job is not self._job:
            return
        rest = result.outcome.trace.encode("utf-8", "surrogatepass")[self._given :]
        self._given += len(rest)
        if rest:
            self._write(buffer.decode(rest))
