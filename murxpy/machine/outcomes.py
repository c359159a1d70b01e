"""How a call of the binding ends where it does not give a result: exceptions that runs raise."""

from __future__ import annotations

from typing import Any

# The class of a refusal that is not the binding's: the state of the run does not allow the line.
STATE = "state"


class Refused(Exception):
    """The binding refused a call; the run goes on without its result."""

    def __init__(self, sort: str, message: str) -> None:
        super().__init__(message)
        self.sort = sort


class Stopped(Exception):
    """The run ends here. `finding` is what was found, or None if there is nothing to report."""

    def __init__(self, finding: dict[str, Any] | None) -> None:
        super().__init__("" if finding is None else finding["message"])
        self.finding = finding


class Misused(Exception):
    """A misuse replaced the call, and the binding kept its contract. The call returned nothing that
    the run can use.
    """


class Unbroken(Exception):
    """The waiting misuse can break no operand of the call. The call was not made."""
