"""Processes that end before their first run. A few of them may be chance; many in a row mean that
the target cannot be used on this machine.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import math
import os
import select
import selectors
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass

from murxpy.errors import InputError, TargetError
from murxpy.oracles.crash import FROM_OUTSIDE, Cause, Outcome, signal_name
from murxpy.processes.handles import Job, Scratch, Seat, Worker
from murxpy.processes.limits import MIB, Limits
from murxpy.processes.parents import START_SECONDS, WarmParent
from murxpy.processes.targets import Plan
from murxpy.worker import buffer
from murxpy.worker.channel import Message
from murxpy.worker.worker import excerpt

# Processes of one target in a row. The kernel may kill one because another program used up the
# memory, but rarely kills a second one.
TRIES = 5
# Seconds. The n-th try waits n times as long, since a lack of memory or of processes may pass.
_PAUSE = 0.1


class Starts:
    """Counts, for each target, the processes that ended before a run, since the last run that
    ended.
    """

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._failed = [0] * len(names)

    def lived(self, target: int) -> None:
        """Note that a run of target number `target` ended."""
        self._failed[target] = 0

    def failed(self, target: int, how: str) -> None:
        """Note that a process of target number `target` ended before it had done a run, and wait a
        little. `how` says how the process ended.

        Raises TargetError after `TRIES` of them.
        """
        self._failed[target] += 1
        if self._failed[target] >= TRIES:
            raise TargetError(
                f"target '{self._names[target]}': its processes end before they do a run, {TRIES} in a row ({how}); "
                "see this shell's limits ('ulimit -a'), or give 'murxpy fuzz' fewer --jobs"
            )
        time.sleep(_PAUSE * self._failed[target])


# ----------------------------------------------------------------------
# The pool of worker processes: it starts them, gives them jobs, enforces the limits, and says how
# each run ended. The pool uses one thread and one selector. The pool knows nothing of findings or
# campaigns; it turns the ends of runs and processes into `Result` and `Lost`.


# Seconds between two looks at the memory and the clocks of all workers. As long as no run took so much
# of a processor, none of them can be near a limit, and every second look is enough: on a busy machine,
# looking is half of what the supervisor does.
POLL = 0.05
_SOON = 0.005  # seconds between two looks, at the least
_DYING = 1.0  # seconds that a worker may live after its channel was closed
_LEAVING = 5.0  # seconds that a worker may take to leave when it was told to
_RESTING = 10.0  # seconds in which workers that were killed must be gone
_TRIES = 3  # times that the warm parent of a target may die before it is ready
# Memory that a run needs beside the loaded solver. With less, nearly every run of z3 goes past the
# limit.
_ROOM = 32 * MIB
_REASONS = {
    "wall": "past the wall limit",
    "cpu": "past the CPU limit",
    "memory": "past the memory limit",
    "channel": "closed its channel",
    "parent": "its warm parent died",
}


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of `job` on `worker`. `past` are the jobs that this process did before. `shown_again`
    says that a replay of the job's trace alone had this outcome.
    """

    worker: Seat
    job: Job
    outcome: Outcome
    past: tuple[Job, ...] = ()
    shown_again: bool = False


@dataclass(frozen=True, slots=True)
class Lost:
    """The process of `worker` is gone, and never began the jobs in `unstarted`. `reason` is empty
    when the supervisor had told the process to leave.
    """

    worker: Worker
    reason: str
    unstarted: tuple[Job, ...]


class Pool:
    """The processes of all targets: `plans[i]` is the plan of target number i, whose warm parent
    forks the workers of this target.
    """

    def __init__(self, plans: Sequence[Plan], limits: Limits) -> None:
        self.plans = tuple(plans)
        self.limits = limits
        self.workers: dict[int, Worker] = {}
        self._parents: dict[int, WarmParent] = {}
        self._deaths = [0] * len(self.plans)
        self._parents_cpu = 0.0
        self._starts = Starts([plan.target.name for plan in self.plans])
        self._private: list[WarmParent] = []
        self._selector = selectors.DefaultSelector()
        self._numbers = itertools.count(1)
        self._results: list[Result | Lost] = []
        self._polled = 0.0
        self._pause = POLL
        self._scratch: Scratch | None = None

    def warm(self) -> list[dict[str, object]]:
        """Start all warm parents, wait until they are ready, and return the descriptions of their
        sessions. Raises TargetError, and then closes the pool.
        """
        try:
            for target in range(len(self.plans)):
                self._parent(target)  # all of them load their solvers at the same time
            abouts = [self._ready(target) for target in range(len(self.plans))]
            for parent in self._parents.values():
                self._check_room(parent)
        except BaseException:
            self.close()
            raise
        return abouts

    def _ready(self, target: int) -> dict[str, object]:
        """The description of the session of a target. A warm parent that somebody killed while it
        loaded the solver is started again.
        """
        for _ in range(_TRIES - 1):
            parent = self._parent(target)
            try:
                return parent.wait_ready()
            except TargetError:
                if signal_name(parent.status) not in FROM_OUTSIDE:
                    raise
                del self._parents[target]
                self._close_parent(parent)
        return self._parent(target).wait_ready()

    def job_number(self) -> int:
        """A number for a job that no other job of this pool has."""
        return next(self._numbers)

    def _parent(self, target: int) -> WarmParent:
        parent = self._parents.get(target)
        if parent is None:
            parent = self._parents[target] = self._start_parent(target)
        return parent

    def _start_parent(self, target: int, *, private: bool = False) -> WarmParent:
        parent = WarmParent(self.plans[target], target, private=private)
        self._selector.register(parent.control, selectors.EVENT_READ, parent)
        return parent

    def spawn(self, target: int, *, private: bool = False) -> Worker:
        """Start a worker of `target`. The worker can be given jobs at once. A `private` worker is
        forked by a warm parent of its own.
        """
        if private:
            parent = self._start_parent(target, private=True)
            self._private.append(parent)
        else:
            parent = self._parent(target)
        worker, theirs, output = self._make(parent)
        self.workers[worker.number] = worker
        try:
            if not parent.request(
                worker.number,
                self.limits.kernel(),
                [theirs.fileno(), worker.trace_fd, output],
                worker.folder,
            ):
                parent.kill()  # the selector will tell of its death
        finally:
            theirs.close()
            os.close(output)
        self._selector.register(worker.sock, selectors.EVENT_READ, worker)
        return worker

    def _make(self, parent: WarmParent) -> tuple[Worker, socket.socket, int]:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        trace, output = buffer.create(), os.memfd_create("murxpy-output")
        fcntl.fcntl(output, fcntl.F_SETFL, os.O_APPEND)
        number = next(self._numbers)
        worker = Worker(
            number,
            parent,
            ours,
            trace,
            os.dup(output),
            time.monotonic(),
            self.limits.memory,
            self._make_folder(number),
        )
        return worker, theirs, output

    def _make_folder(self, number: int) -> str | None:
        """The folder of worker `number`; None on a disk without room for it."""
        try:
            if self._scratch is None:
                self._scratch = Scratch("workers")
            path = self._scratch.path / str(number)
            path.mkdir()
        except OSError:
            return None
        return str(path)

    def step(self, timeout: float) -> list[Result | Lost]:
        """Wait at most `timeout` seconds for something to happen, enforce the limits, and return
        what happened.
        """
        for key, events in self._selector.select(min(timeout, self._pause)):
            if isinstance(key.data, Worker):
                self._worker_ready(key.data, events)
            elif isinstance(key.data, WarmParent):
                self._parent_ready(key.data)
        self._enforce()
        results, self._results = self._results, []
        return results

    def assign(self, worker: Worker, job: Job) -> None:
        """Queue `job` on `worker`."""
        worker.assign(job)
        self._watch(worker)

    def stop(self, worker: Worker) -> None:
        """Tell `worker` to leave when its jobs are done."""
        worker.stop()
        self._watch(worker)

    def _watch(self, worker: Worker) -> None:
        """Wait for the moment when `worker` can take more data, as long as some data was
        not sent.
        """
        waits = not worker.flush()
        if waits != worker.waits and not worker.eof:
            worker.waits = waits
            self._selector.modify(
                worker.sock, selectors.EVENT_READ | (selectors.EVENT_WRITE if waits else 0), worker
            )

    def _worker_ready(self, worker: Worker, events: int) -> None:
        if worker.number not in self.workers:
            return
        if events & selectors.EVENT_WRITE:
            self._watch(worker)
        self._collect(worker)
        if worker.eof:
            self._selector.unregister(worker.sock)
            worker.head_since = time.monotonic()

    def _collect(self, worker: Worker) -> None:
        before = len(worker.past)
        for number, (job, outcome) in enumerate(worker.receive(), before):
            self._starts.lived(worker.parent.target)
            self._results.append(Result(worker, job, outcome, tuple(worker.past[:number])))

    def _parent_ready(self, parent: WarmParent) -> None:
        for message in parent.receive():
            self._take_message(message)
        if parent.about is not None:
            self._check_room(parent)
            if not parent.private:
                self._deaths[parent.target] = 0
        if parent.error is not None and not parent.dead:
            parent.kill()
            parent.receive()
        if parent.dead:
            self._parent_died(parent)

    def _take_message(self, message: Message) -> None:
        number: int = message.get("forked") or message.get("died") or message["failed"]
        worker = self.workers.get(number)
        if worker is None:
            return
        if "forked" in message:
            worker.pid = message["pid"]
            if worker.killed is not None:
                worker.kill(worker.killed)
        elif "died" in message:
            worker.cpu = message["cpu"]
            self._died(worker, message["status"], message["peak"])
        else:
            self._lose(worker, f"it cannot be started: {message['error']}", unborn=True)

    def _check_room(self, parent: WarmParent) -> None:
        needed = parent.resident + _ROOM
        if 0 < self.limits.memory < needed:
            raise InputError(
                f"--memory: the loaded solver of target '{parent.plan.target.name}' takes {parent.resident // MIB} MiB; "
                f"give the workers at least {needed // MIB + 1}m"
            )

    def _died(self, worker: Worker, status: int, peak: int) -> None:
        """Turn the death of `worker`, with the wait status `status`, into the outcome of the run in
        hand.
        """
        self._collect(worker)
        cause: Cause = worker.killed or "died"
        if cause == "channel" and signal_name(status) != "SIGKILL":
            cause = "died"  # its end closed the channel, and is only told now
        running = worker.running()
        reason = (
            _REASONS.get(cause)
            or signal_name(status)
            or f"exit code {os.waitstatus_to_exitcode(status)}"
        )
        unborn = running is None and not worker.past
        if cause == "stopped":
            reason = ""
        elif running is not None:
            self._starts.lived(worker.parent.target)
            worker.jobs.popleft()
            self._results.append(
                Result(worker, running, worker.outcome(cause, status, peak), tuple(worker.past))
            )
        elif (
            cause == "died"
            and worker.past
            and (status != 0 or not worker.stopping)
            and worker.pid is not None
        ):
            outcome = worker.outcome(cause, status, peak, after=True)
            self._results.append(Result(worker, worker.past[-1], outcome, tuple(worker.past[:-1])))
        clean = worker.stopping and status == 0 and running is None and not worker.jobs
        self._lose(worker, "" if clean else reason, unborn=unborn)

    def _lose(self, worker: Worker, reason: str, *, unborn: bool = False) -> None:
        """Forget `worker`, which is gone. `unborn` says that it never began a run."""
        if unborn and reason:
            lines = excerpt(worker.output_fd).strip().splitlines()
            self._starts.failed(worker.parent.target, ": ".join([reason, *lines[-1:]]))
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(worker.sock)
        del self.workers[worker.number]
        worker.close()
        self._results.append(Lost(worker, reason, tuple(worker.jobs)))
        if worker.parent.private and not any(
            other.parent is worker.parent for other in self.workers.values()
        ):
            self._close_parent(worker.parent)

    def _parent_died(self, parent: WarmParent) -> None:
        """Bury a warm parent and the workers that died with it. Each run in hand may have killed
        it.
        """
        ready = parent.about is not None
        if not parent.private:
            self._parents.pop(parent.target, None)
        self._deaths[parent.target] += not ready
        if parent.error is not None and (parent.refused or self._deaths[parent.target] >= _TRIES):
            raise parent.error
        workers = [worker for worker in self.workers.values() if worker.parent is parent]
        if ready and not any(worker.past or worker.running() for worker in workers):
            self._starts.failed(parent.target, _REASONS["parent"])
        for worker in workers:
            self._orphaned(worker, parent)
        self._close_parent(parent)

    def _orphaned(self, worker: Worker, parent: WarmParent) -> None:
        worker.kill("parent")
        deadline = time.monotonic() + 5.0
        # Wait until the worker is gone, so that its trace grows no more.
        while not worker.eof and time.monotonic() < deadline:
            select.select([worker.sock], [], [], 0.1)
            self._collect(worker)
        running = worker.running()
        if running is not None and worker.killed != "stopped":
            cause: Cause = worker.killed if worker.killed in ("wall", "cpu", "memory") else "parent"
            worker.jobs.popleft()
            self._results.append(
                Result(worker, running, worker.outcome(cause, parent.status, 0), tuple(worker.past))
            )
        self._lose(worker, _REASONS["parent"])

    def _close_parent(self, parent: WarmParent) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(parent.control)
        if parent in self._private:
            self._private.remove(parent)
        self._parents_cpu += parent.cpu()
        parent.close()

    @property
    def parents_cpu(self) -> float:
        """The seconds of all processors that loading the solvers and forking workers took."""
        living = [*self._parents.values(), *self._private]
        return self._parents_cpu + sum(parent.cpu() for parent in living)

    def _enforce(self) -> None:
        now = time.monotonic()
        if now - self._polled < self._pause:
            return
        self._polled = now
        worked = any(worker.cpu_of_run() >= POLL for worker in self.workers.values())
        self._pause = POLL if worked else 2 * POLL
        lefts = {
            number: worker.left_of_call(now)
            for number, worker in self.workers.items()
            if worker.pid is not None and worker.killed is None
        }
        # what a line may still take passes at the earliest in as many seconds
        self._pause = max(_SOON, min(self._pause, *lefts.values(), math.inf))
        for worker in [worker for worker in self.workers.values() if worker.killed is None]:
            if worker.pid is None:
                if now - worker.born > START_SECONDS:
                    worker.parent.kill()
            elif worker.eof:
                if now - worker.head_since > _DYING:  # the worker closed its channel, but lives
                    worker.kill("channel")
            elif worker.overdue(now):
                worker.kill("wall")
            elif lefts[worker.number] <= 0 or 0 < self.limits.cpu <= worker.cpu_of_run():
                worker.kill("cpu")
            elif self.limits.memory and worker.resident() >= self.limits.memory:
                worker.kill("memory")
            elif worker.stopping and not worker.jobs and now - worker.head_since > _LEAVING:
                worker.kill("wall")

    def rest(self) -> bool:
        """End all workers and forget what they did; the warm parents stay. Gives False where that does not
        succeed soon.
        """
        for worker in self.workers.values():
            worker.kill("stopped")
        deadline = time.monotonic() + _RESTING
        while self.workers and time.monotonic() < deadline:
            self.step(POLL)
        self._results.clear()
        return not self.workers

    def close(self) -> None:
        """End all processes."""
        for worker in list(self.workers.values()):
            worker.kill("stopped")
            worker.close()
        self.workers.clear()
        for parent in [*self._parents.values(), *self._private]:
            parent.close()
        self._parents.clear()
        self._private.clear()
        self._selector.close()
        if self._scratch is not None:
            self._scratch.remove()
