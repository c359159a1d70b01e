"""The campaign's side of the process that makes findings smaller and writes their reproducers: a
queue, a share of the time.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from murxpy.campaign.events import Reproducer
from murxpy.campaign.reduction.process import plan_data
from murxpy.campaign.workers.scratch import Scratch
from murxpy.campaign.workers.targets import Plan

SHARE = 0.25  # of the workers' time that may go into this
SECONDS = 60.0  # that a minimization gets
_WORDS = 120.0  # seconds more until the process is given up


@dataclass(frozen=True, slots=True)
class Order:
    """A finding to be made smaller, or only to be printed: its bucket, what it shows, its trace or
    history, its target's number.

    `seconds` are those that making it smaller gets.
    """

    key: str
    kind: str
    message: str
    trace: Path
    target: int
    minimize: bool
    seconds: float = SECONDS


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came of an order. `after` is 0 where nothing was minimized; `error` says why there is
    nothing.
    """

    order: Order
    reproducers: tuple[Reproducer, ...] = ()
    before: int = 0
    after: int = 0
    ended: str = ""
    error: str = ""


class Workshop:
    """Has orders done one at a time by a process of its own, and calls `done` with each delivery.

    Nothing here waits. The time spent stays below `SHARE` of the workers' time.
    """

    def __init__(
        self, plans: Sequence[Plan], memory: int, done: Callable[[Delivery], None]
    ) -> None:
        self._plans = plans
        self._memory = memory
        self._done = done
        self._queue: deque[Order] = deque()
        self._order: Order | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: Scratch | None = None
        self.unbounded = False
        self._answer = b""
        self._began = self._spent = 0.0

    @property
    def busy(self) -> bool:
        """Whether an order is under way or waits."""
        return self._order is not None or bool(self._queue)

    def add(self, order: Order) -> None:
        """Do `order` after those that wait already."""
        self._queue.append(order)

    def print_only(self) -> None:
        """Make none of those that wait smaller."""
        self._queue = deque(replace(order, minimize=False) for order in self._queue)

    def poll(self, workers_time: float) -> None:
        """Take what is done, and begin the next order when its share of `workers_time` (seconds,
        all workers together) allows.

        `unbounded` says that there are no workers any more to take time from.
        """
        if self._order is not None:
            self._look()
        if (
            self._order is None
            and self._queue
            and (self.unbounded or self._spent <= SHARE * workers_time)
        ):
            self._begin(self._queue.popleft())

    def _begin(self, order: Order) -> None:
        request = {
            "plan": "",
            "trace": str(order.trace),
            "kind": order.kind,
            "key": order.key,
            "message": order.message,
            "minimize": order.minimize,
            "seconds": order.seconds,
            "memory": self._memory,
        }
        self._order, self._answer, self._began = order, b"", time.monotonic()
        try:
            request["plan"] = self._plan_file(order.target)
            process = self._started()
            assert process.stdin is not None
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
        except OSError as error:
            self._deliver(Delivery(order, error=error.strerror or str(error)))

    def _plan_file(self, target: int) -> str:
        self._folder = self._folder or Scratch("shrink")
        file = self._folder.path / f"{target}.json"
        if not file.exists():
            file.write_text(json.dumps(plan_data(self._plans[target])), encoding="utf-8")
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

    def _look(self) -> None:
        order, process = self._order, self._process
        assert order is not None and process is not None and process.stdout is not None
        self._answer += process.stdout.read() or b""
        if self._answer.endswith(b"\n"):
            self._deliver(_delivery(order, json.loads(self._answer)))
        elif process.poll() is not None:
            self._deliver(Delivery(order, error=f"the process ended with {process.returncode}"))
        elif time.monotonic() - self._began > SECONDS + _WORDS:
            self._kill()
            self._deliver(Delivery(order, error="it took too long"))

    def _deliver(self, delivery: Delivery) -> None:
        self._order = None
        self._spent += time.monotonic() - self._began
        self._done(delivery)

    def _kill(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            self._process = None

    def stop(self) -> None:
        """End the process; what was not done is done by the next session."""
        self._kill()
        self._queue.clear()
        self._order = None
        if self._folder is not None:
            self._folder.remove()
            self._folder = None


def _delivery(order: Order, told: dict[str, Any]) -> Delivery:
    if "error" in told:
        return Delivery(order, error=told["error"])
    forms = tuple(Reproducer(**form) for form in told["reproducers"])
    return Delivery(order, forms, told["before"], told["after"], told["ended"])
