"""Kinds of findings in which a call of the binding ends as it must not, and errors of murxpy itself."""

from __future__ import annotations

import re

from murxpy.findings.kinds.deaths import of_script
from murxpy.findings.kinds.kind import ByMessage, Kind, Parts
from murxpy.findings.kinds.sights import Seen, Sight, see_death
from murxpy.machine import outcomes
from murxpy.machine.outcomes import INTERNAL
from murxpy.oracles.crash import Verdict
from murxpy.solvers.exceptions import ILL_FORMED
from murxpy.translate.programs.endings import contract, raised
from murxpy.translate.programs.vocabulary import shortened

_OPERATOR = re.compile(r"\bOP_\w+")
# An exception that a solver throws in one of these actions is about its assertions.
SOLVING = (
    *("check-sat", "check-sat-assuming", "push", "check-core"),
    *("check-assumptions", "check-model", "check-invariant"),
)


class Call(Kind, family=True):
    """About a call, and about no answer."""

    answers = False
    question = ""


class RaisedException(Call):
    """A call of the binding raises an exception that the wrapper does not list as expected."""

    name = outcomes.EXCEPTION
    label = "raises an exception that nobody documents"
    severity = "medium"
    rank = 21
    fails = True
    ends = "error"
    mark = "message"
    smaller = "helps"
    endings = (raised,)

    def headline(self, about: str, message: str, answer: str) -> str:
        return f"{about} raises {shortened(message)}"

    def _of_call(self, verdict: Verdict, message: str) -> Parts:
        if verdict.call.action in SOLVING:
            # The solver threw it while it solved: the call that made the solver solve tells nothing.
            return message, []
        return of_script(verdict, message) or super()._of_call(verdict, message)

    def _died(self, seen: Seen) -> Sight | None:
        return see_death(seen)  # the program of a solver can end where its library throws


_CLASS = re.compile(
    r"^class [A-Z]: "
)  # the letter of a group of rules, which tells a reader nothing


def misuse_message(message: str) -> str:
    """The message of a finding of contract mode without the letter of its group of rules."""
    return _CLASS.sub("", message)


# How a definition does not fit its declaration, by the last words of its spelling.
MISFITS = {
    "few": "too few operands",
    "many": "too many operands",
    "doubled": "one operand twice",
    "free": "a body with a free variable",
    "constant": "a constant in the place of a variable",
    "no-constant": "an operand that is no constant",
    "value": "a value in the place of an operand",
    "other-sort": "an operand of another sort",
    "other-result": "a body of another sort",
}


def misfit_of(called: str) -> str:
    """How a definition does not fit its declaration, by a call of the action that makes one, such as
    `cvc5-misfit@rec-free`; empty for any other call.
    """
    action, _, spelled = called.partition("@")
    if not action.endswith("-misfit"):
        return ""
    return MISFITS.get(spelled) or MISFITS.get(spelled.partition("-")[2], "")


class Contract(ByMessage, Call):
    """The binding accepts a call that it should refuse, or refuses it in a way that it does not
    document. Only contract mode makes such calls.
    """

    name = outcomes.CONTRACT
    label = "breaks the contract of a call"
    severity = "medium"
    rank = 23
    fails = True
    ends = ""
    mark = ""
    smaller = ""
    endings = (contract,)

    def headline(self, about: str, message: str, answer: str) -> str:
        return super().headline(about, misuse_message(message), answer)

    def _of_rule(self, verdict: Verdict, message: str) -> Parts:
        return _OPERATOR.sub("an operator", message), ["misuse", verdict.call.spelling]


class IllFormed(ByMessage, Call):
    """The binding rightly refuses a call that murxpy believed to be well-formed, so murxpy is at fault."""

    name = ILL_FORMED
    label = "refuses a call of murxpy as ill-formed"
    severity = "low"
    rank = 26
    fails = True
    ends = "error"
    mark = "message"
    smaller = ""
    endings = ()


class Internal(ByMessage, Call):
    """Code of murxpy raised an exception during a run."""

    name = INTERNAL
    label = "met an error of murxpy"
    severity = "low"
    rank = 27
    fails = True
    ends = ""
    mark = ""
    smaller = ""
    endings = ()

    def _of_call(self, verdict: Verdict, message: str) -> Parts:
        # The type of the error and its place in murxpy: its text quotes values, and which call of
        # the solver was in hand tells nothing.
        return verdict.message.partition(":")[0], [verdict.call.action, verdict.call.operator]

    _of_misuse = _of_call
