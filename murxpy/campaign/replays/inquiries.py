"""Inquiries: series of questions to solvers, where each question may depend on the answers before
it. A question is a trace to replay.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from murxpy.campaign.replays.service import Fresh, Future, Group, Replays
from murxpy.campaign.workers.handles import Job
from murxpy.oracles.crash import Outcome

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ask:
    """A question: replay the trace `text` on plan number `target`. With `judge`, the solver only
    answers the decided checks of the trace, as a judge that is told `judge`.

    A `patient` question gets as much time as the replay that confirms a finding, because the
    machine may be busier than it was; one with a `wall` gets so many seconds. A `fresh` question gets
    a process of its own.
    """

    target: int
    text: str
    judge: Mapping[str, Any] | None = None
    patient: bool = False
    fresh: bool = False
    wall: float = 0.0


Questions = Generator[Ask, Outcome, T]


class Inquirer:
    """Carries out inquiries, one after another. A replay gets the wall limit of a run, and a judge
    gets this limit for each check.

    Each solver is asked in one process, as long as that lives, unless a question is `fresh`. If it dies in a replay, its death is
    the answer. `asked` counts the questions.
    """

    def __init__(self, replays: Replays) -> None:
        self._replays = replays
        self._limits = replays.pool.limits
        self._waiting: deque[tuple[Questions[Any], Callable[[Any], None]]] = deque()
        self._running: tuple[Questions[Any], Callable[[Any], None]] | None = None
        self._asked: Future | None = None
        self._groups: dict[int, Group] = {}
        self.asked = 0

    def add(self, questions: Questions[T], done: Callable[[T], None]) -> None:
        """Carry out `questions` after the waiting inquiries. `done` gets what the generator
        returns.
        """
        self._waiting.append((questions, done))

    @property
    def busy(self) -> bool:
        """Whether an inquiry waits or is under way."""
        return self.waiting > 0

    @property
    def waiting(self) -> int:
        """The number of inquiries that wait or are under way."""
        return len(self._waiting) + (self._running is not None)

    def feed(self) -> None:
        """Begin the next inquiry if none is under way."""
        while self._running is None and self._waiting:
            self._running = self._waiting.popleft()
            self._advance(None)

    def _advance(self, answered: Future | None) -> None:
        assert self._running is not None
        questions, done = self._running
        try:
            # the first outcome: a fresh process may have one more, for the way in which it ended
            ask = next(questions) if answered is None else questions.send(answered.seen()[0])
        except StopIteration as end:
            self._running = self._asked = None
            done(end.value)
            return
        self.asked += 1
        job = Job(
            0,
            ask.wall or (self._limits.replay_wall if ask.patient else self._limits.wall),
            text=ask.text,
            name="trace",
            judge=ask.judge,
            keep=True,
            by_line=self._limits.by_line or ask.judge is not None,
        )
        on = Fresh(ask.target) if ask.fresh else self._group(ask.target)
        self._asked = self._replays.submit((job,), on, self._advance)

    def _group(self, target: int) -> Group:
        return self._groups.setdefault(target, Group(target))

    def clear(self) -> None:
        """Forget all inquiries, and kill the processes."""
        self._waiting.clear()
        self._running = None
        if self._asked is not None:
            self._replays.cancel(self._asked)
            self._asked = None
        for group in self._groups.values():
            self._replays.end(group)
