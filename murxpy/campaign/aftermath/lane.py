"""One process that reduces and bisects findings, and the request that it has in hand."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

import msgspec

from murxpy.campaign.aftermath.requests import CLOSED, Answer, Request
from murxpy.campaign.cpu import tree_cpu
from murxpy.campaign.reduction.programs import end_group
from murxpy.data.grants import granted

_BISECTING = 400.0  # seconds; nine replays of 20 s each, twice where a replay must be prepared
# Seconds for a reduction and programs. A reduction of 600 candidates took 90 s at most; only one that
# hangs comes to this limit.
_LONGEST = 1800.0
_LOOK = 0.25  # seconds between two looks at the time that the process took


class Lane:
    """A process of its own for one request at a time. It is started for the first request, and again
    where it died. `request` is the one in hand, None if there is none. `cpu` are the seconds of all
    processors that it took. The process reads in the file `gate` whether it is to wait. No method waits.
    """

    def __init__(self) -> None:
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
        """The seconds in which the request in hand was done."""
        return (time.monotonic() if self._paused is None else self._paused) - self._began

    def _look(self) -> None:
        """See how much time the process took."""
        if self._process is not None and self._process.returncode is None:
            taken = tree_cpu(self._process.pid)
            self.cpu += max(0.0, taken - self._seen)  # less where processes were killed
            self._seen = taken

    def begin(self, request: Request, told: Mapping[str, Any]) -> None:
        """Give `request` to the process, which reads `told`. Raises OSError."""
        self.request, self._answer, self._began = request, b"", time.monotonic()
        process = self._started()
        assert process.stdin is not None
        process.stdin.write(json.dumps(told).encode() + b"\n")
        process.stdin.flush()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    "-m",
                    "murxpy.campaign.aftermath.process",
                    str(os.getpid()),
                    str(self.gate),
                    json.dumps(granted()),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=(self.gate,),
            )
            self._seen = 0.0
            assert self._process.stdout is not None
            os.set_blocking(self._process.stdout.fileno(), False)
        return self._process

    def answered(self) -> Answer | None:
        """The answer to the request in hand; None while there is none."""
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
