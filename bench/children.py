"""Runs of a session in forked child processes: a solver that dies or overstays costs one run, never
the measurement.
"""

from __future__ import annotations

import json
import os
import select
import signal
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from murxpy.worker import buffer, process
from murxpy.worker.session import Session

Write = Callable[[str], None]
Task = Callable[[Session, int, Write], dict[str, Any]]

LIMITS = {"output": 64 << 20, "address_space": 8 << 30, "nice": 0}


def walked(session: Session, seed: int, write: Write) -> str:
    """The trace of a walk, which is written as it comes, too."""
    parts: list[str] = []

    def note(text: str) -> None:
        write(text)
        parts.append(text)

    session.walk(seed, note)
    return "".join(parts)


@dataclass(frozen=True)
class Outcome:
    """What came of the run of `seed`: `ok` with what the task gave, else `died` or `overstayed`
    with the trace so far.

    `cause` is the signal or exit code of a death.
    """

    seed: int
    status: str
    result: dict[str, Any] = field(default_factory=dict)
    cause: str = ""
    trace: str = ""

    @property
    def last_call(self) -> str:
        """Action and operator of the last line of the trace, for tables."""
        for line in reversed(self.trace.splitlines()):
            words = line.split()
            if not line.startswith(("#", "      ")) and len(words) > 1 and words[0].isdigit():
                return " ".join(words[1:3]) if words[1].startswith("mk-term") else words[1]
        return ""


class Child:
    """A forked process that does `seeds` one after another, and the parent's end of it."""

    def __init__(self, session: Session, seeds: Sequence[int], task: Task) -> None:
        self.left = list(seeds)
        self.trace = buffer.create()
        self.read, write = os.pipe()
        self._bytes = b""
        self._line = (-1, -1, 0.0)
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            stderr = os.dup(2)
            try:
                self._serve(session, task, write, parent)
            except BaseException:  # a fault of ours, which must not be taken for one of the solver
                os.write(stderr, traceback.format_exc().encode())
            finally:
                os._exit(70)
        os.close(write)

    def _serve(self, session: Session, task: Task, write: int, parent: int) -> None:
        os.setsid()
        process.die_with_parent(parent)
        process.redirect(os.open(os.devnull, os.O_WRONLY))
        process.limit(LIMITS)
        trace = buffer.TraceBuffer(self.trace)
        for number, seed in enumerate(self.left):
            trace.begin(number, seed)
            result = task(session, seed, trace.write)
            trace.end()
            _write_all(write, json.dumps(result).encode() + b"\n")
        os._exit(0)

    def overstays(self, wall: float, by_line: bool) -> bool:
        """True if the run in hand, or the line of its trace, takes longer than `wall` seconds."""
        now = buffer.progress(self.trace)
        start = now.start
        if by_line:
            if self._line[:2] != (now.job, now.length):
                self._line = (now.job, now.length, time.monotonic())
            start = self._line[2]
        return now.state == buffer.RUNNING and time.monotonic() - start > wall

    def receive(self) -> list[Outcome] | None:
        """The runs that ended since; None when the process is at its end."""
        data = os.read(self.read, 1 << 20)
        if not data:
            return None
        *lines, self._bytes = (self._bytes + data).split(b"\n")
        return [Outcome(self.left.pop(0), "ok", json.loads(line)) for line in lines]

    def bury(self, overstayed: bool) -> Outcome | None:
        """Reap the process; gives the run that it died in, if any."""
        if overstayed:
            os.killpg(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.read)
        begun = buffer.progress(self.trace).state != buffer.IDLE
        text = buffer.decode(buffer.read(self.trace))
        os.close(self.trace)
        if not self.left or not begun:
            return None
        seed = self.left.pop(0)
        if overstayed:
            return Outcome(seed, "overstayed", trace=text)
        code = os.waitstatus_to_exitcode(status)
        cause = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return Outcome(seed, "died", cause=cause, trace=text)


def run_all(
    session: Session,
    seeds: Sequence[int],
    task: Task,
    jobs: int = 2,
    wall: float = 2.0,
    chunk: int = 500,
    by_line: bool = False,
) -> Generator[Outcome, None, None]:
    """Do `task` for every seed, in `jobs` processes at a time, each of which does up to `chunk`
    seeds in order.

    `wall` is of a run, with `by_line` of each line of its trace.
    """
    waiting = [list(seeds[at : at + chunk]) for at in range(0, len(seeds), chunk)]
    children: list[Child] = []
    try:
        while waiting or children:
            while waiting and len(children) < jobs:
                children.append(Child(session, waiting.pop(0), task))
            ready, _, _ = select.select([child.read for child in children], [], [], 0.1)
            for child in list(children):
                yield from _look_at(child, child.read in ready, (wall, by_line), children, waiting)
    finally:
        for child in children:
            os.killpg(child.pid, signal.SIGKILL)
            os.waitpid(child.pid, 0)


def _look_at(
    child: Child,
    ready: bool,
    wall: tuple[float, bool],
    children: list[Child],
    waiting: list[list[int]],
) -> Iterator[Outcome]:
    outcomes = child.receive() if ready else []
    yield from outcomes or ()
    overstayed = not outcomes and outcomes is not None and child.overstays(*wall)
    if outcomes is None or overstayed:
        children.remove(child)
        lost = child.bury(overstayed)
        if child.left:
            waiting.insert(0, child.left)
        if lost is not None:
            yield lost


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
