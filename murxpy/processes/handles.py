"""Folders for temporary files. Each belongs to the process that made it; folders whose owner is
gone can be removed.

The owner holds a lock on a file in the folder as long as it lives. The kernel releases the lock when
the process ends, however it ends. Nobody therefore has to ask after a process number, which by now
may belong to another process.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from murxpy import plugins
from murxpy.grants import granted
from murxpy.oracles.crash import Cause, Outcome
from murxpy.processes.parents import WarmParent, cpu_of, descendants, resident, runnable, stack_used
from murxpy.worker import buffer
from murxpy.worker.channel import Decoder, Message, encode
from murxpy.worker.worker import excerpt

_LOCK = ".owner"
# The name of a folder begins with a dot until its lock is held.
_NAME = re.compile(r"\.?murxpy-[a-z]+-[a-z0-9_]{8}")
_MADE = 3600.0  # seconds after which a folder without a lock is taken to be abandoned


class Scratch:
    """A new folder `path` in the system's folder for temporary files. `purpose` is a word of small
    letters, for its name. The folders of processes that are gone are removed before. Raises OSError.
    """

    def __init__(self, purpose: str) -> None:
        sweep()
        hidden = Path(tempfile.mkdtemp(prefix=f".murxpy-{purpose}-"))
        self._lock = -1
        try:
            self._lock = os.open(hidden / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            # Give the folder its visible name only now, when it is locked.
            self.path = hidden.with_name(hidden.name.removeprefix("."))
            hidden.rename(self.path)
        except BaseException:
            shutil.rmtree(hidden, ignore_errors=True)
            if self._lock >= 0:
                os.close(self._lock)
            raise

    def remove(self) -> None:
        """Remove the folder with everything in it. A second call does nothing."""
        if self._lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.remove()


def sweep() -> list[Path]:
    """Remove the folders of this user whose owner is gone, and return the removed ones. A folder
    that cannot be removed stays.
    """
    removed = []
    root = Path(tempfile.gettempdir())
    with contextlib.suppress(OSError):
        for path in sorted(path for path in root.iterdir() if _NAME.fullmatch(path.name)):
            with contextlib.suppress(OSError):
                if _ownerless(path):
                    removed.append(path)
    return removed


def _ownerless(path: Path) -> bool:
    """Remove the folder `path` if nobody owns it, and return whether it was removed. Raises OSError
    if the owner cannot be determined.
    """
    info = path.lstat()
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid():
        return False
    if path.name.startswith("."):
        if time.time() - info.st_mtime >= _MADE:
            shutil.rmtree(path)
        return not path.exists()
    lock = os.open(path / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path)
    finally:
        os.close(lock)
    return True


# ----------------------------------------------------------------------
# The supervisor's handle of one worker process: its channel, its shared files, and its jobs.


# A run that is ready to run and got less of the processor than this part of its wall limit waits
# for a processor. A replay gets so many times its wall limit. With 9 processes on two processors, a
# third of the runs that were killed after 2 s would have ended within 1 s of a processor.
_WORKED, _LONGER = 0.8, 5.0
# A check whose trace gives it a wall time of its own, which is up to a minute, gets that beside the wall
# limit of the run, so that the solver ends the check before we end the process.
_CHECK_WALL = re.compile(r"^ *\d+ set-limit(?:@\S+)? \d+(?: (\d{1,9}))?$", re.M)
_LONGEST_CHECK = 60.0
_EARLY = 0.08  # seconds of a job in which nobody asks how much of the processor it takes
DAMPED = 200  # calls at most in the list of those that runs draw less often
Damp = tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Job:
    """One run to do: the walk of `seed`, or the replay of the trace `text`, called `name` in
    messages. `wall` is the limit in seconds: of the whole run, or of each line of its trace
    (`by_line`). `call` are the seconds of the processor that one line may take; 0 sets no limit.

    `index` is the number of the run in its campaign, -1 outside of a campaign. The walk draws the
    calls of `damp` less often. `keep` asks for the trace also where nothing is wrong, "decided"
    only if a check in it was decided. With `judge`, the solver does nothing but answer the decided
    checks of `text`; `murxpy.machine.replaying.judging.judge` reads `judge`. The replay service gives each
    job its `number`.
    """

    seed: int
    wall: float
    index: int = -1
    text: str | None = None
    name: str = ""
    damp: Damp = ()
    keep: bool | Literal["decided"] = False
    judge: Mapping[str, Any] | None = None
    by_line: bool = False
    call: float = 0.0
    number: int = 0

    def message(self) -> Message:
        """The job in the form that the worker receives, without the calls to damp."""
        message: Message = {"job": self.number, "seed": self.seed}
        if self.keep:
            message["keep"] = self.keep
        if self.text is not None:
            message["text"] = self.text
            message["name"] = self.name
        if self.judge is not None:
            message["judge"] = dict(self.judge)
        return message


class Seat(Protocol):
    """Where a job was done. `slot` is the place of the process, which its successor keeps."""

    slot: int


@dataclass(eq=False)
class Worker:
    """One worker process, which can change files in `folder` only (None: nowhere). `slot` is its
    place, which its successor keeps; -1 if it has none. `past` are the jobs that it has done,
    without their texts unless they are runs of a campaign. `jobs` are those that it was given and
    has not done. `killed` says why the supervisor killed it, None if the supervisor did not.
    """

    number: int
    parent: WarmParent
    sock: socket.socket
    trace_fd: int
    output_fd: int
    born: float
    memory: int
    folder: str | None = None
    slot: int = -1
    pid: int | None = None
    jobs: deque[Job] = field(default_factory=deque)
    past: list[Job] = field(default_factory=list)
    killed: Cause | None = None
    stopping: bool = False
    waits: bool = False  # whether the pool waits until the process can take more data
    eof: bool = False
    head_since: float = 0.0
    # the job and the length of the trace when the trace last grew, when that was seen, and the
    # CPU seconds until then
    _line: tuple[int, int, float, float] = (-1, 0, 0.0, 0.0)
    cpu: float = 0.0  # seconds of all processors, known when the process has ended
    stack: int = 0  # bytes of the stack in use when a limit of time ended the process
    _reported: float = 0.0  # the same when the last run was reported
    _cpu: tuple[int, float] = (-1, 0.0)
    _unsent: bytearray = field(default_factory=bytearray)
    _decoder: Decoder = field(default_factory=Decoder)
    _damp: Damp = ()  # the calls to damp that the process was told last

    def assign(self, job: Job) -> None:
        """Queue `job`. The process begins it when the jobs before it are done."""
        if not self.jobs:
            self.head_since = time.monotonic()
        self.jobs.append(job)
        message = job.message()
        if job.damp != self._damp:  # the list of 600 buckets has 9 KB, and rarely changes
            message["damp"] = self._damp = job.damp
        self._send(message)

    def stop(self) -> None:
        """Tell the process to leave when its jobs are done."""
        if not self.stopping:
            self.stopping = True
            self._send({"stop": True})

    def _send(self, message: Message) -> None:
        self._unsent += encode(message)
        self.flush()

    def flush(self) -> bool:
        """Send the data that waits to be sent, and return True when nothing is left. Data that a
        dead process does not take is dropped.
        """
        if self._unsent:
            try:
                sent = self.sock.send(self._unsent)
            except BlockingIOError:
                return False
            except OSError:
                sent = len(self._unsent)
            del self._unsent[:sent]
        return not self._unsent

    def receive(self) -> list[tuple[Job, Outcome]]:
        """Return the runs that ended by themselves since the last call. Sets `eof` at the end of
        the channel.
        """
        done: list[tuple[Job, Outcome]] = []
        while not self.eof:
            try:
                data = self.sock.recv(1 << 18)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                self.eof = True
                break
            try:
                messages = self._decoder.feed(data)
            except ValueError:  # the solver wrote into our channel
                self.eof = True
                self.kill("channel")
                break
            done += [self._ended(message) for message in messages]
        return done

    def _ended(self, message: Message) -> tuple[Job, Outcome]:
        job = self.jobs.popleft()
        # Outside of a campaign nobody does the jobs of a process again. The texts of the 500 jobs that a
        # judge does until it is replaced took 20 MB.
        self.past.append(job if job.index >= 0 else replace(job, text=None, judge=None))
        self.head_since = time.monotonic()
        return job, Outcome(
            "report",
            message["report"],
            message.get("trace", ""),
            message.get("output", ""),
            seconds=message["seconds"],
            cpu=self._cpu_until(message["cpu"]),
        )

    def _cpu_until(self, cpu: float) -> float:
        """The seconds of the processor of the run that ended when the process had taken `cpu`."""
        taken, self._reported = max(0.0, cpu - self._reported), cpu
        return taken

    def kill(self, cause: Cause) -> None:
        """End the process and its group now, because of `cause`."""
        if self.killed is None:
            self.killed = cause
            if cause in ("wall", "cpu") and self.pid is not None:
                self.stack = stack_used(self.pid)
        if self.pid is None:
            return
        with contextlib.suppress(ProcessLookupError):
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except ProcessLookupError:  # it has not made its own group yet
                os.kill(self.pid, signal.SIGKILL)

    def overdue(self, now: float) -> bool:
        """Whether the run in hand is past its wall limit. A run that waits for a processor, because
        the machine is busy, gets several times as long.
        """
        if not self.jobs or now - self.head_since < _EARLY:
            return False
        taken = self.cpu_of_run()
        progress = self._under_way() if now - self.head_since >= self.jobs[0].wall else None
        if progress is None:
            return False
        begun = progress.start
        if self.jobs[0].by_line:
            begun, before = self._line_seen(progress, now)
            taken = self.cpu_now() - before
        wall, late = self.jobs[0].wall, now - begun
        if late >= wall:
            wall += self._of_check()
        waits = (
            taken < _WORKED * wall
            and late < _LONGER * wall
            and any(map(runnable, self._processes()))
        )
        return late >= wall and not waits

    def _of_check(self) -> float:
        """The seconds that the line in hand may take beyond the usual ones, because its trace gives its
        checks a wall time of their own.
        """
        rows = _CHECK_WALL.findall(buffer.decode(buffer.read(self.trace_fd)))
        return min(int(rows[-1] or 0) / 1000, _LONGEST_CHECK) if rows else 0.0

    def left_of_call(self, now: float) -> float:
        """The CPU seconds that the line in hand may still take; infinite where nothing limits it, or
        where nobody needs to know it yet.
        """
        if not self.jobs or not self.jobs[0].call or now - self.head_since < _EARLY:
            return math.inf
        progress = self._under_way()
        if progress is None:
            return math.inf
        return self.jobs[0].call - (self.cpu_now() - self._line_seen(progress, now)[1])

    def _under_way(self) -> buffer.Progress | None:
        """The progress of the run in hand; None where the process has not begun it, or ended it."""
        progress = buffer.progress(self.trace_fd)
        running = progress.job == self.jobs[0].number and progress.state == buffer.RUNNING
        return progress if running else None

    def _line_seen(self, progress: buffer.Progress, now: float) -> tuple[float, float]:
        """When the line in hand was first seen, and the CPU seconds when it began. The process does not
        know what a program that it started has taken by then, so that is asked for here.
        """
        if self._line[:2] != (progress.job, progress.length):
            before = self.cpu_now() if self.parent.plan.target.program else progress.cpu
            self._line = (progress.job, progress.length, now, before)
        return self._line[2:]

    def cpu_of_run(self) -> float:
        """The CPU seconds of the run in hand, counted from the first call for this run."""
        if self.pid is None or not self.jobs:
            return 0.0
        cpu = self.cpu_now()
        if self._cpu[0] != self.jobs[0].number:
            self._cpu = (self.jobs[0].number, cpu)
        return cpu - self._cpu[1]

    def cpu_now(self) -> float:
        """The CPU seconds of the process; 0 where it is gone."""
        return sum(map(cpu_of, self._processes()))

    def resident(self) -> int:
        """The resident memory in bytes; 0 when the process is gone."""
        return sum(map(resident, self._processes()))

    def _processes(self) -> list[int]:
        """The process, and those that it started if its solver is a program."""
        if self.pid is None:
            return []
        started = descendants(self.pid) if self.parent.plan.target.program else []
        return [self.pid, *started]

    def running(self) -> Job | None:
        """The job in the middle of which the process is, or died; None between two jobs, and once the
        handle is closed.
        """
        if not self.jobs or self.sock.fileno() < 0:
            return None
        progress = buffer.progress(self.trace_fd)
        return (
            self.jobs[0]
            if progress.job == self.jobs[0].number and progress.state == buffer.RUNNING
            else None
        )

    def trace(self) -> str:
        """The trace of the run in hand until now."""
        return buffer.decode(buffer.read(self.trace_fd))

    def outcome(
        self, cause: Cause, status: int | None, peak: int, *, after: bool = False
    ) -> Outcome:
        """The outcome of the run in hand when the process died of `cause`. With `after`, the run
        had ended before.
        """
        trace = self.trace()
        seconds = time.monotonic() - buffer.progress(self.trace_fd).start
        output, cpu = excerpt(self.output_fd), self._cpu_until(self.cpu)
        limited = (self.memory, cpu, self.stack)
        return Outcome(cause, None, trace, output, status, peak, seconds, after, *limited)

    def close(self) -> None:
        """Close the descriptors and remove the folder."""
        self.sock.close()
        os.close(self.trace_fd)
        os.close(self.output_fd)
        if self.folder is not None:
            try:
                os.rmdir(self.folder)
            except OSError:
                shutil.rmtree(self.folder, ignore_errors=True)


# ----------------------------------------------------------------------
# The process behind a campaign, which makes findings smaller and describes them.


def start_behind(gate: int, nice: int) -> subprocess.Popen[bytes]:
    """Start a process that does requests, one a line of its input, and answers each with a line. It is `nice`
    steps nicer than this one, ends with it, and waits while the file `gate` says so. It leads a group.
    """
    names = (json.dumps(granted()), json.dumps(plugins.used()))
    words = [sys.executable, "-P", "-m", "murxpy.campaign.behind", str(os.getpid()), str(gate)]
    return subprocess.Popen(
        [*words, str(nice), *names],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        pass_fds=(gate,),
    )


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the process, which leads a group, and its whole group, and wait for it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.returncode is None:
        process.wait()
