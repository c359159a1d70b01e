"""The signals that end a command: Ctrl-C, SIGTERM, and SIGHUP when the terminal goes away. All
three are treated alike.

A signal that is ignored stays ignored: `nohup` starts a command with SIGHUP ignored. Outside of the
main thread the functions of this module change nothing, since Python delivers signals only to the
main thread.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

# Seconds after the first signal in which a second one counts as the same signal: `timeout` sends
# its signal twice, and a shell and the terminal may both send SIGHUP.
_SAME = 0.5

_Handler = Callable[[int, FrameType | None], None]

_noted = threading.Event()
_early = threading.Event()
_last = signal.SIGINT  # the signal that came last; in `raised`, Python itself takes this one


def last() -> str:
    """What ended the command, in words for the user."""
    return "Ctrl-C" if _last == signal.SIGINT else _last.name


@contextmanager
def _handled(handler: _Handler, numbers: tuple[signal.Signals, ...] = SIGNALS) -> Iterator[None]:
    """Inside this context, `handler` gets those signals of `numbers` that are not ignored. It also
    gets SIGINT when that is ignored, as it is for a shell's background jobs.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def noting(number: int, frame: FrameType | None) -> None:
        global _last
        _last = signal.Signals(number)
        handler(number, frame)

    taken = [n for n in numbers if n == signal.SIGINT or signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, noting) for number in taken}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextmanager
def raised() -> Iterator[None]:
    """Inside this context, SIGTERM and SIGHUP raise KeyboardInterrupt, as Ctrl-C does."""
    global _last
    _last = signal.SIGINT
    with _handled(signal.default_int_handler, (signal.SIGTERM, signal.SIGHUP)):
        yield


@contextmanager
def caught(first: Callable[[], None]) -> Iterator[None]:
    """Inside this context, the first signal calls `first`. A later Ctrl-C or SIGTERM raises
    KeyboardInterrupt, for a user who does not want to wait.
    """
    since: list[float] = []

    def handler(number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if not since:
            since.append(now)
            first()
        elif number != signal.SIGHUP and now - since[0] >= _SAME:
            raise KeyboardInterrupt

    with _handled(handler):
        yield


@contextmanager
def kept() -> Iterator[None]:
    """Inside this context, the first signal is kept for `early` to tell. A signal that comes while
    a campaign is still being made does not break it off: the campaign begins, and ends in good
    order.
    """
    _early.clear()
    try:
        with caught(_early.set):
            yield
    finally:
        _early.clear()


def early() -> bool:
    """Whether a signal was kept."""
    return _early.is_set()


@contextmanager
def at_once() -> Iterator[None]:
    """Inside this context, each signal raises KeyboardInterrupt, even inside `kept`. A signal that
    was kept before raises it, too.
    """
    with _handled(signal.default_int_handler):
        if early():
            raise KeyboardInterrupt
        yield


@contextmanager
def deferred() -> Iterator[None]:
    """Inside this context, the first signal is noted until `check` is called, because Python loses
    an exception that is raised while it forks. A later signal raises KeyboardInterrupt at once.
    """
    _noted.clear()
    try:
        with caught(_noted.set):
            yield
    finally:
        _noted.clear()


def check() -> None:
    """Raise KeyboardInterrupt if a signal was noted."""
    if _noted.is_set():
        _noted.clear()
        raise KeyboardInterrupt
