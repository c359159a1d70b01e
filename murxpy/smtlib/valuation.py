"""Values of a script's terms under a model that was read."""

from __future__ import annotations

from murxpy.logic.terms import Term
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.values import CannotSay
from murxpy.smtlib.models import Model
from murxpy.smtlib.script import Script
from murxpy.smtlib.substitution import substituted


class Valuation:
    """Evaluates terms of a script under a model, by our own evaluator.

    Values of constants are computed once. Functions stand for themselves in the terms, and so does a definition whose value cannot be said.
    """

    def __init__(self, script: Script, model: Model) -> None:
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
        self._evaluator = Evaluator(script.tables.catalogue, interpretation)

    def holds(self, formula: Term) -> bool:
        """Whether a closed formula is true. Raises CannotSay."""
        if self._definitions:
            formula = substituted(self._tables, formula, self._definitions)
        return bool(self._evaluator.value(formula))
