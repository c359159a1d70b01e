"""Native frames of a crash, from gdb where it is installed. People read them, and they tell which
buckets are alike; they are never part of a bucket's key, which must not depend on gdb.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable
from functools import partial

from murxpy.campaign.budget import Budget
from murxpy.campaign.cpu import reaped_cpu
from murxpy.campaign.workers.parents import command, setup_data
from murxpy.campaign.workers.scratch import Scratch
from murxpy.campaign.workers.targets import Plan
from murxpy.worker.process import die_with_parent

SECONDS = 30.0  # until gdb is ended
_FRAMES = 64  # that gdb prints at most; one turn of a recursion had up to 13 of them


class Backtraces:
    """Replays traces under gdb, one at a time when `budget` is open, and calls `done(key, frames)`."""

    def __init__(self, budget: Budget, done: Callable[[str, str], None]) -> None:
        self._budget = budget
        self._done = done
        self.cpu = 0.0  # seconds of all processors
        self._gdb = shutil.which("gdb")
        self._queue: deque[tuple[str, Plan, str]] = deque()
        self._process: subprocess.Popen[bytes] | None = None
        self._key = ""
        self._folder: Scratch | None = None
        self._began = 0.0

    def add(self, key: str, plan: Plan, trace: str) -> None:
        """Ask for the frames of the crash of `trace`. They come later, and never without gdb."""
        if self._gdb is not None:
            self._queue.append((key, plan, trace))

    @property
    def left(self) -> list[str]:
        """The keys whose frames are still to come."""
        return [self._key] * (self._process is not None) + [key for key, _, _ in self._queue]

    def poll(self) -> None:
        """Take the frames of a gdb that has ended, and start gdb on the next trace."""
        if self._process is not None:
            before = reaped_cpu()
            running = self._process.poll() is None
            self.cpu += reaped_cpu() - before
            if running and time.monotonic() < self._began + SECONDS:
                return
            self._end()
        if self._queue and self._budget.open:
            try:
                self._begin(*self._queue.popleft())
            except OSError:  # without room for the files there are no frames
                self.stop()

    def _begin(self, key: str, plan: Plan, trace: str) -> None:
        self._key = key
        self._folder = Scratch("gdb")
        folder = self._folder.path
        (folder / "setup").write_bytes(setup_data(plan))
        (folder / "trace").write_text(trace, encoding="utf-8", errors="surrogatepass")
        replay = command(plan, "once", str(folder / "setup"), str(folder / "trace"))
        gdb = [
            self._gdb or "gdb",
            "-nx",
            "-batch",
            "-ex",
            "set confirm off",
            "-ex",
            "set debuginfod enabled off",
            "-ex",
            "run",
            "-ex",
            f"bt {_FRAMES}",
            "--args",
            *replay,
        ]
        with (folder / "frames").open("wb") as out:
            self._process = subprocess.Popen(
                gdb,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env=plan.target.environment(),
                preexec_fn=partial(die_with_parent, os.getpid()),
            )
        self._began = time.monotonic()

    def _end(self) -> None:
        self._kill()
        text = ""
        if self._folder is not None:
            with contextlib.suppress(OSError):
                text = (self._folder.path / "frames").read_text("utf-8", "replace")
        self.stop()
        frames = "\n".join(re.findall(r"^#\d+ .*$", text, re.M))
        if frames:
            self._done(self._key, frames + "\n")

    def stop(self) -> None:
        """End gdb if it runs, and remove its files."""
        self._kill()
        if self._folder is not None:
            self._folder.remove()
            self._folder = None

    def _kill(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            before = reaped_cpu()
            self._process.wait()
            self.cpu += reaped_cpu() - before
            self._process = None
