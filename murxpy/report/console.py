"""The terminal as reports use it: no markup in foreign text, no failure over an encoding, a broken
pipe told apart.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console

PLAIN_WIDTH = 120  # columns where no terminal and no COLUMNS says otherwise


class _ReportConsole(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to `quiet_pipe`: rich would end the process with the exit code that means
        findings.
        """
        raise


def make_console(stream: TextIO | None = None, *, width: int | None = None) -> Console:
    """A console on `stream` (standard output), `width` columns wide if given; heeds NO_COLOR, TERM
    and COLUMNS.
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
    """Write what the encoding of `stream` lacks as an escape instead of failing."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


def is_live_terminal(stream: TextIO | None = None) -> bool:
    """Whether a view that redraws itself works on `stream` (standard output)."""
    stream = sys.stdout if stream is None else stream
    return stream.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown", "")


def write_now(text: str) -> None:
    """Write `text` to standard output at once. Raises BrokenPipeError when nobody reads."""
    sys.stdout.write(text)
    sys.stdout.flush()


class Progress:
    """How many of `total` things are done, on one line of standard error that is written over;
    nothing where that is no terminal.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._shown = is_live_terminal(sys.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None:
        self._write("")

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        self._write(f"{self._done:,} of {self._total:,}")

    def _write(self, text: str) -> None:
        if self._shown:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()


@contextmanager
def quiet_pipe() -> Iterator[None]:
    """Swallow the end of the reader of our output (`| head`), and keep Python quiet about it when
    it exits.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
        os.close(devnull)


@contextmanager
def going_on_without_terminal() -> Iterator[None]:
    """Swallow the failure to write to a terminal that was closed, and send all further output
    nowhere, so that a campaign ends in order.
    """
    try:
        yield
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        devnull = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(devnull, stream)
        os.close(devnull)
