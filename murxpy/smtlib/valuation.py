"""Computes values of a script's terms under a model that was read."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.samples import samples
from murxpy.semantics.values import CannotSay, FunctionValue, Value
from murxpy.smtlib.reading.models import Model, declared
from murxpy.smtlib.script import Script
from murxpy.smtlib.substitution import substituted
from murxpy.smtlib.tables import Tables


class Valuation:
    """Evaluates terms of a script under a model, with our own evaluator.

    The value of a constant is computed once. Functions stay in the terms, and so does a definition
    whose value cannot be said. If `completed` is set and the whole model was read, a constant that
    the model leaves out has some value of its sort, because solvers leave out constants whose value
    does not matter. `universes` are the terms whose values are all elements of the sets of a sort.
    `limits` are those of the evaluator, if they are not its own.
    """

    def __init__(
        self,
        script: Script,
        model: Model,
        completed: bool = False,
        universes: Mapping[Sort, Term] | None = None,
        limits: Mapping[str, int] | None = None,
    ) -> None:
        self._tables = script.tables
        self._definitions: dict[Term, Term] = {}
        values = {}
        evaluator = Evaluator(script.tables.catalogue, model.interpretation())
        for constant, term in model.definitions.items():
            try:
                if constant.sort.kind != "SORT_FUN":
                    values[constant] = evaluator.value(term)
                    continue
            except CannotSay:
                pass
            self._definitions[constant] = term
        interpretation = model.interpretation()
        interpretation.constants.update(values)
        for operator, function in model.partial.items():
            interpretation.partial[operator] = _Printed(script.tables, model, function)
        for constant in declared(script) if completed and model.whole else ():
            if constant not in model.definitions and constant not in interpretation.constants:
                interpretation.constants.update(
                    (constant, value) for value in samples(constant.sort, evaluator)[:1]
                )
        self._evaluator = Evaluator(script.tables.catalogue, interpretation, **(limits or {}))
        for sort, universe in (universes or {}).items():
            interpretation.universes[sort] = None
            with suppress(CannotSay):
                interpretation.universes[sort] = self.value(universe)

    @property
    def evaluator(self) -> Evaluator:
        """The evaluator with its interpretation. A constant without a value can be given one as long
        as no term that contains it was evaluated.
        """
        return self._evaluator

    def value(self, term: Term) -> Value:
        """Return the value of a closed term. Raises CannotSay."""
        if self._definitions:
            term = substituted(self._tables, term, self._definitions)
        return self._evaluator.value(term)

    def holds(self, formula: Term) -> bool:
        """Return whether a closed formula is true. Raises CannotSay."""
        return bool(self.value(formula))


class _Printed(FunctionValue):
    """A function that a model defines, by our evaluation of its body."""

    __slots__ = ("_body", "_model", "_parameters", "_tables")

    def __init__(self, tables: Tables, model: Model, function: Term) -> None:
        super().__init__(None)
        *variables, body = function.args
        self._tables, self._model = tables, model
        self._parameters = [
            tables.constant(f"parameter {at}", variable.sort)
            for at, variable in enumerate(variables)
        ]
        self._body = substituted(tables, body, dict(zip(variables, self._parameters, strict=True)))

    def at(self, point: Any) -> Value:
        """The value at a point. Raises LookupError where it cannot be said."""
        interpretation = self._model.interpretation()
        interpretation.constants.update(zip(self._parameters, point, strict=True))
        try:
            return Evaluator(self._tables.catalogue, interpretation).value(self._body)
        except CannotSay as reason:
            raise LookupError(str(reason)) from None
