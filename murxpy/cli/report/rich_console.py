"""The console of rich that reports print on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from murxpy.foreign import KEPT, escaped


class ReportConsole(Console):
    """A console of rich on which foreign text stays text."""

    def print(self, *objects: Any, soft_wrap: bool | None = None, **options: Any) -> None:
        """Print objects. With `soft_wrap` each text is one line, however long it is, so that a line feed
        in a stranger's name begins no line of its own.
        """
        if soft_wrap:
            objects = tuple(_on_one_line(each) for each in objects)
        super().print(*objects, soft_wrap=soft_wrap, **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Escape what a terminal obeys in all text; sequences of rich itself stay."""
        for segment in super().render(renderable, options):
            yield (
                segment
                if segment.control
                else Segment(escaped(segment.text, keep=KEPT), segment.style)
            )

    def on_broken_pipe(self) -> None:
        """Reraise the error, so that `quiet_pipe` handles it. Rich would end the process with exit
        code 1, which means findings here.
        """
        raise


def _on_one_line(line: Any) -> Any:
    text = line.plain if isinstance(line, Text) else line
    return escaped(text) if isinstance(text, str) and "\n" in text else line
