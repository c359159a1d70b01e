"""The trace of the current run, in memory that the worker shares with the supervisor.

The file is a header of native 64-bit words and then the text of the trace in UTF-8. The worker
appends a line before the call that the line describes. When the worker dies, the supervisor can
therefore read the trace up to the fatal call.
"""

from __future__ import annotations

import mmap
import os
import struct
import time
from dataclasses import dataclass

SIZE = 32 << 20  # bytes; only pages that were written to take memory
HEADER = 64
# words of the header, with the nanoseconds of the monotonic clock when the run began, and of the
# process's own clock when it wrote last
LENGTH, SEED, JOB, STATE, START, CPU = range(6)
IDLE, RUNNING, ENDED = range(3)  # values of STATE
_WORDS = struct.Struct("@6Q")
_WORD = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Progress:
    """The header of the buffer: the bytes of the trace, the number of the current job, whether the
    job runs, and since when, in seconds; and the CPU seconds of the process when the trace last grew.
    """

    length: int
    seed: int
    job: int
    state: int
    start: float
    cpu: float


class TraceBuffer:
    """The worker's end of the shared file with the descriptor `fd`."""

    def __init__(self, fd: int) -> None:
        self._map = mmap.mmap(fd, SIZE)
        self._words = memoryview(self._map)[:HEADER].cast("Q")
        self._end = HEADER

    def begin(self, job: int, seed: int) -> None:
        """Forget the trace of the last run, and begin the run of `seed`."""
        words = self._words
        words[LENGTH] = 0
        words[SEED] = seed & _WORD  # a guided run seed has its arms in further bits
        words[JOB] = job
        words[START] = time.monotonic_ns()
        words[CPU] = time.process_time_ns()
        words[STATE] = RUNNING
        self._end = HEADER

    def write(self, text: str) -> None:
        """Append `text`. Raises OverflowError when the trace would be longer than the buffer."""
        data = text.encode("utf-8", "surrogatepass")
        end = self._end + len(data)
        if end > SIZE:
            raise OverflowError(f"the trace of one run is longer than {SIZE >> 20} MiB")
        self._map[self._end : end] = data
        self._end = end
        self._words[CPU] = time.process_time_ns()
        self._words[LENGTH] = end - HEADER

    def end(self) -> None:
        """End the run; its text stays until the next run begins."""
        self._words[STATE] = ENDED

    def text(self) -> str:
        """The trace so far."""
        return decode(self._map[HEADER : self._end])


def decode(data: bytes) -> str:
    """Decode the text of a trace. Replacement characters stand for bytes that a dying process left
    half-written.
    """
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def create() -> int:
    """Make a new empty shared file, and give its descriptor. Raises OSError when there is not
    enough memory.
    """
    fd = os.memfd_create("murxpy-trace")
    os.ftruncate(fd, SIZE)
    return fd


def progress(fd: int) -> Progress:
    """Read the header of the shared file `fd`, in the supervisor."""
    length, seed, job, state, start, cpu = _WORDS.unpack(os.pread(fd, _WORDS.size, 0))
    return Progress(length, seed, job, state, start / 1e9, cpu / 1e9)


def read(fd: int, start: int = 0) -> bytes:
    """Read the bytes of the trace from `start` on that the worker has written so far."""
    length = min(progress(fd).length, SIZE - HEADER)
    return os.pread(fd, max(0, length - start), HEADER + start)
