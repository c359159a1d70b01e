"""The supervisor's handle of a warm parent: the process that has loaded a solver and forks
workers.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import murxpy
from murxpy.errors import InputError, InternalError, MurxpyError, TargetError
from murxpy.modules import added_modules
from murxpy.processes.targets import Plan
from murxpy.worker.channel import Message

PACKAGE = Path(murxpy.__file__).parent
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
START_SECONDS = 120.0  # enough for an import from a cold, slow disk
# A process that has so many bytes of its stack in use may be in an endless recursion. Usual stacks
# hold 8 MiB; of seven runs of z3 that a limit ended, five used 132 KiB, and two more than this.
DEEP = 1 << 20
# The C library keeps the memory of a run for the next one: a solver's context takes and gives back
# some megabytes each run, for which the kernel would have to find and clear pages again. On z3, walks
# took 4 to 20 % less of the processor's time. A variable of the user goes before these.
_MEMORY = {
    "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    "MALLOC_TOP_PAD_": str(16 << 20),
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
}
_STOPPING = 0.2  # seconds that a process may take to stop, until what is known must be enough
_STACK_BEGIN = 25  # the field of /proc/PID/stat with the begin of the stack, counted from the state
_ERRORS: dict[int, type[MurxpyError]] = {kind.exit_code: kind for kind in (InputError, TargetError)}


def command(plan: Plan, mode: str, first: str, second: str) -> list[str]:
    """The command that boots murxpy's worker side in the interpreter of the target of `plan`; see
    `worker/boot.py`.
    """
    bare = ["-S"] if plan.target.bare else []
    boot = str(PACKAGE / "worker" / "boot.py")
    return [
        plan.target.interpreter,
        "-I",
        "-u",
        *bare,
        boot,
        str(PACKAGE),
        PYTHON,
        mode,
        first,
        second,
    ]


def setup_data(plan: Plan) -> bytes:
    """The setup of `plan` in the form that the session reads."""
    paths = [*plan.target.paths, *plan.setup.get("paths", [])]
    return json.dumps({**plan.setup, "paths": paths, "modules": added_modules()}).encode()


def resident(pid: int | None) -> int:
    """The resident memory of process `pid` in bytes; 0 when the process is gone."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def cpu_of(pid: int) -> float:
    """The CPU seconds of process `pid` without its children; 0 when the process is gone."""
    try:
        return time.clock_gettime((~pid << 3) | 2)  # the kernel's clock of another process
    except OSError:
        return 0.0


def descendants(pid: int) -> list[int]:
    """The processes that process `pid` started and that these started, as far as the kernel tells."""
    found = [pid]
    for parent in found:
        with contextlib.suppress(OSError, ValueError):
            file = Path(f"/proc/{parent}/task/{parent}/children")
            found += map(int, file.read_text("ascii").split())
    return found[1:]


def runnable(pid: int | None) -> bool:
    """Whether process `pid` runs, or would if it had a processor; False when it is gone."""
    try:
        return pid is not None and _stat(pid)[0] == "R"
    except (OSError, IndexError):
        return False


def stack_used(pid: int) -> int:
    """The bytes of the stack that process `pid` has in use; it is stopped for that, and stays so. The
    most that it ever used, where the kernel does not tell where it is; 0 when the process is gone.
    """
    try:
        most = _stack_seen(pid)
        if most < DEEP:  # as nearly all do not, it need not be stopped
            return most
        os.kill(pid, signal.SIGSTOP)
        deadline = time.monotonic() + _STOPPING
        fields = _stat(pid)
        while fields[0] != "T" and time.monotonic() < deadline:
            time.sleep(0.002)
            fields = _stat(pid)
        with open(f"/proc/{pid}/syscall", encoding="ascii") as file:
            words = file.read().split()  # of a stopped process: -1, stack pointer, program counter
        depth = int(fields[_STACK_BEGIN]) - int(words[-2], 16) if len(words) > 2 else most
    except (OSError, ValueError, IndexError):
        return 0
    return depth if 0 <= depth <= most else most


def _stack_seen(pid: int) -> int:
    """The size of the stack of process `pid` in bytes. The use of the stack grows and never shrinks."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        rows = [row.split() for row in file if row.startswith("VmStk:")]
    return int(rows[0][1]) * 1024


def _stat(pid: int) -> list[str]:
    """The fields of process `pid` from its state on."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()


class WarmParent:
    """The warm parent process of target number `target`. `about` is the session's description, None
    until the solver is loaded. After `dead` is set the object is of no more use.

    `refused` says that the process itself reported why there can be no session, so that another try
    would be in vain. `error` is that reason, or the reason of its early death. `forks` counts the
    workers that the parent was asked for.
    """

    def __init__(self, plan: Plan, target: int = 0, *, private: bool = False) -> None:
        self.plan = plan
        self.target = target
        self.private = private
        self.about: dict[str, Any] | None = None
        self.error: MurxpyError | None = None
        self.dead = False
        self.refused = False
        self.status: int | None = None
        self.resident = 0  # bytes, measured when the solver was loaded
        self.forks = 0
        self.control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._setup = os.memfd_create("murxpy-setup")
        self._output = os.memfd_create("murxpy-parent")
        os.write(self._setup, setup_data(plan))
        os.lseek(self._setup, 0, os.SEEK_SET)
        with other:
            self._process = self._start(other)
        self.control.setblocking(False)

    def _start(self, other: socket.socket) -> subprocess.Popen[bytes]:
        fds = (other.fileno(), self._setup)
        try:
            return subprocess.Popen(
                command(self.plan, str(os.getpid()), *map(str, fds)),
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._output,
                pass_fds=fds,
                start_new_session=True,
                env={**_MEMORY, **self.plan.target.environment()},
            )
        except OSError as error:
            self.control.close()
            raise TargetError(
                f"target '{self.plan.target.name}': {self.plan.target.interpreter} cannot be run: "
                f"{error.strerror}"
            ) from error

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def wait_ready(self, seconds: float = START_SECONDS) -> dict[str, Any]:
        """Wait until the solver is loaded, and return the session's description. Raises the error
        that prevents it.
        """
        deadline = time.monotonic() + seconds
        while self.about is None and self.error is None:
            left = deadline - time.monotonic()
            if left <= 0:
                self.kill()
                raise TargetError(
                    f"target '{self.plan.target.name}': the solver was not loaded within {seconds:.0f} s"
                )
            select.select([self.control], [], [], left)
            self.receive()
        if self.error is not None:
            self.close()
            raise self.error
        assert self.about is not None
        return self.about

    def receive(self) -> list[Message]:
        """Return the messages that have come since the last call. Sets `about`, `error` and
        `dead`.
        """
        messages: list[Message] = []
        while not self.dead:
            try:
                data = self.control.recv(65536)
            except BlockingIOError:
                break
            except ConnectionError:
                data = b""
            if not data:
                self._ended()
                break
            message = json.loads(data)
            if "loaded" in message:
                self._loaded()
            else:
                messages.append(message)
        return messages

    def _loaded(self) -> None:
        answer = json.loads(os.pread(self._setup, os.fstat(self._setup).st_size, 0))
        name = self.plan.target.name
        if "error" in answer:
            kind = _ERRORS.get(answer["exit-code"], InternalError)
            self.error, self.refused = kind(f"target '{name}': {answer['error']}"), True
            return
        self.about = answer["ready"]
        self.resident = resident(self.pid)
        try:
            self.plan.target.check_module(answer["ready"].get("module_file"))
        except TargetError as error:
            self.error, self.refused = error, True

    def _ended(self) -> None:
        self.dead = True
        code = self._process.wait()
        self.status = -code if code < 0 else code << 8
        if self.about is None and self.error is None:
            lines = (
                os.pread(self._output, 1 << 20, 0).decode("utf-8", "replace").strip().splitlines()
            )
            how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
            name, last = self.plan.target.name, f": {lines[-1]}" if lines else ""
            self.error = TargetError(
                f"target '{name}': the process that loads the solver ended ({how}){last}"
            )

    def request(
        self, number: int, limits: dict[str, int], fds: list[int], folder: str | None
    ) -> bool:
        """Ask for worker `number`, which gets the descriptors `fds`, and can change files in `folder`
        only. Returns False when the parent is dead or does not listen.
        """
        self.forks += 1
        asked = {"fork": number, "limits": limits, "folder": folder}
        try:
            socket.send_fds(self.control, [json.dumps(asked).encode()], fds)
        except OSError:
            return False
        return True

    def cpu(self) -> float:
        """The seconds of all processors that the process took, without its workers; 0 when it is
        gone.
        """
        return cpu_of(self.pid)

    def kill(self) -> None:
        """End the process. The kernel then ends its workers."""
        if not self.dead:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """End the process and close the descriptors."""
        self.kill()
        self.dead = True
        self.control.close()
        for fd in (self._setup, self._output):
            if fd >= 0:
                os.close(fd)
        self._setup = self._output = -1
