"""Reporters that write at most one line for each event."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self, TextIO

from murxpy.records.events import Event


class Lines(ABC):
    """Writes the line of each event that has one to `stream`; subclasses say what it is."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def consume(self, event: Event) -> None:
        """Write the line of an event, if it has one. Raises BrokenPipeError when nobody reads."""
        line = self.line(event)
        if line is not None:
            self._stream.write(line + "\n")
            self._stream.flush()

    @abstractmethod
    def line(self, event: Event) -> str | None:
        """The line of an event; None where the event has none."""
