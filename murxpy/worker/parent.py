"""The warm parent: it imports the solver once, and forks a worker whenever the supervisor asks for
one.

After the import it never calls the solver. Nothing that a test does can therefore break it, short of
killing it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys

from murxpy.errors import MurxpyError, TargetError
from murxpy.modules import add_modules
from murxpy.sources.setups import Setup
from murxpy.worker import process, worker
from murxpy.worker.channel import Message
from murxpy.worker.confine import confine

DEFAULT_SESSION = "murxpy.worker.session:Session"


def load_session(setup: Setup) -> worker.Session:
    """Make the session that `setup` describes. Raises TargetError when the solver does not load."""
    add_modules(setup.get("modules", {}))
    for path in reversed([*setup.get("paths", []), *setup.get("session_path", [])]):
        sys.path.insert(0, path)
    module, _, name = setup.get("session", DEFAULT_SESSION).partition(":")
    try:
        kind = getattr(importlib.import_module(module), name)
        gc.freeze()  # the session's first collection need not look at all modules
        session: worker.Session = kind(setup)
    except MurxpyError:
        raise
    except (ImportError, OSError) as error:
        raise TargetError(
            f"the solver cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    return session


class Parent:
    """Serves the supervisor on the socket `control`, which keeps messages apart and passes
    descriptors.
    """

    def __init__(self, control: socket.socket, session: worker.Session) -> None:
        self._control = control
        self._session = session
        self._workers: dict[int, int] = {}  # pid -> the supervisor's number for it
        self._wake, wake = socket.socketpair()
        self._wake.setblocking(False)
        wake.setblocking(False)
        self._wake_end = wake
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)

    def serve(self) -> None:
        """Fork and reap workers until the supervisor is gone; then kill the workers and all that
        they started.
        """
        process.outlive_parent()
        try:
            self._serve()
        finally:
            for pid in self._workers:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(pid, signal.SIGKILL)

    def _serve(self) -> None:
        while True:
            ready, _, _ = select.select([self._control, self._wake], [], [])
            if self._wake in ready:
                with contextlib.suppress(BlockingIOError):
                    self._wake.recv(4096)
                self._reap()
            if self._control in ready and not self._take():
                return

    def _take(self) -> bool:
        data, fds, _, _ = socket.recv_fds(self._control, 65536, 3)
        if not data:
            return False
        request = json.loads(data)
        self._fork(request, fds)
        for fd in fds:
            os.close(fd)
        return True

    def _fork(self, request: Message, fds: list[int]) -> None:
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            self._send({"failed": request["fork"], "error": str(error)})
            return
        if pid == 0:
            self._become_worker(request, fds, parent)
        self._workers[pid] = request["fork"]
        self._send({"forked": request["fork"], "pid": pid})

    def _become_worker(self, request: Message, fds: list[int], parent: int) -> None:
        code = 70  # EX_SOFTWARE: murxpy itself failed before or after the runs
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for sock in (self._control, self._wake, self._wake_end):
                sock.close()
            worker.run(self._session, fds, request["limits"], parent, request["folder"])
            code = 0
        except (OSError, ValueError) as error:
            os.write(2, f"murxpy: the worker failed: {error}\n".encode())
        finally:
            os._exit(code)

    def _reap(self) -> None:
        while self._workers:
            dead = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if dead is None:
                return
            # Until the process is reaped, no other process gets its id, so this kills its group.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(dead.si_pid, signal.SIGKILL)
            pid, status, usage = os.wait4(dead.si_pid, 0)
            number = self._workers.pop(pid, None)
            if number is not None:
                cpu = usage.ru_utime + usage.ru_stime
                self._send(
                    {"died": number, "status": status, "cpu": cpu, "peak": usage.ru_maxrss * 1024}
                )

    def _send(self, message: Message) -> None:
        self._control.send(json.dumps(message).encode())


def once(setup: str, trace: str) -> None:
    """Replay the file `trace` in this very process, for a debugger; the file `setup` describes the
    session.
    """
    process.die_with_parent(os.getppid())
    with open(setup, "rb") as file:
        session = load_session(json.load(file))
    confine(None, programs=process.starts_programs())
    with open(trace, encoding="utf-8", errors="surrogatepass") as file:
        session.replay(file.read(), trace, lambda text: None)


def program(setup: str, file: str) -> None:
    """Run the program `file` of a finding in this very process, for a debugger; the file `setup` describes
    the session whose solver it uses.
    """
    process.die_with_parent(os.getppid())
    with open(setup, "rb") as data:
        sys.path[:0] = json.load(data).get("paths", [])
    confine(None, programs=True)
    runpy.run_path(file, run_name="__main__")


def main(supervisor: int, control_fd: int, setup_fd: int) -> None:
    """Load the session that the file `setup_fd` describes, and serve the process `supervisor`.

    The file also takes the answer: the session's description, or the reason why there is no
    session.
    """
    process.die_with_parent(supervisor)
    control = socket.socket(fileno=control_fd)
    with open(setup_fd, "r+b") as file:
        try:
            session = load_session(json.load(file))
            answer: Message = {"ready": session.describe()}
        except MurxpyError as error:
            answer = {"error": str(error), "exit-code": error.exit_code}
        except Exception as error:
            answer = {
                "error": f"the session failed: {type(error).__name__}: {error}",
                "exit-code": 3,
            }
        file.seek(0)
        file.truncate()
        file.write(json.dumps(answer).encode())
    control.send(json.dumps({"loaded": "ready" in answer}).encode())
    if "ready" in answer:
        process.sanitized()
        gc.collect()
        gc.freeze()  # workers then share the memory of everything that was loaded
        with contextlib.suppress(ConnectionError):
            Parent(control, session).serve()
