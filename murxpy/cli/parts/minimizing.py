"""The progress that `murxpy minimize` shows while it works."""

from __future__ import annotations

import sys
from pathlib import Path

from murxpy.campaign.reduction.pipeline import Progress, Saver
from murxpy.report.console import is_live_terminal, over_line
from murxpy.report.text import amount, rate


class Watch:
    """Shows the progress on a terminal, and saves the best candidate from time to time."""

    def __init__(self, output: Path | None) -> None:
        self._saver = None if output is None else Saver(output)
        self._live = is_live_terminal(sys.stderr)

    def see(self, progress: Progress) -> None:
        """Take the newest progress."""
        if self._saver is not None:
            self._saver(progress)
        if self._live:
            tests = rate(progress.tests / progress.seconds) if progress.seconds else "-"
            state = [
                amount(progress.lines, "line"),
                amount(progress.terms, "term"),
                amount(progress.tests, "test"),
                tests,
            ]
            over_line(", ".join(state))

    def clear(self) -> None:
        """Remove the line of progress from the terminal."""
        if self._live:
            over_line("")
