"""The queue of requests for the process that reduces findings, and that process's share of the
time.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

import msgspec

from murxpy.campaign.reduction.process import SECONDS, Answer, Request
from murxpy.campaign.reduction.programs import end_group
from murxpy.campaign.workers.scratch import Scratch
from murxpy.campaign.workers.targets import Plan

SHARE = 0.25  # of the workers' time
_TRANSLATING = 120.0  # seconds after the time of a reduction in which translations are tried


class ReductionQueue:
    """Lets a process of its own do one request at a time, and calls `done` with each answer.

    No method waits. The time spent stays below `SHARE` of the workers' time, unless `unbounded`
    says that there are no workers any more.
    """

    def __init__(
        self, plans: Sequence[Plan], memory: int, done: Callable[[Request, Answer], None]
    ) -> None:
        self._plans = plans
        self._memory = memory
        self._done = done
        self._queue: deque[Request] = deque()
        self._request: Request | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: Scratch | None = None
        self.unbounded = False
        self._answer = b""
        self._began = self._spent = 0.0

    @property
    def busy(self) -> bool:
        """Whether a request is being done or waits."""
        return self._request is not None or bool(self._queue)

    def add(self, request: Request) -> None:
        """Do `request` after those that wait already."""
        self._queue.append(request)

    def print_only(self) -> None:
        """Translate the findings of requests that wait, but do not reduce them."""
        self._queue = deque(replace(request, minimize=False) for request in self._queue)

    def poll(self, workers_time: float) -> None:
        """Take an answer, and begin the next request when its share of `workers_time` allows.

        `workers_time` is in seconds, of all workers together.
        """
        if self._request is not None:
            self._look(self._request)
        may_begin = self.unbounded or self._spent <= SHARE * workers_time
        if self._request is None and self._queue and may_begin:
            self._begin(self._queue.popleft())

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
                [sys.executable, "-P", "-m", "murxpy.campaign.reduction.process", str(os.getpid())],
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
        elif time.monotonic() - self._began > SECONDS + _TRANSLATING:
            self._kill()
            self._end(request, Answer(error="it took too long"))

    def _end(self, request: Request, answer: Answer) -> None:
        self._request = None
        self._spent += time.monotonic() - self._began
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
