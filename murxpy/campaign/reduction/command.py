"""The predicate that is a command of the user: it is run on a file with each candidate."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from functools import partial

from murxpy.campaign.reduction.pipeline import Predicate, Task
from murxpy.campaign.reduction.predicates import PATIENCE, SPARE
from murxpy.campaign.reduction.programs import end_group
from murxpy.campaign.replays.tester import OutOfTime
from murxpy.campaign.workers.scratch import Scratch
from murxpy.errors import InputError
from murxpy.worker.process import die_with_parent

_SECONDS = 60.0  # for the first run of the command


class Commanded(Predicate[str]):
    """A command of the user exits with 0 for a file with the candidate, whose path is its last word.

    Raises InputError where there is no such program, or it does not exit with 0 for the trace itself.
    A run that takes much longer than that counts as a failure.
    """

    def __init__(self, task: Task, source: str) -> None:
        command = task.command
        if shutil.which(command[0]) is None:
            raise InputError(
                f"--command: there is no program '{command[0]}'; name one, with its arguments"
            )
        self.key = " ".join(command)
        self._runs = _Runs(command, task.jobs)
        super().__init__(task.deadline, self._runs)
        with self.closed_on_error():
            began = time.monotonic()
            if self.first(iter([source])) is None:
                raise InputError(
                    f"'{self.key}' does not exit with 0 for it, expected a command that keeps the trace",
                    file=task.name,
                )
        self._runs.seconds = min(_SECONDS, PATIENCE * (time.monotonic() - began) + SPARE)

    def first(self, candidates: Iterator[str]) -> int | None:
        return self._runs.first(candidates)

    def result(self, best: str) -> tuple[str, str]:
        return self.key, best


class _Runs:
    """Runs of a command, `jobs` at a time, each for `seconds` at most."""

    def __init__(self, command: Sequence[str], jobs: int) -> None:
        self.replays = 0
        self.deadline: float | None = None
        self.seconds = _SECONDS
        self._command, self._jobs = command, jobs
        self._scratch = Scratch("minimize")
        self._running: dict[int, tuple[subprocess.Popen[bytes], float]] = {}

    def first(self, texts: Iterator[str]) -> int | None:
        """The index of the first text for which the command is seen to exit with 0."""
        begun = enumerate(texts)
        try:
            while True:
                while (
                    len(self._running) < self._jobs and (following := next(begun, None)) is not None
                ):
                    self._begin(*following)
                if not self._running:
                    return None
                if (at := self._kept()) is not None:
                    return at
                if self.deadline is not None and time.monotonic() >= self.deadline:
                    raise OutOfTime
        finally:
            self._stop()

    def _begin(self, at: int, text: str) -> None:
        self.replays += 1
        file = self._scratch.path / f"candidate-{at % self._jobs}-{self.replays}.trace"
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        process = subprocess.Popen(
            [*self._command, str(file)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=partial(die_with_parent, os.getpid()),
        )
        self._running[at] = (process, time.monotonic())

    def _kept(self) -> int | None:
        """Wait a little, and give the first candidate for which a run of the command has exited
        with 0.
        """
        first = next(iter(self._running.values()))[0]
        with contextlib.suppress(subprocess.TimeoutExpired):
            first.wait(0.01)
        for at, (process, start) in list(self._running.items()):
            code = process.poll()
            if code is None and time.monotonic() - start < self.seconds:
                continue
            if code is None:
                end_group(process)
            del self._running[at]
            if code == 0:
                return at
        return None

    def _stop(self) -> None:
        for process, _ in self._running.values():
            end_group(process)
        self._running.clear()
        for file in self._scratch.path.iterdir():
            file.unlink()

    def close(self) -> None:
        """Kill the runs and remove their files."""
        self._stop()
        self._scratch.remove()
