"""Kinds of findings in which the solver could say more, or could say it for less; and what a newer release
shows of this or of anything else that an older release did well.
"""

from __future__ import annotations

import re
from typing import ClassVar

from murxpy.findings.kinds.kind import ByMessage, Mark, Parts
from murxpy.findings.kinds.sights import Seen, Sight, see_undecided
from murxpy.machine.witnesses import slowness, unknowns
from murxpy.oracles import regression
from murxpy.oracles.crash import Verdict
from murxpy.translate.programs import endings

# The answer and the name of the rule in the message of incompleteness.
_BY_RULE = re.compile(r"(?<= expected )(?:un)?sat |(?<= by )\S+ of (?=a script)")


class Undecided(ByMessage, family=True):
    """A check has no answer that should have one."""

    severity = "low"
    fails = False
    answers = False
    ends = ""
    mark: ClassVar[Mark] = ""
    smaller = ""
    question = "reason"

    def look(self, seen: Seen) -> Sight | None:
        return see_undecided(seen)


class Incompleteness(Undecided):
    """The solver answers unknown before it reaches a limit. The script is satisfiable by construction, or
    follows by a rule from one that the solver decided, or an older release decides it.
    """

    name = unknowns.KIND
    label = "gives up where it could answer"
    rank = 28
    endings = (endings.given_up,)
    mark = "given up"

    def _of_call(self, verdict: Verdict, message: str) -> Parts:
        # The rule that made the script, and the answer, tell no defects apart; the reason does.
        return super()._of_call(verdict, _BY_RULE.sub("", message) if verdict.against else message)


class Slow(Undecided):
    """The solver spends more of its resource limit on a script than is plausible beside scripts of the same
    size, another solver, or the script from which this one was made.
    """

    name = slowness.KIND
    label = "costs much more than it should"
    rank = 29
    endings = (endings.at_limit,)
    needs_limit = True


class Regression(ByMessage, family=True):
    """A newer release does worse than an older one did with the same calls."""

    ends = ""
    question = ""
    endings = ()
    smaller = ""
    keyed = False


class WrongRegression(Regression, family=True):
    """A newer release answers wrongly or dies where an older release did well."""

    severity = "high"
    fails = True
    answers = True
    mark = "shape"


class BecameWrong(WrongRegression):
    """The newer release answers a check wrongly, and the older release answers it rightly."""

    name = regression.WRONG
    label = "answers wrongly what an older release answered rightly"
    rank = 2


class AnswersDiffer(WrongRegression):
    """The two releases give opposite answers to a check, and nobody knows yet which one is wrong."""

    name = regression.UNDECIDED
    label = "answers otherwise than an older release"
    rank = 2


class BecameInvalid(WrongRegression):
    """The newer release gives an invalid model or unsat core, and the older release gives a valid one."""

    name = regression.INVALID
    label = "gives a wrong model or core where an older release gave a right one"
    rank = 3


class NewCrash(WrongRegression):
    """The newer release crashes on a trace that the older release runs to its end."""

    name = regression.CRASH
    label = "dies where an older release did not"
    rank = 17


class NewException(Regression):
    """The newer release raises an exception in a call that the older release carries out."""

    name = regression.EXCEPTION
    label = "raises an exception where an older release did not"
    severity = "medium"
    rank = 21
    fails = True
    answers = False
    mark = "message"


class LesserRegression(Regression, family=True):
    """A change that a release may make on purpose."""

    severity = "low"
    fails = False
    answers = False
    mark = ""


class Vanished(LesserRegression):
    """The newer release lacks a call, operator or option that the older release has."""

    name = regression.VANISHED
    label = "does not have what an older release had"
    rank = 30


class BecameUnknown(LesserRegression):
    """The newer release answers unknown to a check that the older release decides."""

    name = regression.UNKNOWN
    label = "gives no answer where an older release gave one"
    rank = 31


class Slower(LesserRegression):
    """A check costs the newer release at least `murxpy.oracles.regression.FACTOR` times as much as the
    older one.
    """

    name = regression.SLOWER
    label = "needs much more than an older release did"
    rank = 32
