"""Replays for a command: one trace, or a few runs, in one supervised process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from murxpy.findings.buckets import candidate
from murxpy.oracles.crash import Outcome
from murxpy.processes.handles import Job
from murxpy.processes.limits import Limits
from murxpy.processes.pool import Pool
from murxpy.processes.service import Fresh, Future, Replays
from murxpy.processes.targets import Plan, version_of
from murxpy.records.finding import Finding
from murxpy.worker import buffer


@dataclass(frozen=True, slots=True)
class Replayed:
    """The ends of the runs, in order, and the last finding that they showed. `about` is what the
    session says of its solver.
    """

    outcomes: tuple[Outcome, ...]
    found: Finding | None
    about: dict[str, object]

    @property
    def outcome(self) -> Outcome:
        """The end of the last run."""
        return self.outcomes[-1]


def replay_trace(
    plan: Plan,
    text: str,
    name: str,
    limits: Limits | None = None,
    follow: Callable[[str], None] | None = None,
    wall: float | None = None,
) -> Replayed:
    """Replay the trace `text`, which messages call `name`, in a fresh process of the target of
    `plan`, for `wall` seconds at most.

    `follow` gets the trace that the replay writes, piece by piece as it grows. Raises TargetError
    when the solver cannot be loaded. The report of the outcome says where a trace is malformed.
    """
    limits = limits or Limits()
    return _run(plan, [Job(0, wall or limits.replay_wall, text=text, name=name)], limits, follow)


def walk_seeds(
    plan: Plan,
    runs: Sequence[tuple[int, tuple[tuple[str, str, str], ...]]],
    limits: Limits | None = None,
    follow: Callable[[str], None] | None = None,
) -> Replayed:
    """Do random runs, each given by its seed and its damped calls, one after another in one fresh
    process.

    `follow` gets the trace of the last run, piece by piece as it grows. Raises TargetError when the
    solver cannot be loaded.
    """
    limits = limits or Limits()
    jobs = [
        Job(seed, limits.wall, damp=damp, keep=True, by_line=limits.by_line) for seed, damp in runs
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
    jobs = [Job(0, limits.wall, text=text, name=name) for text in texts]
    return _run(plan, jobs, limits, follow)


def _run(
    plan: Plan, jobs: list[Job], limits: Limits, follow: Callable[[str], None] | None
) -> Replayed:
    with closing(Pool([plan], limits)) as pool:
        (about,) = pool.warm()
        replays = Replays(pool)
        future = replays.submit(jobs, Fresh())
        follower = None if follow is None else _Follower(future, follow)
        while not future.over:
            replays.step()
            if follower is not None:
                follower.look(pool)
        if follower is not None:
            follower.end()
    found = None
    for result in future.results:
        found = (
            candidate(
                0, plan.target.family, version_of(about), result.job, result.past, result.outcome
            )
            or found
        )
    return Replayed(tuple(future.seen()), found, about)


class _Follower:
    """Passes the trace of the last job of `future` on to `write` while its process writes it."""

    def __init__(self, future: Future, write: Callable[[str], None]) -> None:
        self._future = future
        self._write = write
        self._given = 0

    def look(self, pool: Pool) -> None:
        """Pass on the whole lines that are new since the last look, while the process lives."""
        worker = self._future.worker
        if worker is None or worker.number not in pool.workers:
            return
        if buffer.progress(worker.trace_fd).job == self._future.jobs[-1].number:
            data = buffer.read(worker.trace_fd, self._given)
            self._give(data[: data.rfind(b"\n") + 1])

    def end(self) -> None:
        """Pass on the rest, if the last job began."""
        last = self._future.jobs[-1].number
        for result in self._future.results:
            if result.job.number == last:
                self._give(result.outcome.trace.encode("utf-8", "surrogatepass")[self._given :])

    def _give(self, data: bytes) -> None:
        self._given += len(data)
        if data:
            self._write(buffer.decode(data))
