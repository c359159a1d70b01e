"""The live view on a terminal: it redraws the figures of a campaign in place, at most four times a
second.

The view uses the alternate screen, so that it follows every change of size and leaves the shell's
text as it was. It draws only when an event comes and starts no thread, because the supervisor that
calls it forks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.text import Text

from murxpy.campaign.events import Ended, Event, Notice, Started, Tick
from murxpy.campaign.snapshot import Snapshot
from murxpy.report.view import Screen, view_lines

PERIOD = 0.25  # least seconds between two drawings


@dataclass(frozen=True, slots=True)
class StatusView:
    """The view in the form that rich draws, in the size that the terminal has at that moment."""

    started: Started
    snapshot: Snapshot
    notices: Sequence[str] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = options.height or console.height
        screen = Screen(options.max_width, height, options.ascii_only)
        lines = view_lines(self.started, self.snapshot, self.notices, screen)
        yield Text("\n", no_wrap=True, end="").join(lines)


class LiveStatus:
    """Shows the live view from the event `Started` to the end of the `with` block. Afterwards it
    prints the notices once more, since the view is gone.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._started: Started | None = None
        self._notices: list[str] = []
        self._drawn = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()

    def consume(self, event: Event) -> None:
        """Take in an event, and redraw the view if it is time for that. Raises BrokenPipeError when
        the terminal is gone.
        """
        match event:
            case Started():
                self._started = event
                self._draw(event, Snapshot(0.0, {}))
            case Notice():
                self._notices.append(event.text)
            case Tick() if (
                self._started is not None and event.elapsed >= self._drawn + PERIOD - 0.02
            ):
                self._drawn = event.elapsed
                self._draw(self._started, event.snapshot)
            case Ended():
                self._stop()

    def _draw(self, started: Started, snapshot: Snapshot) -> None:
        view = StatusView(started, snapshot, tuple(self._notices))
        if self._live is None:
            self._live = Live(
                view,
                console=self._console,
                screen=True,
                auto_refresh=False,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start(refresh=True)
        else:
            self._live.update(view, refresh=True)

    def _stop(self) -> None:
        if self._live is None:
            return
        # After some changes of size, tmux keeps what is left on the alternate screen in its history.
        self._console.clear()
        self._live.stop()
        self._live = None
        for notice in self._notices:
            self._console.print(Text(f"notice: {notice}", "yellow"))
