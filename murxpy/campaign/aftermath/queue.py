"""The queue of requests for the process that reduces and bisects findings."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

import msgspec

from murxpy.campaign.aftermath.requests import Answer, Request
from murxpy.campaign.budget import Budget
from murxpy.campaign.reduction.programs import end_group
from murxpy.campaign.workers.scratch import Scratch
from murxpy.campaign.workers.targets import Plan

_TRANSLATING = 120.0  # seconds after the time of a reduction in which translations are tried
_BISECTING = 400.0  # seconds; nine replays of 20 s each, twice where a replay must be prepared
# Seconds for a reduction with a limit in replays alone. Such a reduction took 90 s at most; only one
# that hangs comes to this limit.
_LONGEST = 900.0


class Queue:
    """Lets a process of its own do one request at a time, the lowest rank first, and calls `done` with
    each answer. A request begins when `budget` is open.

    No method waits. `cpu` are the seconds of all processors that the requests took.
    """

    def __init__(
        self,
        plans: Sequence[Plan],
        memory: int,
        budget: Budget,
        done: Callable[[Request, Answer], None],
    ) -> None:
        self._plans = plans
        self._budget = budget
        self.cpu = 0.0
        self._memory = memory
        self._done = done
        self._queue: list[Request] = []
        self._request: Request | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: Scratch | None = None
        self._answer = b""
        self._began = 0.0

    @property
    def busy(self) -> bool:
        """Whether a request is being done or waits."""
        return self._request is not None or bool(self._queue)

    def add(self, request: Request) -> None:
        """Do `request` after those of its rank, and of lower ranks, that wait already."""
        self._queue.append(request)
        self._queue.sort(key=lambda one: one.rank)

    def print_only(self) -> None:
        """Translate the findings of requests that wait, but reduce only those with a limit in
        replays: their reductions tell which defects were found.
        """
        self._queue = [
            replace(request, minimize=request.replays is not None) for request in self._queue
        ]

    @property
    def telling(self) -> bool:
        """Whether a reduction is being done or waits that tells which defect was found."""
        asked = [*self._queue, *filter(None, [self._request])]
        return any(request.replays is not None for request in asked)

    def poll(self) -> None:
        """Take an answer, and begin the next request when the budget is open."""
        if self._request is not None:
            self._look(self._request)
        if self._request is None and self._queue and self._budget.open:
            self._begin(self._queue.pop(0))

    def _begin(self, request: Request) -> None:
        self._request, self._answer, self._began = request, b"", time.monotonic()
        try:
            plan = self._plan_file(request.target)
            process = self._started()
            assert process.stdin is not None
            told = asdict(replace(request, plan=plan, memory=self._memory))
            process.stdin.write(json.dumps(told).encode() + b"\n")
            process.stdin.flush()
        except OSError as error:
            self._end(request, Answer(error=error.strerror or str(error)))

    def _plan_file(self, target: int) -> str:
        self._folder = self._folder or Scratch("shrink")
        file = self._folder.path / f"{target}.json"
        if not file.exists():
            file.write_text(json.dumps(asdict(self._plans[target])), encoding="utf-8")
        return str(file)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "murxpy.campaign.aftermath.process", str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            assert self._process.stdout is not None
            os.set_blocking(self._process.stdout.fileno(), False)
        return self._process

    def _look(self, request: Request) -> None:
        process = self._process
        assert process is not None and process.stdout is not None
        self._answer += process.stdout.read() or b""
        if self._answer.endswith(b"\n"):
            self._end(request, msgspec.convert(json.loads(self._answer), Answer))
        elif process.poll() is not None:
            self._end(request, Answer(error=f"the process ended with {process.returncode}"))
        elif time.monotonic() - self._began > (
            _BISECTING if request.releases else (request.seconds or _LONGEST) + _TRANSLATING
        ):
            self._kill()
            self._end(request, Answer(error="it took too long"))

    def _end(self, request: Request, answer: Answer) -> None:
        self._request = None
        self._budget.spent += time.monotonic() - self._began
        self.cpu += answer.cpu
        self._done(request, answer)

    def _kill(self) -> None:
        if self._process is not None:
            end_group(self._process)
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            self._process = None

    def stop(self) -> None:
        """End the process; the next session does what was not done."""
        self._kill()
        self._queue.clear()
        self._request = None
        if self._folder is not None:
            self._folder.remove()
            self._folder = None
