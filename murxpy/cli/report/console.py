"""The terminal as reports use it. Foreign text is never read as markup, characters that the encoding
lacks cause no error, and a broken pipe is distinguished from other errors.
"""

from __future__ import annotations

import errno
import io
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self, TextIO, cast

import click

from murxpy.foreign import KEPT, escaped

if TYPE_CHECKING:
    from rich.console import Console

_FIRST, _TOLD = 5.0, 10.0  # seconds until the first line of progress, and between two
_BAR = 24  # columns of a bar
PLAIN_WIDTH = 120  # columns where neither a terminal nor COLUMNS tells the width


class SafeStream:
    """A text stream that writes what a terminal obeys as escapes, except line feeds and tabs. While a
    command runs, standard output and standard error are such streams. `own` is the stream itself,
    for the sequences of our own that move the cursor.
    """

    def __init__(self, own: TextIO) -> None:
        self.own = own

    def write(self, text: str) -> int:
        """Write `text`, escaped."""
        return self.own.write(escaped(text, keep=KEPT))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each of `lines`, escaped."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":  # nothing is written past `write`
            raise AttributeError(name)
        return getattr(self.own, name)


@contextmanager
def safe_outputs() -> Iterator[None]:
    """Escape what is written to standard output and standard error, whoever writes it."""
    before = sys.stdout, sys.stderr
    for stream in before:
        tolerate_any_text(stream)
    sys.stdout, sys.stderr = (cast(TextIO, SafeStream(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def own_stream(stream: TextIO) -> TextIO:
    """The stream on which the sequences of our own that move the cursor or colour the text are
    written. Text that murxpy did not write itself goes there only escaped.
    """
    return stream.own if isinstance(stream, SafeStream) else stream


def make_console(stream: TextIO | None = None, *, width: int | None = None) -> Console:
    """A console on `stream`, by default standard output; `width` is its columns, if given. The
    console heeds NO_COLOR, TERM and COLUMNS.
    """
    # rich takes a third of the time in which the list of commands is printed
    from murxpy.cli.report.rich_console import ReportConsole

    stream = sys.stdout if stream is None else stream
    tolerate_any_text(own_stream(stream))
    if (
        width is None
        and not is_live_terminal(stream)
        and not os.environ.get("COLUMNS", "").isdigit()
    ):
        width = PLAIN_WIDTH
    return ReportConsole(
        file=own_stream(stream), width=width, markup=False, emoji=False, highlight=False
    )


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


def over_line(text: str) -> None:
    """Write `text` over the line of the terminal that is standard error."""
    stream = own_stream(sys.stderr)
    stream.write(f"\r\x1b[K{escaped(text)}")
    stream.flush()


def say(line: str, *, err: bool = False) -> None:
    """Print one line on standard output, or on standard error. A line feed in a stranger's name begins
    no line of its own.
    """
    click.echo(escaped(line, keep="\t"), err=err)


def print_json(data: object) -> None:
    """Print plain data on standard output."""
    click.echo(json.dumps(data, indent=2))


class Pace:
    """Says when it is time for the next line of progress. The first one comes `first` seconds from now
    or later.
    """

    def __init__(self, first: float = _TOLD) -> None:
        self._next = time.monotonic() + first

    def due(self, *, now: bool = False) -> bool:
        """Whether the last line is some time ago; with `now` it is always time for a line."""
        moment = time.monotonic()
        due = now or moment >= self._next
        if due:
            self._next = moment + _TOLD
        return due


class Progress:
    """Tells on standard error how far long work is, called `what`, of which there are `total` parts, if
    that is known. On a terminal it is one line with a bar, which is written over and removed at the
    end. Elsewhere it is a line each ten seconds, the first after five.
    """

    def __init__(self, what: str, total: int | None = None) -> None:
        self._what, self._total = what, total
        self._done = 0
        self._began = time.monotonic()
        self._live = is_live_terminal(sys.stderr)
        self._pace = Pace(_FIRST)

    def __enter__(self) -> Self:
        if self._live:
            over_line(self._words(""))
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()

    def step(self) -> None:
        """Note that one more part is done."""
        self._done += 1
        self.tell()

    def tell(self, note: str = "") -> None:
        """Say how far the work is, with a `note` about it."""
        if self._live:
            over_line(self._words(note))
        elif self._pace.due():
            say(self._words(note), err=True)

    def say(self, line: str, *, err: bool = False) -> None:
        """Print one line, as `say` does, in the place of the progress."""
        self.clear()
        say(line, err=err)

    def clear(self) -> None:
        """Remove the line of progress from the terminal."""
        if self._live:
            over_line("")

    def _words(self, note: str) -> str:
        if self._total is None:
            return f"{self._what}: {note}" if note else self._what
        bar = (
            f" [{'#' * (_BAR * self._done // max(self._total, 1)):.<{_BAR}}]" if self._live else ""
        )
        words = [f"{self._what}:{bar} {self._done:,} of {self._total:,}", note, self._left()]
        return ", ".join(filter(None, words))

    def _left(self) -> str:
        """About how long the rest takes, after the parts that are done; empty where nobody knows."""
        spent = time.monotonic() - self._began
        if not self._total or not 0 < self._done < self._total or spent < 1.0:
            return ""
        left = spent / self._done * (self._total - self._done)
        return f"about {left:.0f} s left" if left < 100 else f"about {left / 60:.0f} min left"


@contextmanager
def quiet_pipe() -> Iterator[None]:
    """Ignore that the reader of the output has ended, as `| head` does, and keep Python quiet about
    that at its exit.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _discard(sys.stdout.fileno())


@contextmanager
def continuing_without_terminal() -> Iterator[None]:
    """Ignore that the terminal was closed, and discard all further output, so that a campaign ends in
    good order.
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
