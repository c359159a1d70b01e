"""An end to what z3 does in a context, by the time of the processor. z3's own option `timeout` is by the
clock, and waits for a thread in each check: 2 to 8 ms on a busy machine. The file imports only z3 and
the standard library.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

import z3

_TICK = 0.01  # seconds between two looks


class _Watch(threading.Thread):
    """Interrupts a context once the process has worked until `end`, and so on after each `period`. The
    lock keeps the context alive while it is interrupted.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.lock = threading.Lock()
        self.context: Any = None
        self.end = self.period = 0.0
        self.start()

    def run(self) -> None:
        while True:
            time.sleep(_TICK)
            with self.lock:
                if self.context is not None and time.process_time() >= self.end:
                    with contextlib.suppress(z3.Z3Exception):  # an error of the other thread
                        z3.Z3_interrupt(self.context.ref())
                    self.end += self.period


_watches: list[_Watch] = []  # at most one; a process that needs none has none


@contextlib.contextmanager
def patience(context: Any, ms: int) -> Iterator[None]:
    """Interrupt the context after `ms` milliseconds of the processor's time."""
    if not _watches:
        _watches.append(_Watch())
    watch = _watches[0]
    with watch.lock:
        watch.context, watch.period = context, ms / 1000
        watch.end = time.process_time() + watch.period
    try:
        yield
    finally:
        with watch.lock:
            watch.context = None
