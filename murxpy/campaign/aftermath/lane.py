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

from murxpy.campaign.aftermath.requests import Answer, Request
from murxpy.campaign.reduction.programs import end_group

_TRANSLATING = 120.0  # seconds after the time of a reduction in which translations are tried
_BISECTING = 400.0  # seconds; nine replays of 20 s each, twice where a replay must be prepared
# Seconds for a reduction with a limit in replays alone. Such a reduction took 90 s at most; only one
# that hangs comes to this limit.
_LONGEST = 900.0


class Lane:
    """A process of its own for one request at a time. It is started for the first request, and again
    where it died. `request` is the one in hand, None if there is none. No method waits.
    """

    def __init__(self) -> None:
        self.request: Request | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._answer = b""
        self._began = 0.0

    @property
    def seconds(self) -> float:
        """The seconds since the request in hand began."""
        return time.monotonic() - self._began

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
                [sys.executable, "-P", "-m", "murxpy.campaign.aftermath.process", str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            assert self._process.stdout is not None
            os.set_blocking(self._process.stdout.fileno(), False)
        return self._process

    def answered(self) -> Answer | None:
        """The answer to the request in hand; None while there is none."""
        process, request = self._process, self.request
        assert process is not None and process.stdout is not None and request is not None
        self._answer += process.stdout.read() or b""
        if self._answer.endswith(b"\n"):
            return msgspec.convert(json.loads(self._answer), Answer)
        if process.poll() is not None:
            return Answer(error=f"the process ended with {process.returncode}")
        longest = request.seconds or _LONGEST
        if self.seconds > (_BISECTING if request.releases else longest + _TRANSLATING):
            self.kill()
            return Answer(error="it took too long")
        return None

    def kill(self) -> None:
        """End the process."""
        if self._process is not None:
            end_group(self._process)
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            self._process = None
