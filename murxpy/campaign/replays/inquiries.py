"""Inquiries: questions that depend on the answers before them, each a replay, asked one after
another in few processes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from murxpy.campaign.replays.service import Future, Group, Replays
from murxpy.campaign.workers.handles import Job
from murxpy.oracles.crash import Outcome

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

    def __init__(self, replays: Replays) -> None:
        self._replays = replays
        self._limits = replays.pool.limits
        self._waiting: deque[tuple[Questions[Any], Callable[[Any], None]]] = deque()
        self._running: tuple[Questions[Any], Callable[[Any], None]] | None = None
        self._asked: Future | None = None
        self._groups: dict[int, Group] = {}

    def add(self, questions: Questions[T], done: Callable[[T], None]) -> None:
        """Carry out `questions` after those that wait already; `done` gets what it returns."""
        self._waiting.append((questions, done))

    @property
    def busy(self) -> bool:
        """Whether an inquiry is under way or waits."""
        return self.waiting > 0

    @property
    def waiting(self) -> int:
        """How many wait or are under way."""
        return len(self._waiting) + (self._running is not None)

    def feed(self) -> None:
        """Begin the next inquiry when none is under way."""
        while self._running is None and self._waiting:
            self._running = self._waiting.popleft()
            self._advance(None)

    def _advance(self, answered: Future | None) -> None:
        assert self._running is not None
        questions, done = self._running
        try:
            ask = next(questions) if answered is None else questions.send(answered.seen()[-1])
        except StopIteration as end:
            self._running = self._asked = None
            done(end.value)
            return
        job = Job(
            0,
            self._limits.replay_wall if ask.patient else self._limits.wall,
            text=ask.text,
            name="trace",
            judge=ask.judge,
            keep=True,
            by_line=self._limits.by_line or ask.judge is not None,
        )
        group = self._groups.setdefault(ask.target, Group(ask.target))
        self._asked = self._replays.submit((job,), group, self._advance)

    def clear(self) -> None:
        """Forget what is under way or waits."""
        self._waiting.clear()
        self._running = None
        if self._asked is not None:
            self._replays.cancel(self._asked)
            self._asked = None
        for group in self._groups.values():
            self._replays.end(group)
