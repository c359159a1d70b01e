"""Kinds of findings in which the solver answers wrongly, or gives something wrong with its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from murxpy.findings.kinds.kind import ByMessage, Kind, Parts, Question, Reduction, Severity
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
from murxpy.translate.programs import endings, models, optima
from murxpy.translate.programs.vocabulary import shortened

# The rank of a disagreement by the verdict of triage.
UNSOUND = 1
_RANKS = {"refutation-unsoundness": 0, "solution-unsoundness": UNSOUND, "wrong-model": 3}


class Wrong(Kind, family=True):
    """The solver gave a wrong answer, or something wrong with its answer. Only the shape of a smaller
    trace tells which defect it is.
    """

    severity: ClassVar[Severity] = "high"
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


def _same_check(verdict: Verdict, other: Verdict) -> bool:
    """Whether two verdicts of one kind come from the same check."""
    return (verdict.kind, verdict.call.action) == (other.kind, other.call.action)


class WrongUnsat(Answer):
    """The solver answers unsat although the run planted a model that makes all assertions true."""

    name = outcomes.WRONG_UNSAT
    about_model = "planted"
    rank = 0

    def _of_call(self, verdict: Verdict, message: str) -> Parts:
        # The kind of check, and the planted model behind the semicolon, tell no defects apart.
        return message.partition(";")[0], [verdict.call.operator]

    def _at_source(self, verdict: Verdict, found: Parts, source: re.Match[str]) -> Parts:
        return found  # a place that the message names is about the planted model


class WrongAnswer(Answer):
    """The solver answers a check otherwise than the trace says is right, for example than the status of
    a script or the answer that a mutation fuzzer derived.
    """

    name = outcomes.WRONG_ANSWER
    rank = 2


class Disagreement(Answer):
    """Two solvers give opposite answers, sat and unsat, to the same check. Triage says later which of
    them is wrong, and the rank follows what triage says.
    """

    name = disagreement.KIND
    rank = 2
    keyed = False

    def rank_with(self, triage: Mapping[str, object]) -> int:
        return _RANKS.get(str(triage.get("verdict", "")), self.rank)


class Inconsistent(ByMessage, Wrong):
    """The solver gives one answer to a check in the run, and the opposite answer when a fresh solver
    gets the same assertions.
    """

    name = "inconsistent"
    label = "answers otherwise where the same assertions are solved alone"
    rank = 2
    smaller = ""
    endings = (endings.inconsistent,)


class InvalidModel(Wrong):
    """The solver answers sat, and its model makes an assertion false."""

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
        # The solver's own evaluation of the assertion stands behind the semicolon.
        return super()._of_call(verdict, message.partition(";")[0])

    def narrows(self, verdict: Verdict, other: Verdict) -> bool:
        """The theories of the assertion, and the operator where the values part, are those of the trace."""
        return _same_check(verdict, other)

    def look(self, seen: Seen) -> Sight | None:
        return see_model(seen)


class ModelValue(Wrong):
    """The model of the solver gives a constant a term that is no value of its sort."""

    name = "model-value"
    label = "gives a constant in its model a term that is no value"
    about_model = "given"
    rank = 4
    endings = (models.own_value, models.simplified, models.solved_anew, models.no_value)

    def look(self, seen: Seen) -> Sight | None:
        return see_no_value(seen)


class ModelElement(ByMessage, Wrong):
    """The model of the solver gives a constant a value with an element that is none of those that it
    gives an uninterpreted sort.
    """

    name = "model-element"
    label = "gives a constant in its model a value with an element that the model does not list"
    about_model = "given"
    rank = 5
    endings = (models.stray_element,)
    no_script = "a script has no command that gives the elements of a sort in the model"


class RepeatedModel(Wrong):
    """A model was excluded by an assertion, and the solver gives the same model again."""

    name = "repeated-model"
    label = "gives values again that were blocked"
    rank = 5
    endings = (models.repeated,)

    def look(self, seen: Seen) -> Sight | None:
        return see_repeated(seen)


class InvalidOptimum(ByMessage, Wrong):
    """An optimizer gives a model that is not the best by its objectives, or an objective has a value
    beyond the bounds that the optimizer gives.
    """

    name = "invalid-optimum"
    label = "calls a model optimal that is not"
    rank = 5
    endings = (optima.optimum,)
    no_script = "a script has no command that compares two models"


class Core(Wrong, family=True):
    """Some assertions or assumptions that contradict each other, according to the solver, do not."""

    endings = (endings.core, endings.foreign_core)

    def _of_call(self, verdict: Verdict, message: str) -> Parts:
        """Whether our evaluation can tell that all of a core is true does not tell defects apart."""
        said, _, evidence = message.partition("; ")
        return super()._of_call(verdict, message if outcomes.WRONG_MODEL in evidence else said)

    def does(self, message: str) -> str:
        if outcomes.FOREIGN in message:
            given = self.label.removeprefix("gives ").partition(" that ")[0]
            return f"adds {outcomes.FOREIGN} to {given}"
        return self.label

    def look(self, seen: Seen) -> Sight | None:
        return see_core(seen)


class InvalidCore(Core):
    """The assertions in the solver's unsat core are satisfiable together."""

    name = "invalid-core"
    label = "gives an unsat core that is satisfiable"
    rank = 6
    question = "core"


class InvalidAssumptions(Core):
    """The assumptions that the solver blames for an unsat answer agree with the assertions."""

    name = "invalid-assumptions"
    label = "gives unsat assumptions that are satisfiable"
    rank = 7


class InvalidProof(Wrong):
    """The solver's proof of an unsat answer does not end in false, uses a formula that was never asserted,
    or leaves an assumption open.
    """

    name = "invalid-proof"
    label = "gives a proof that does not prove the answer"
    rank = 8
    endings = (endings.broken_proof,)
    no_script = "no command checks a printed proof"


class InvalidInterpolant(Wrong):
    """The solver's interpolant does not follow from the assertions, does not imply the conjecture, or
    uses symbols that the two do not share.
    """

    name = "invalid-interpolant"
    label = "gives an interpolant that is none"
    rank = 9
    endings = (endings.interpolant,)


class InvalidAbduct(Wrong):
    """The solver's abduct contradicts the assertions, or does not imply the goal together with them."""

    name = "invalid-abduct"
    label = "gives an abduct that is none"
    rank = 10
    endings = (endings.abduct,)


class InvalidElimination(Wrong):
    """Quantifier elimination returns a formula that is not equivalent to the one it was given."""

    name = "invalid-elimination"
    label = "eliminates quantifiers from a formula and gets another one"
    rank = 11
    endings = (endings.other_result,)

    def look(self, seen: Seen) -> Sight | None:
        return see_made(seen)


class InvalidSubstitute(ByMessage, Wrong):
    """A substitution returns a term whose value differs from that of the right result."""

    name = "invalid-substitute"
    label = "substitutes in a term and gets what is not equal"
    rank = 12
    endings = (endings.other_result,)


class InvalidSimplify(ByMessage, Wrong):
    """The simplifier returns a term whose value differs from that of the term it was given."""

    name = "invalid-simplify"
    label = "simplifies a term to what is not equal"
    rank = 13
    endings = (endings.other_result,)

    def look(self, seen: Seen) -> Sight | None:
        return see_made(seen)


class InvalidValue(Wrong):
    """The solver evaluates a term under its own model, and the values of the arguments in that model
    lead to another value.
    """

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

    def narrows(self, verdict: Verdict, other: Verdict) -> bool:
        """Which term around the wrong value is asked for is chance."""
        return _same_check(verdict, other)

    def look(self, seen: Seen) -> Sight | None:
        return see_value(seen)


class Invariant(ByMessage, Wrong):
    """The solver breaks a promise about its state, for example that a check answers the same after a
    push and a pop.
    """

    name = "invariant"
    label = "breaks what it promises of its state"
    rank = 15
    endings = ()
