"""The text of a trace, written while its run goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from murxpy.foreign import escaped


class Lines:
    """Writes lines with `write`. What follows a line waits until the next line is written."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._pending = ""

    def header(self, rows: Iterable[str]) -> None:
        """Write header lines (comments) before anything else."""
        self._write("".join(f"# {escaped(row)}\n" for row in rows))

    def write_line(self, start: str, words: str) -> None:
        """Write what is pending and a line of `start` and `words`, which may be empty."""
        self._write(f"{self._pending}{start} {words}\n" if words else f"{self._pending}{start}\n")
        self._pending = ""

    def result(self, text: str) -> None:
        """Note a result of the last line; it is written together with the next line."""
        self._pending += f"      {text}\n"

    def note(self, text: str) -> None:
        """Note a comment; it is written above the next line."""
        self._pending += "".join(f"# {escaped(row)}\n" for row in text.splitlines())

    def flush(self) -> None:
        """Write what is pending."""
        if self._pending:
            self._write(self._pending)
            self._pending = ""
