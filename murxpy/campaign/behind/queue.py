"""One process that reduces and bisects findings, and the request that it works on."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import msgspec

from murxpy.campaign.behind.requests import CLOSED, NICE, Answer, Request
from murxpy.errors import InputError
from murxpy.findings.folder import read_if_there, write_atomically
from murxpy.machine.trace.grammar import parse_trace
from murxpy.oracles.disagreement import KIND as DISAGREEMENT
from murxpy.processes.handles import Scratch, end_group, start_behind, sweep
from murxpy.processes.targets import Plan
from murxpy.records.config import Budget, tree_cpu
from murxpy.reduction.reproducers import smaller_of

_BISECTING = 400.0  # seconds; nine replays of 20 s each, twice where a replay must be prepared
# Seconds for a reduction and programs. A reduction of 600 candidates took 90 s at most; only one that
# hangs comes to this limit.
_LONGEST = 1800.0
_LOOK = 0.25  # seconds between two looks at the time that the process took
# CPU seconds until a new process has loaded its modules and a solver. Before the budget has as much,
# none is started: in a short campaign, it would take several times the share.
_START = 1.5
# Times the bytes of a trace that the smaller one of a node may have: its header can say what the defect needs.
_MOST = 4


class Nodes(Protocol):
    """Nodes of a cluster, which make traces smaller."""

    def can_reduce(self) -> bool:
        """Whether a node could make a trace smaller now."""

    def reduce(
        self,
        target: int,
        request: bytes,
        trace: str,
        earlier: str,
        done: Callable[[str, float], None],
    ) -> None:
        """Have a node make a trace smaller, and call `done` with the smaller one, or with an empty text, and with
        the seconds that it took. `done` raises InputError where that is no trace.
        """


class Lane:
    """A process of its own for one request at a time, `nice` steps nicer than the campaign. The process is
    started for the first request, and again if it died. `request` is the request that the process works on, None if there is none.
    `cpu` are the seconds of all processors that it took. The process reads in the file `gate` whether
    it is to wait. No method waits.
    """

    def __init__(self, nice: int = NICE) -> None:
        self._nice = nice
        self.request: Request | None = None
        self.cpu = 0.0
        self._process: subprocess.Popen[bytes] | None = None
        self.gate = os.memfd_create("murxpy-gate")
        self._answer = b""
        self._began = self._looked = 0.0
        self._paused: float | None = None
        self._seen = 0.0  # seconds of the process and all below it, at the last look

    def pause(self, paused: bool) -> None:
        """Let the process wait before the next step of its request, or go on."""
        if paused == (self._paused is not None):
            return
        now = time.monotonic()
        if self._paused is not None:
            self._began += now - self._paused
        self._paused = now if paused else None
        os.pwrite(self.gate, CLOSED if paused else b"\0", 0)

    @property
    def _seconds(self) -> float:
        """The seconds for which the process has worked on its request."""
        return (time.monotonic() if self._paused is None else self._paused) - self._began

    def _look(self) -> None:
        """See how much time the process took."""
        if self._process is not None and self._process.returncode is None:
            taken = tree_cpu(self._process.pid)
            self.cpu += max(0.0, taken - self._seen)  # less where processes were killed
            self._seen = taken

    @property
    def started(self) -> bool:
        """Whether there is a process, which has nothing to load any more."""
        return self._process is not None

    def begin(self, request: Request, data: Mapping[str, Any]) -> None:
        """Give `request` to the process, which reads `data`. Raises OSError."""
        self.request, self._answer, self._began = request, b"", time.monotonic()
        process = self._started()
        assert process.stdin is not None
        process.stdin.write(json.dumps(data).encode() + b"\n")
        process.stdin.flush()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = start_behind(self.gate, self._nice)
            self._seen = 0.0
            assert self._process.stdout is not None
            os.set_blocking(self._process.stdout.fileno(), False)
        return self._process

    def answered(self) -> Answer | None:
        """The answer to the request that the process works on; None while there is none."""
        process, request = self._process, self.request
        assert process is not None and process.stdout is not None and request is not None
        self._answer += process.stdout.read() or b""
        ended = self._answer.endswith(b"\n")
        if ended or time.monotonic() - self._looked >= _LOOK:
            self._looked = time.monotonic()
            self._look()
        if ended:
            return msgspec.convert(json.loads(self._answer), Answer)
        if process.poll() is not None:
            return Answer(error=f"the process ended with {process.returncode}")
        if self._seconds > (_BISECTING if request.releases else _LONGEST):
            self.kill()
            return Answer(error="it took too long")
        return None

    def kill(self) -> None:
        """End the process."""
        if self._process is not None:
            self._look()
            end_group(self._process)
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            self._process = None

    def close(self) -> None:
        """End the process; nothing more can be done."""
        self.kill()
        self.request = None
        if self.gate >= 0:
            os.close(self.gate)
            self.gate = -1


# ----------------------------------------------------------------------
# The queue of requests for the processes that reduce and bisect findings.


def _may_go_away(request: Request) -> bool:
    """Whether a node may make the trace of a request smaller: not where judges are asked, which the request does
    not name, or where the runs before it are needed, too.
    """
    alone = request.trace.endswith(".trace") and request.kind != DISAGREEMENT
    return request.away and request.minimize and alone and not request.releases


class Queue:
    """Lets a process of its own do one request at a time, and calls `done` with each answer. A request
    begins when `budget` is open, and waits while it is not. The next one is that with the lowest `rank`;
    it is asked for each time, since what is known of findings changes. When the process begins a
    request, it gets the result of `ready` for it; a request for which that is None is dropped. `nodes`, if
    there are any, make traces smaller before. No method waits.
    """

    def __init__(
        self,
        plans: Sequence[Plan],
        memory: int,
        budget: Budget,
        done: Callable[[Request, Answer], None],
        ready: Callable[[Request], Request | None] = lambda request: request,
        rank: Callable[[Request], Any] = lambda request: request.rank,
        nice: int = NICE,
        nodes: Nodes | None = None,
    ) -> None:
        self._plans = plans
        self._budget = budget
        self._memory = memory
        self._done = done
        self._ready = ready
        self._rank = rank
        self._queue: list[Request] = []
        self._lanes = [Lane(nice)]
        self._nodes = nodes
        self._away: dict[str, tuple[Request, float]] = {}  # by buckets: and when it was sent
        self._away_cpu = 0.0
        self._folder: Scratch | None = None

    @property
    def busy(self) -> bool:
        """Whether a request is being done or waits."""
        return bool(self._in_hand or self._queue)

    @property
    def cpu(self) -> float:
        """The seconds of all processors that the requests took until now."""
        now = time.monotonic()
        away = sum(now - since for _, since in self._away.values())  # until it is told
        return sum(lane.cpu for lane in self._lanes) + self._away_cpu + away

    @property
    def _in_hand(self) -> list[Request]:
        here = [lane.request for lane in self._lanes if lane.request is not None]
        return here + [request for request, _ in self._away.values()]

    def add(self, request: Request) -> None:
        """Do `request` after those of its rank, and of lower ranks, that wait already."""
        self._queue.append(request)

    def widen(self, lanes: int) -> None:
        """Let so many processes do requests at the same time. There are no runs any more that come first."""
        self._lanes += [Lane(0) for _ in range(lanes - len(self._lanes))]

    def has(self, key: str) -> bool:
        """Whether a request for the bucket `key` is being done or waits."""
        return self.works_on(key) or any(request.key == key for request in self._queue)

    def works_on(self, key: str) -> bool:
        """Whether a request for the bucket `key` is being done."""
        return any(request.key == key for request in self._in_hand)

    @property
    def left(self) -> list[Request]:
        """The requests that are being done or wait, as they would begin now."""
        asked = map(self._ready, [*self._in_hand, *self._queue])
        return [request for request in asked if request is not None]

    @property
    def telling(self) -> int:
        """The number of waiting or running reductions whose result can tell which defect was found."""
        return sum(request.telling for request in self.left)

    def poll(self) -> None:
        """Take the answers, and begin the next requests when the budget is open."""
        for lane in self._lanes:
            lane.pause(not self._budget.open)
            answer = lane.answered() if lane.request is not None else None
            if answer is not None:
                self._end(lane, answer)
        for lane in self._lanes:
            while lane.request is None and self._queue and self._may_begin(lane):
                request = min(self._queue, key=self._rank)
                self._queue.remove(request)
                wanted = self._ready(request)
                if wanted is not None:
                    self._begin(lane, wanted)
        self._send_away()

    def _may_begin(self, lane: Lane) -> bool:
        return self._budget.open if lane.started else self._budget.affords(_START)

    def _send_away(self) -> None:
        """Have nodes make traces smaller."""
        nodes = self._nodes
        if nodes is None or not self._may_begin(self._lanes[0]):
            return
        while able := [request for request in self._queue if _may_go_away(request)]:
            if not nodes.can_reduce():
                return
            request = min(able, key=self._rank)
            self._queue.remove(request)
            wanted = self._ready(request)
            if wanted is None:
                continue
            trace = Path(wanted.trace)
            try:
                texts = [read_if_there(file) for file in (trace, smaller_of(trace))]
            except InputError:  # the process of this machine says so
                texts = [None, None]
            # A script is not made smaller from where an earlier reduction has ended.
            if not wanted.minimize or texts[0] is None or "run-script" in texts[0]:
                self._queue.append(replace(request, away=False))
                continue
            self._away[wanted.key] = wanted, time.monotonic()
            asked = json.dumps(asdict(replace(wanted, programs=False))).encode()
            done = partial(self._come_back, wanted)
            nodes.reduce(wanted.target, asked, texts[0], texts[1] or "", done)

    def _come_back(self, request: Request, smaller: str, cpu: float) -> None:
        """Have the process of this machine go on with what a node has made smaller: it looks whether that shows
        the finding, and writes the programs. Raises InputError where it is no trace.
        """
        if self._away.pop(request.key, None) is None:
            return  # the queue has ended
        self._away_cpu += cpu
        self._queue.append(replace(request, away=False))
        trace = Path(request.trace)
        if smaller:
            if len(smaller) > _MOST * trace.stat().st_size:
                raise InputError("it is much larger than the trace")
            parse_trace(smaller, trace.name)
            write_atomically(smaller_of(trace), smaller)

    def _begin(self, lane: Lane, request: Request) -> None:
        try:
            plan = self._plan_file(request.target)
            lane.begin(request, asdict(replace(request, plan=plan, memory=self._memory)))
        except OSError as error:
            lane.request = request
            self._end(lane, Answer(error=error.strerror or str(error)))

    def _plan_file(self, target: int) -> str:
        self._folder = self._folder or Scratch("shrink")
        file = self._folder.path / f"{target}.json"
        if not file.exists():
            file.write_bytes(msgspec.json.encode(self._plans[target]))
        return str(file)

    def _end(self, lane: Lane, answer: Answer) -> None:
        request, lane.request = lane.request, None
        assert request is not None
        self._done(request, answer)

    def stop(self) -> None:
        """End the processes; the next session does what was not done."""
        for lane in self._lanes:
            lane.close()
        self._queue.clear()
        self._away.clear()
        if self._folder is not None:
            self._folder.remove()
            self._folder = None
            sweep()  # the folders of a process that somebody killed
