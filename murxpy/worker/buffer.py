"""The trace of the run in hand, in memory shared with the supervisor.

The file is a header of native 64-bit words and then the text of the trace in UTF-8. The worker
appends a line before the call that the line describes, so when the worker dies the supervisor reads
the trace up to the fatal call.
"""

from __future__ import annotations

import mmap
import os
import struct
import time
from dataclasses import dataclass

SIZE = 32 << 20  # bytes; only pages that were written take memory
HEADER = 64
# words of the header; START is the monotonic clock in nanoseconds
LENGTH, SEED, JOB, STATE, START = range(5)
IDLE, RUNNING, ENDED = range(3)  # values of STATE
_WORDS = struct.Struct("@5Q")


@dataclass(frozen=True, slots=True)
class Progress:
    """What the header says: bytes of trace, job in hand (its number), whether it runs, and since
    when (seconds).
    """

    length: int
    seed: int
    job: int
    state: int
    start: float


class TraceBuffer:
    """The worker's end of the shared file behind `fd`."""

    def __init__(self, fd: int) -> None:
        self._map = mmap.mmap(fd, SIZE)
        self._words = memoryview(self._map)[:HEADER].cast("Q")
        self._end = HEADER

    def begin(self, job: int, seed: int) -> None:
        """Forget the trace of the run before; the run of `seed` starts now."""
        words = self._words
        words[LENGTH] = 0
        words[SEED] = seed
        words[JOB] = job
        words[START] = time.monotonic_ns()
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
        self._words[LENGTH] = end - HEADER

    def end(self) -> None:
        """The run is over; its text stays until the next begins."""
        self._words[STATE] = ENDED

    def text(self) -> str:
        """The trace so far."""
        return decode(self._map[HEADER : self._end])


def decode(data: bytes) -> str:
    """The text of a trace; bytes that a dying process left half-written become replacement
    characters.
    """
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def create() -> int:
    """A new shared file, empty; gives its descriptor. Raises OSError when there is no memory for
    it.
    """
    fd = os.memfd_create("murxpy-trace")
    os.ftruncate(fd, SIZE)
    return fd


def progress(fd: int) -> Progress:
    """The supervisor's look at the header of `fd`."""
    length, seed, job, state, start = _WORDS.unpack(os.pread(fd, _WORDS.size, 0))
    return Progress(length, seed, job, state, start / 1e9)


def read(fd: int, start: int = 0) -> bytes:
    """The bytes of the trace from `start` on, as far as the worker has written it."""
    length = min(progress(fd).length, SIZE - HEADER)
    return os.pread(fd, max(0, length - start), HEADER + start)
