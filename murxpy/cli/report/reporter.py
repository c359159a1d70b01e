"""Reporters: what each can do, and which one suits the output at hand."""

from __future__ import annotations

import sys
from typing import Protocol, Self, TextIO

from murxpy.cli.report.console import is_live_terminal, make_console
from murxpy.cli.report.jsonl import JsonLines
from murxpy.cli.report.live import LiveStatus
from murxpy.cli.report.plain_lines import PlainLines
from murxpy.records.events import Event


class Reporter(Protocol):
    """Consumes the events of one campaign in order, inside a `with` block that restores the terminal
    at its end.

    `consume` raises BrokenPipeError when nobody reads the output any more; `console.quiet_pipe`
    catches that.
    """

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def consume(self, event: Event) -> None:
        """Show one event."""
        ...


def make_reporter(*, json: bool = False, stream: TextIO | None = None) -> Reporter:
    """The reporter for `stream`, by default standard output: JSON lines if asked for, the live view
    on a terminal, and plain lines elsewhere.
    """
    stream = sys.stdout if stream is None else stream
    if json:
        return JsonLines(stream)
    return LiveStatus(make_console(stream)) if is_live_terminal(stream) else PlainLines(stream)
