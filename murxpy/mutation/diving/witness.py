"""Models of a seed, in which our evaluator gives the values of all terms."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from murxpy.logic.terms import Term
from murxpy.machine.planted import DOMAIN, TOO_LARGE, WORLDS, Judged
from murxpy.mutation.pools.assignments import recursive
from murxpy.mutation.workshop import Workshop
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.registry import Unknown
from murxpy.semantics.samples import samples
from murxpy.semantics.values import CannotSay, FunctionValue, Value
from murxpy.smtlib.reading.models import Model, declared
from murxpy.smtlib.script import Script

# An evaluation ends after this many bodies of quantifiers, as in STORM's pools.
_LIMITS = {"domain": DOMAIN, "worlds": WORLDS, "bodies": 1 << 9}


class Witness:
    """A model of a script: values of its constants and functions, and of all terms.

    A constant that a model leaves out may have any value, because solvers leave out those that do
    not matter; it gets one. `whole` says whether every constant then has a value.
    """

    def __init__(self, workshop: Workshop, script: Script, model: Model) -> None:
        self._judged = Judged(workshop.shop.solvers_own)
        first = Evaluator(workshop.catalogue, model.interpretation(), **_LIMITS)
        interpretation = model.interpretation()
        values = interpretation.constants
        for constant, term in model.definitions.items():
            with suppress(CannotSay, *TOO_LARGE):
                values[constant] = first.value(term)
        defined = recursive(script)  # their definitions say what they are
        free = [constant for constant in declared(script) if constant not in defined]
        for constant in free if model.whole else ():
            if constant not in values and constant not in model.definitions:
                values.update((constant, value) for value in _any_value(constant, first))
        self.whole = all(constant in values for constant in free)
        self.evaluator = Evaluator(workshop.catalogue, interpretation, **_LIMITS)

    def value(self, term: Term) -> Any:
        """The value of a closed term; an Unknown if it cannot be said."""
        if not self._judged(term):
            return Unknown("an operator whose meaning is the solver's own")
        try:
            return self.evaluator.known(term)
        except TOO_LARGE as error:
            return Unknown(f"too large: {error}")

    def give(self, constant: Term, value: Value) -> None:
        """Give a new constant its value. No term that was evaluated contains it."""
        self.evaluator.interpretation.constants[constant] = value


def _any_value(constant: Term, evaluator: Evaluator) -> list[Value]:
    """A value of a constant that the model leaves out; none if no value of its sort is known."""
    if constant.sort.kind != "SORT_FUN":
        return list(samples(constant.sort, evaluator)[:1])
    return [FunctionValue(one) for one in samples(constant.sort.sorts()[-1], evaluator)[:1]]
