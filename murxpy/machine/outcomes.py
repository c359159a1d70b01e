"""How a call of the binding ends where it does not give a result: exceptions that runs raise."""

from __future__ import annotations

from typing import Any


class Refused(Exception):
    """The binding refused a call; the run goes on without its result."""

    def __init__(self, sort: str, message: str) -> None:
        super().__init__(message)
        self.sort = sort


class Stopped(Exception):
    """The run ends here: `finding` says what was found, None if there is nothing to report."""

    def __init__(self, finding: dict[str, Any] | None) -> None:
        super().__init__("" if finding is None else finding["message"])
        self.finding = finding


class Misused(Exception):
    """A misuse was carried out in place of the call; the binding kept its contract, and nothing was
    made.
    """


class Unbroken(Exception):
    """The misuse in hand finds nothing to break in the call; it was not made."""
