"""The worker process, forked from a warm parent: it takes jobs, runs them in the session, and
reports.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from murxpy.machine.outcomes import EXIT, INTERNAL
from murxpy.modules import plugin_of
from murxpy.worker import process
from murxpy.worker.buffer import TraceBuffer
from murxpy.worker.channel import Channel, Message
from murxpy.worker.confine import confine

KEPT_OUTPUT = 65536  # bytes of the head and of the tail of a run's output


class Session(Protocol):
    """The session of a worker: `murxpy.worker.session.Session`, or a fake of that in tests."""

    def describe(self) -> dict[str, Any]:
        """Describe the solver that was loaded: `solver`, `version`, `module_file` and more."""

    def walk(self, seed: int, write: Callable[[str], None]) -> dict[str, Any]:
        """Do a random run, and give its report."""

    def replay(self, text: str, name: str, write: Callable[[str], None]) -> dict[str, Any]:
        """Replay the trace `text`, called `name` in messages, and give the report."""

    def judge(
        self, text: str, name: str, write: Callable[[str], None], options: dict[str, Any]
    ) -> dict[str, Any]:
        """Answer the decided checks of the trace `text`, and give the report."""


def excerpt(fd: int) -> str:
    """The beginning and the end of the file `fd`, and between them the number of bytes that were
    left out.
    """
    size = os.fstat(fd).st_size
    head = os.pread(fd, KEPT_OUTPUT, 0)
    if size <= 2 * KEPT_OUTPUT:
        return (head + os.pread(fd, KEPT_OUTPUT, KEPT_OUTPUT)).decode("utf-8", "replace")
    tail = os.pread(fd, KEPT_OUTPUT, size - KEPT_OUTPUT)
    left_out = f"\n[{size - 2 * KEPT_OUTPUT} bytes left out]\n"
    return head.decode("utf-8", "replace") + left_out + tail.decode("utf-8", "replace")


_WRITING = 1.0  # seconds from one writing of counters to the next; it may write thousands of files


class Worker:
    """Runs jobs one after another. Both output streams go to the file `output`. Files that a run
    leaves in `folder` are gone when the next one begins.
    """

    def __init__(
        self,
        session: Session,
        channel: Channel,
        trace: TraceBuffer,
        output: int,
        folder: str | None = None,
    ) -> None:
        self._session = session
        self._channel = channel
        self._trace = trace
        self._output = output
        self._folder = folder

    def serve(self) -> None:
        """Do jobs until the supervisor says to stop, or is gone."""
        write, written = process.counters(), -_WRITING
        while (job := self._channel.receive()) is not None and "stop" not in job:
            answer = self._do(job)
            if write is not None and time.monotonic() - written > _WRITING:
                write()  # a worker is stopped without a word
                written = time.monotonic()
            self._channel.send(answer)

    def _do(self, job: Message) -> Message:
        if os.fstat(self._output).st_size:
            os.ftruncate(self._output, 0)
        self._clear_folder()
        self._trace.begin(job["job"], job["seed"])
        start = time.monotonic()
        try:
            report = self._run(job)
        except Exception as error:
            report = _internal(job, error)
        except SystemExit as error:
            report = _finding(job, EXIT, f"SystemExit({error.code!r}) left the session", "binding")
        self._trace.end()
        answer: Message = {
            "job": job["job"],
            "report": report,
            "seconds": time.monotonic() - start,
            "cpu": time.process_time(),
        }
        if report["status"] != "ok" or _wanted(job, report):
            answer["trace"] = self._trace.text()
            answer["output"] = excerpt(self._output)
        return answer

    def _clear_folder(self) -> None:
        if self._folder is None:
            return
        for name in os.listdir(self._folder):
            path = os.path.join(self._folder, name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)

    def _run(self, job: Message) -> dict[str, Any]:
        if "damp" in job:  # another list than that of the job before
            damp = getattr(self._session, "damp", None)
            if damp is not None:
                damp(job["damp"])
        if "judge" in job:
            return self._session.judge(job["text"], job["name"], self._trace.write, job["judge"])
        if "text" in job:
            return self._session.replay(job["text"], job["name"], self._trace.write)
        return self._session.walk(job["seed"], self._trace.write)


def _wanted(job: Message, report: Mapping[str, Any]) -> bool:
    """Whether to send the trace although nothing is wrong: always for replays, and for walks if the
    job says so.
    """
    if "judge" in job:
        return bool(job.get("keep"))
    return (
        "text" in job
        or job.get("keep") is True
        or (job.get("keep") == "decided" and "check:decided" in report["counts"])
    )


def _internal(job: Message, error: Exception) -> dict[str, Any]:
    module, function = _place(error)
    traceback.print_exception(error)
    plugin = plugin_of(module)
    whose = f"plug-in '{plugin}', " if plugin else ""
    message = f"{type(error).__name__}: {error} ({whose}{module}, {function})"
    report = _finding(job, INTERNAL, message, "murxpy")
    # the part of murxpy at fault stands in the place of a call of the solver
    report["finding"] |= {"action": module, "operator": function}
    return report


def _place(error: Exception) -> tuple[str, str]:
    """The module and the function of murxpy in which an error came up; the innermost ones where
    none of murxpy is to blame. Of an endless recursion, where it begins.
    """
    frames = [
        (str(frame.f_globals.get("__name__", "")), frame.f_code.co_qualname)
        for frame, _ in traceback.walk_tb(error.__traceback__)
    ]
    own = [frame for frame in frames if frame[0].startswith("murxpy.") and frame[0] != __name__]
    found = own or frames
    if isinstance(error, RecursionError):
        return next((frame for frame in found if found.count(frame) > 1), found[-1])
    return found[-1]


def _finding(job: Message, kind: str, message: str, tier: str) -> dict[str, Any]:
    finding = {
        "kind": kind,
        "message": message,
        "action": "",
        "operator": None,
        "spelling": None,
        "tier": tier,
    }
    return {
        "status": "finding",
        "seed": job["seed"],
        "counts": {},
        "finding": finding,
        "differences": [],
    }


def run(
    session: Session,
    fds: list[int],
    limits: Mapping[str, int],
    parent: int,
    folder: str | None = None,
) -> None:
    """Run this process as a worker. `fds` are the channel, the trace buffer and the output file;
    `parent` is the process id of the warm parent. The worker can change files in its working
    directory `folder` only; None: nowhere.
    """
    channel, trace, output = fds
    os.setsid()
    process.die_with_parent(parent)
    process.redirect(output)
    process.show_crashes()
    buffer = TraceBuffer(trace)
    os.close(trace)
    process.limit(limits)
    os.chdir(folder or os.sep)
    if folder is not None:  # where helpers of the wrapper and native code put temporary files
        os.environ["TMPDIR"] = tempfile.tempdir = folder
    confine(folder, programs=process.starts_programs())
    with socket.socket(fileno=channel) as sock:
        Worker(session, Channel(sock), buffer, output, folder).serve()
