"""Exceptions of a run for calls of the binding that end without a result."""

from __future__ import annotations

from typing import Any

# The class of a refusal that is not the binding's: the state of the run does not allow the line.
STATE = "state"

# Kinds of findings that a run makes beside its checks, each of which names a kind of its own.
# `murxpy.findings.kinds` defines how murxpy treats each kind.
CRASH = "crash"  # the process died
EXCEPTION = "exception"
CONTRACT = "contract"
WRONG_ANSWER = "wrong-answer"
WRONG_UNSAT = "wrong-unsat"
MODEL_VALUE = "model-value"
MODEL_ELEMENT = "model-element"
INVALID_CORE = "invalid-core"
INCOMPLETENESS = "incompleteness"
SLOW = "slow"
DISAGREEMENT = "disagreement"  # found by another solver
EXIT = "exit"  # the process ended by itself
INTERNAL = "internal"  # an error of murxpy
# what a core must not have, in the message of its finding
FOREIGN = "what was neither asserted nor assumed"
WRONG_MODEL = "that model is wrong by our evaluation"  # the one in which a core is true


class Refused(Exception):
    """The binding refused a call; the run goes on without its result."""

    def __init__(self, sort: str, message: str) -> None:
        super().__init__(message)
        self.sort = sort


class NoSpelling(Refused):
    """This release has no spelling of what a line asks for, so the line made no call."""


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
