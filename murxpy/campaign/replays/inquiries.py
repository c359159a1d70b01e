"""Inquiries: questions that depend on the answers before them, each a replay, asked one after
another in few processes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from murxpy.campaign.workers.handles import Job, Worker
from murxpy.campaign.workers.pool import Lost, Pool, Result
from murxpy.errors import InternalError
from murxpy.oracles.crash import Outcome

_LOSSES = 5  # processes that one question may lose before it is begun
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ask:
    """Replay `text` on plan number `target`; `judge`: only answer its decided checks, as a judge
    told this.

    `patient`: the replay gets the time that a finding's has when it is confirmed, since the machine
    may be busier than it was.
    """

    target: int
    text: str
    judge: Mapping[str, Any] | None = None
    patient: bool = False


Questions = Generator[Ask, Outcome, T]


class Inquirer:
    """Carries out inquiries one after another; each replay has the pool's wall limit of a run, a
    judge's for each check.

    A process does many replays. One in which it dies is its answer, and it is replaced.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._waiting: deque[tuple[Questions[Any], Callable[[Any], None]]] = deque()
        self._running: tuple[Questions[Any], Callable[[Any], None]] | None = None
        self._ask: Ask | None = None
        self._job = -1
        self._asked: Worker | None = None
        self._workers: dict[int, Worker] = {}
        self._losses = 0

    def add(self, questions: Questions[T], done: Callable[[T], None]) -> None:
        """Carry out `questions` after those that wait already; `done` gets what it returns."""
        self._waiting.append((questions, done))

    @property
    def busy(self) -> bool:
        """Whether an inquiry is under way or waits."""
        return self._running is not None or bool(self._waiting)

    @property
    def waiting(self) -> int:
        """How many wait or are under way."""
        return len(self._waiting) + (self._running is not None)

    def feed(self) -> None:
        """Begin the next inquiry when none is under way."""
        while self._running is None and self._waiting:
            self._running = self._waiting.popleft()
            self._advance(None)

    def _advance(self, outcome: Outcome | None) -> None:
        assert self._running is not None
        questions, done = self._running
        try:
            self._ask = next(questions) if outcome is None else questions.send(outcome)
        except StopIteration as end:
            self._running = self._ask = None
            done(end.value)
            return
        self._losses = 0
        self._put()

    def _put(self) -> None:
        """Ask the question in hand."""
        ask = self._ask
        assert ask is not None
        worker = self._worker(ask.target)
        limits = self._pool.limits
        job = Job(
            self._pool.job_number(),
            0,
            limits.replay_wall if ask.patient else limits.wall,
            text=ask.text,
            name="trace",
            judge=ask.judge,
            keep=True,
            by_line=limits.by_line or ask.judge is not None,
        )
        self._job, self._asked = job.number, worker
        self._pool.assign(worker, job)

    def _worker(self, target: int) -> Worker:
        worker = self._workers.get(target)
        if worker is not None and len(worker.past) >= self._pool.limits.recycle:
            self._pool.stop(worker)
        gone = worker is None or worker.number not in self._pool.workers or worker.eof
        if worker is None or gone or worker.stopping or worker.killed is not None:
            worker = self._workers[target] = self._pool.spawn(target)
        return worker

    def take(self, event: Result | Lost) -> bool:
        """Take `event` when it is about a process of this; False when it is not."""
        worker = event.worker
        if worker is not self._asked and worker not in self._workers.values():
            return False
        if isinstance(event, Result):
            if event.job.number == self._job and not event.outcome.after:
                self._job, self._asked = -1, None
                self._advance(event.outcome)
            return True
        self._workers = {
            target: other for target, other in self._workers.items() if other is not worker
        }
        if worker is self._asked:
            self._again()
        return True

    def _again(self) -> None:
        self._losses += 1
        if self._losses > _LOSSES:
            raise InternalError(
                "the processes die before they begin a replay; see what 'murxpy doctor' says"
            )
        self._put()

    def clear(self) -> int:
        """Forget what is under way or waits; gives how many that were."""
        left = self.waiting
        self._waiting.clear()
        self._running = self._ask = None
        self._job, self._asked = -1, None
        for worker in self._workers.values():
            worker.kill("stopped")
        return left
