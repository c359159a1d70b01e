"""What a minimizer shows while it works."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from murxpy.campaign.findings.folder import write_atomically
from murxpy.campaign.reduction.traces import SAVE_SECONDS, Progress
from murxpy.report.console import is_live_terminal
from murxpy.report.text import amount, rate


class Watch:
    """Shows how far it has come where somebody looks, and writes the best so far now and then."""

    def __init__(self, output: Path | None) -> None:
        self._output = output
        self._live = is_live_terminal(sys.stderr)
        self._written = time.monotonic()
        self._lines = 0

    def see(self, progress: Progress) -> None:
        """Take the news."""
        if (
            self._output is not None
            and time.monotonic() - self._written >= SAVE_SECONDS
            and progress.lines != self._lines
        ):
            write_atomically(self._output, progress.text())
            self._written, self._lines = time.monotonic(), progress.lines
        if self._live:
            tests = rate(progress.tests / progress.seconds) if progress.seconds else "-"
            state = [
                amount(progress.lines, "line"),
                amount(progress.terms, "term"),
                amount(progress.tests, "test"),
                tests,
            ]
            click.echo(f"\r\x1b[K{', '.join(state)}", err=True, nl=False)

    def clear(self) -> None:
        """Take away the line of progress."""
        if self._live:
            click.echo("\r\x1b[K", err=True, nl=False)
