"""The terminal as reports use it. Foreign text is never read as markup, characters that the encoding
lacks do not fail, and a broken pipe is told apart from other errors.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self, TextIO

from rich.console import Console

PLAIN_WIDTH = 120  # columns where neither a terminal nor COLUMNS tells the width


class _ReportConsole(Console):
    def on_broken_pipe(self) -> None:
        """Leave the error to `quiet_pipe`. Rich would end the process with exit code 1, which means
        findings here.
        """
        raise


def make_console(stream: TextIO | None = None, *, width: int | None = None) -> Console:
    """A console on `stream`, by default standard output; `width` is its columns, if given. It heeds
    NO_COLOR, TERM and COLUMNS.
    """
    stream = sys.stdout if stream is None else stream
    tolerate_any_text(stream)
    if (
        width is None
        and not is_live_terminal(stream)
        and not os.environ.get("COLUMNS", "").isdigit()
    ):
        width = PLAIN_WIDTH
    return _ReportConsole(file=stream, width=width, markup=False, emoji=False, highlight=False)


def tolerate_any_text(stream: TextIO) -> None:
    """Have `stream` write characters that its encoding lacks as escapes instead of failing."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


def is_live_terminal(stream: TextIO | None = None) -> bool:
    """Whether a view that redraws itself works on `stream`, by default standard output."""
    stream = sys.stdout if stream is None else stream
    return stream.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown", "")


def write_now(text: str) -> None:
    """Write `text` to standard output at once. Raises BrokenPipeError when nobody reads."""
    sys.stdout.write(text)
    sys.stdout.flush()


class Progress:
    """Shows how many of `total` things are done, on one line of standard error that it writes over.
    It shows nothing where standard error is no terminal.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._shown = is_live_terminal(sys.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._write("")

    def step(self) -> None:
        """Note that one more thing is done."""
        self._done += 1
        self._write(f"{self._done:,} of {self._total:,}")

    def _write(self, text: str) -> None:
        if self._shown:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()


@contextmanager
def quiet_pipe() -> Iterator[None]:
    """Pass over that the reader of the output has ended, as `| head` does, and keep Python quiet
    about that at its exit.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _discard(sys.stdout.fileno())


@contextmanager
def going_on_without_terminal() -> Iterator[None]:
    """Pass over that the terminal was closed, and discard all further output, so that a campaign
    ends in good order.
    """
    try:
        yield
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        _discard(1, 2)


def _discard(*descriptors: int) -> None:
    """Send what is written to these descriptors nowhere."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    for descriptor in descriptors:
        os.dup2(devnull, descriptor)
    os.close(devnull)
