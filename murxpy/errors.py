"""The errors murxpy raises for reasons a user can act on; each has the exit code of the process
that shows it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST = 200  # characters; no name that we know has half of that


class MurxpyError(Exception):
    """Base of all errors of our own: one line for the user, and the exit code."""

    exit_code = 3


class InputError(MurxpyError):
    """Bad input of the user: names file, line, what was expected and what to do."""

    exit_code = 2

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        self.file = file
        self.line = line
        self.column = column
        place = (
            ":".join(str(part) for part in (file, line, column) if part is not None)
            if file is not None
            else ""
        )
        place = f"{place}: " if place else ""
        self.reason = message  # without its place
        super().__init__(f"{place}{message}")


class TargetError(MurxpyError):
    """The solver cannot be used: not installed, broken, or not the one that was asked for."""

    exit_code = 4


class FolderLost(MurxpyError):
    """The output folder cannot be written any more: it was removed or renamed, or is full or
    read-only. `why` says which, and `kept` where the work was written instead.
    """

    exit_code = 3

    def __init__(self, folder: object, why: str, kept: str = "") -> None:
        self.folder = folder
        self.why = why
        self.kept = kept
        super().__init__(f"{folder} cannot be written any more: {why}{'; ' * bool(kept)}{kept}")


class InternalError(MurxpyError):
    """A fault of murxpy itself."""

    exit_code = 3


def nearest(name: str, known: Iterable[str]) -> str:
    """` (did you mean 'X'?)` for the known name that looks most like `name`, or the empty string. In
    brackets it may stand at the end of a sentence and within one.
    """
    if len(name) > _LONGEST:
        return ""
    match = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" (did you mean '{match[0]}'?)" if match else ""
