"""Kinds of findings in which the solver answers wrongly, or gives something wrong with its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from murxpy.findings.kinds.kind import ByMessage, Kind, Parts, Question, Reduction
from murxpy.findings.kinds.sights import (
    OTHER,
    Seen,
    Sight,
    see_answer,
    see_core,
    see_made,
    see_model,
    see_no_value,
    see_repeated,
    see_value,
)
from murxpy.machine import outcomes
from murxpy.oracles import disagreement
from murxpy.oracles.crash import Verdict
from murxpy.solvers.exceptions import INVALID_MODEL
from murxpy.translate.programs import endings, models
from murxpy.translate.programs.vocabulary import shortened

# The rank of a disagreement by what triage says of it.
_RANKS = {"refutation-unsoundness": 0, "solution-unsoundness": 1, "wrong-model": 3}


class Wrong(Kind, family=True):
    """The solver said something that is not so. Only the shape of a smaller trace tells which defect it
    is.
    """

    severity = "high"
    fails = True
    answers = True
    ends = ""
    mark = "shape"
    smaller: ClassVar[Reduction] = "needed"
    question: ClassVar[Question] = ""


class Answer(Wrong, family=True):
    """The answer to a check is wrong."""

    label = "gives a wrong answer"
    endings = (models.satisfied_by_values, models.satisfied_alone, endings.other_answer)

    def headline(self, about: str, message: str, answer: str) -> str:
        if not answer:
            return f"{about}: {shortened(message)}"
        return f"{about} answers {answer}, and the right answer is {OTHER.get(answer, 'another')}."

    def look(self, seen: Seen) -> Sight | None:
        return see_answer(seen)


class WrongUnsat(Answer):
    name = outcomes.WRONG_UNSAT
    about_model = "planted"
    rank = 0

    def _of_call(self, verdict: Verdict, message: str) -> Parts:
        # The kind of check, and the planted model behind the semicolon, tell no defects apart.
        return message.partition(";")[0], [verdict.call.operator]

    def _at_source(self, verdict: Verdict, found: Parts, source: re.Match[str]) -> Parts:
        return found  # a place that the message names is about the planted model


class WrongAnswer(Answer):
    name = outcomes.WRONG_ANSWER
    rank = 2


class Disagreement(Answer):
    name = disagreement.KIND
    rank = 2
    keyed = False

    def rank_with(self, triage: Mapping[str, object]) -> int:
        return _RANKS.get(str(triage.get("verdict", "")), self.rank)


class Inconsistent(ByMessage, Wrong):
    name = "inconsistent"
    label = "answers otherwise where the same assertions are solved alone"
    rank = 2
    smaller = ""
    endings = (endings.inconsistent,)


class InvalidModel(Wrong):
    name = INVALID_MODEL
    label = "gives a model in which an assertion is false"
    about_model = "given"
    rank = 3
    question = "model"
    endings = (
        models.own_value,
        models.simplified,
        models.solved_anew,
        models.step_simplified,
        models.step_anew,
        models.unequal_arrays,
    )

    def _of_call(self, verdict: Verdict, message: str) -> Parts:
        # What the solver itself says of the assertion stands behind the semicolon.
        return super()._of_call(verdict, message.partition(";")[0])

    def look(self, seen: Seen) -> Sight | None:
        return see_model(seen)


class ModelValue(Wrong):
    name = "model-value"
    label = "gives a constant in its model what is no value"
    about_model = "given"
    rank = 4
    endings = (models.own_value, models.simplified, models.solved_anew, models.no_value)

    def look(self, seen: Seen) -> Sight | None:
        return see_no_value(seen)


class RepeatedModel(Wrong):
    name = "repeated-model"
    label = "gives a model again that was blocked"
    rank = 5
    endings = (models.repeated,)

    def look(self, seen: Seen) -> Sight | None:
        return see_repeated(seen)


class Core(Wrong, family=True):
    """Some assertions or assumptions that are said to contradict each other do not."""

    endings = (endings.core, endings.foreign_core)

    def look(self, seen: Seen) -> Sight | None:
        return see_core(seen)


class InvalidCore(Core):
    name = "invalid-core"
    label = "gives an unsat core that is satisfiable"
    rank = 6
    question = "core"


class InvalidAssumptions(Core):
    name = "invalid-assumptions"
    label = "gives unsat assumptions that are satisfiable"
    rank = 7


class InvalidProof(Wrong):
    name = "invalid-proof"
    label = "gives a proof that does not prove the answer"
    rank = 8
    endings = (endings.broken_proof,)
    no_script = "no command checks a printed proof"


class InvalidInterpolant(Wrong):
    name = "invalid-interpolant"
    label = "gives an interpolant that is none"
    rank = 9
    endings = (endings.interpolant,)


class InvalidAbduct(Wrong):
    name = "invalid-abduct"
    label = "gives an abduct that is none"
    rank = 10
    endings = (endings.abduct,)


class InvalidElimination(Wrong):
    name = "invalid-elimination"
    label = "eliminates quantifiers from a formula and gets another one"
    rank = 11
    endings = (endings.other_result,)

    def look(self, seen: Seen) -> Sight | None:
        return see_made(seen)


class InvalidSubstitute(ByMessage, Wrong):
    name = "invalid-substitute"
    label = "substitutes in a term and gets what is not equal"
    rank = 12
    endings = (endings.other_result,)


class InvalidSimplify(ByMessage, Wrong):
    name = "invalid-simplify"
    label = "simplifies a term to what is not equal"
    rank = 13
    endings = (endings.other_result,)

    def look(self, seen: Seen) -> Sight | None:
        return see_made(seen)


class InvalidValue(Wrong):
    name = "invalid-value"
    label = "gives a term another value than its model does"
    about_model = "given"
    rank = 14
    endings = (
        models.value_simplified,
        models.value_anew,
        models.step_simplified,
        models.step_anew,
    )

    def look(self, seen: Seen) -> Sight | None:
        return see_value(seen)


class Invariant(ByMessage, Wrong):
    name = "invariant"
    label = "breaks what it promises of its state"
    rank = 15
    endings = ()
