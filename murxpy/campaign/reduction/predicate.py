"""Who says whether a smaller trace still shows what is to be kept: replays, or a command of the
user.

The minimizer knows only `Predicate`, so that a judge of another kind of finding can be put in its
place.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Protocol

from murxpy.campaign.reduction.wanted import Golden, Match, Wanted, golden
from murxpy.campaign.replays.tester import OutOfTime, Tester, replay_of
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.scratch import Scratch, sweep
from murxpy.campaign.workers.targets import Plan
from murxpy.errors import InputError
from murxpy.worker.process import die_with_parent

GOLDEN_RUNS = 3
_PATIENCE = 3.0  # times that a candidate may take what the trace itself takes
_SPARE = 1.0  # seconds more than that
_HANG = 20.0  # seconds without return that are a hang
_LATER = 5.0  # times the limit of a candidate in the second attempt on a hang


class Predicate(Protocol):
    """Says which candidates show what is to be kept.

    `key` says in words what that is; `start` is a text that shows it and has no line behind the one
    that does it, empty where there is none such. After `deadline` (monotonic) OutOfTime is raised.
    """

    key: str
    start: str
    deadline: float | None

    @property
    def tests(self) -> int:
        """How many tests were made."""

    def first(self, texts: Iterator[str]) -> int | None:
        """The index of the first of `texts` that is seen to show it; None when none does."""

    def polished(self, text: str) -> str:
        """`text` as its replay writes it where that shows the same, else `text`."""

    def doubted(self, text: str) -> bool:
        """Whether `text` does not show it after all; called once at the end, and then the reduction
        begins again.
        """

    def close(self) -> None:
        """End what was begun."""


class Replaying:
    """Replays on the target of `plan`; `split` cuts a text into what one process replays one after
    another.

    Raises InputError and TargetError as `minimize` does, OutOfTime after `deadline`.
    """

    def __init__(
        self,
        plan: Plan,
        source: str,
        name: str,
        match: Match,
        jobs: int,
        tries: int,
        deadline: float | None,
        split: Callable[[str], Sequence[str]] | None = None,
    ) -> None:
        self._tester = Tester(plan, Limits(), jobs)
        self._tester.split = split
        try:
            found = self._golden(plan.target.family, source, name, match, tries, deadline)
        except BaseException:
            self._tester.close()
            raise
        self._wanted: Wanted = found.wanted
        self._hang = found.late is not None and match.slower is None
        self._tester.wall = found.late or _PATIENCE * found.seconds + _SPARE
        self._tester.tries, self._tester.alone = tries, found.alone
        self.key, self.start = found.key, "" if split else found.trace

    def _golden(
        self, family: str, source: str, name: str, match: Match, tries: int, deadline: float | None
    ) -> Golden:
        tester = self._tester
        tester.deadline = deadline
        tester.wall = match.slower or tester.wall
        replays = tester.jobs_of(source)
        runs = [tester.fresh(*replays)]
        more = 1 if runs[0] and runs[0][-1].cause == "wall" else max(GOLDEN_RUNS, tries) - 1
        runs += tester.many(more, *replays)
        return golden(runs, family, name, tries, match)

    @property
    def tests(self) -> int:
        """The replays so far."""
        return self._tester.replays

    @property
    def deadline(self) -> float | None:
        """When the time is over."""
        return self._tester.deadline

    @deadline.setter
    def deadline(self, deadline: float | None) -> None:
        self._tester.deadline = deadline

    def first(self, texts: Iterator[str]) -> int | None:
        """The index of the first of `texts` whose replay ends as is wanted."""
        return self._tester.first(texts, self._wanted)

    def polished(self, text: str) -> str:
        """`text` as its replay writes it where that shows the same, else `text`."""
        if self._tester.split is not None:
            return text
        shown = next(
            (outcome for outcome in self._tester.fresh(replay_of(text)) if self._wanted(outcome)),
            None,
        )
        if (
            shown is not None
            and shown.trace
            and any(map(self._wanted, self._tester.fresh(replay_of(shown.trace))))
        ):
            return shown.trace
        return text

    def doubted(self, text: str) -> bool:
        """Whether `text`, which did not end soon, ends when it gets the time that a hang gets; then
        all get more from now on.
        """
        if not self._hang:
            return False
        wall, self._tester.wall = self._tester.wall, _HANG
        hangs = any(map(self._wanted, self._tester.fresh(*self._tester.jobs_of(text))))
        self._tester.wall = min(_HANG, _LATER * wall)
        self._hang = self._tester.wall < _HANG
        return not hangs

    def close(self) -> None:
        """End all processes."""
        self._tester.close()


class Commanded:
    """Runs a command of the user on a file with each candidate: exit code 0 keeps it.

    `command` are the words of the command, the file's path comes behind them. Raises InputError
    where there is no such program, or it does not keep the trace itself; a run past `seconds` does
    not keep either.
    """

    def __init__(
        self,
        command: Sequence[str],
        source: str,
        name: str,
        jobs: int,
        deadline: float | None,
        seconds: float = 60.0,
    ) -> None:
        if not command or shutil.which(command[0]) is None:
            raise InputError(
                f"--command: there is no program '{' '.join(command[:1])}'; name one, with its arguments"
            )
        self.key, self.start = " ".join(command), ""
        self.tests = 0
        self.deadline = deadline
        self._command = [*command]
        self._jobs = jobs
        self._seconds = seconds
        sweep()
        self._scratch = Scratch("minimize")
        self._folder = self._scratch.path
        self._running: dict[int, tuple[subprocess.Popen[bytes], float]] = {}
        began = time.monotonic()
        if self.first(iter([source])) is None:
            self.close()
            raise InputError(
                f"'{self.key}' does not exit with 0 for it, expected a command that keeps the trace",
                file=name,
            )
        self._seconds = min(seconds, _PATIENCE * (time.monotonic() - began) + _SPARE)

    def first(self, texts: Iterator[str]) -> int | None:
        """The index of the first of `texts` that the command is seen to keep."""
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
        self.tests += 1
        file = self._folder / f"candidate-{at % self._jobs}-{self.tests}.trace"
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
        """The first candidate that was kept meanwhile; waits a little."""
        first = next(iter(self._running.values()))[0]
        with contextlib.suppress(subprocess.TimeoutExpired):
            first.wait(0.01)
        for at, (process, start) in list(self._running.items()):
            code = process.poll()
            if code is None and time.monotonic() - start < self._seconds:
                continue
            if code is None:
                _end(process)
            del self._running[at]
            if code == 0:
                return at
        return None

    def _stop(self) -> None:
        for process, _ in self._running.values():
            _end(process)
        self._running.clear()
        for file in self._folder.iterdir():
            file.unlink()

    def polished(self, text: str) -> str:
        """`text` itself: nothing is known of replays."""
        return text

    def doubted(self, text: str) -> bool:
        """Never: the command is the judge."""
        return False

    def close(self) -> None:
        """Remove the files."""
        self._stop()
        self._scratch.remove()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a command with its process group, and wait for it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
