"""The signals that end a command: Ctrl-C, SIGTERM, and SIGHUP when the terminal goes away. All
three are treated alike. A command that one of them ended has the exit code by which a shell says
that: 130, 143, or 129.

A signal that is ignored stays ignored: `nohup` starts a command with SIGHUP ignored. Outside of the
main thread the functions of this module change nothing, since Python delivers signals only to the
main thread.
"""

from __future__ import annotations

import signal
import sys
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
_unclaimed = threading.Event()  # a signal came before any context of this module took signals
_last = signal.SIGINT  # the signal that came last


def last() -> str:
    """The reason why the command ended, in words for the user."""
    return "Ctrl-C" if _last == signal.SIGINT else _last.name


def exit_code() -> int:
    """The exit code of a command that the last signal ended."""
    return 128 + _last


def _taken() -> list[signal.Signals]:
    """The signals that are handled: those that are not ignored, and SIGINT also when it is ignored, as
    it is for a shell's background jobs.
    """
    return [n for n in SIGNALS if n == signal.SIGINT or signal.getsignal(n) is not signal.SIG_IGN]


def to_the_end(command: Callable[[], int]) -> int:
    """Do the `command` of a whole process, and return its exit code. A signal that comes when no
    context of this module takes it is kept for the next one. The signals of a command that is done
    are ignored, so that they do not change its exit code while the interpreter ends.
    """
    taken = _taken()
    for number in taken:
        signal.signal(number, _unclaimed_signal)
    sys.unraisablehook = _unraisable
    code = command()
    for number in taken:
        signal.signal(number, signal.SIG_IGN)
    return code


def _unclaimed_signal(number: int, frame: FrameType | None) -> None:
    global _last
    _last = signal.Signals(number)
    _unclaimed.set()


def _unraisable(lost: sys.UnraisableHookArgs) -> None:
    """Raise a KeyboardInterrupt again that came in a finalizer or while Python forked, where Python can
    only lose it.
    """
    if issubclass(lost.exc_type, KeyboardInterrupt):
        _since.clear()
        signal.raise_signal(_last)
    else:
        sys.__unraisablehook__(lost)


@contextmanager
def _handled(handler: _Handler) -> Iterator[None]:
    """Inside this context, `handler` gets the signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def noting(number: int, frame: FrameType | None) -> None:
        global _last
        _last = signal.Signals(number)
        handler(number, frame)

    before = {number: signal.signal(number, noting) for number in _taken()}
    try:
        if _unclaimed.is_set():
            _unclaimed.clear()
            handler(_last, None)
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


_since: list[float] = []  # when the first signal came that `raised` raised


@contextmanager
def raised() -> Iterator[None]:
    """Inside this context, each signal raises KeyboardInterrupt."""
    global _last
    _last = _last if _unclaimed.is_set() else signal.SIGINT
    _since.clear()

    def handler(number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if not _since or now - _since[0] >= _SAME:
            _since.append(now)
            raise KeyboardInterrupt

    with _handled(handler):
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
