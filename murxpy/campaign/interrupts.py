"""Ctrl-C where it does no harm: noted when it comes, raised between two candidates. Python loses what is raised while it forks."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_noted = threading.Event()


@contextmanager
def deferred() -> Iterator[None]:
    """Inside, the first Ctrl-C is only noted, for `check`; the second one is raised at once. Outside the main thread nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def note(number: int, frame: FrameType | None) -> None:
        _noted.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    _noted.clear()
    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        _noted.clear()


def check() -> None:
    """Raise the KeyboardInterrupt that was noted."""
    if _noted.is_set():
        _noted.clear()
        raise KeyboardInterrupt
