"""The definitions of a model as text."""

from __future__ import annotations

from contextlib import suppress

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.dialects import STANDARD
from murxpy.logic.terms import FUNCTION, Term
from murxpy.smtlib.printing.forms import Unsayable
from murxpy.smtlib.printing.terms import Printer
from murxpy.smtlib.reading.models import Model


def shown_model(catalogue: Catalogue, model: Model) -> dict[str, str]:
    """What a model defines, as texts by symbol."""
    printer = Printer(catalogue, _dialects(catalogue)[0])
    return {
        printer.function(constant): _shown(catalogue, term)
        for constant, term in model.definitions.items()
    }


def _shown(catalogue: Catalogue, term: Term) -> str:
    """A value, or a function with its variables, as text."""
    for dialect in _dialects(catalogue):
        printer = Printer(catalogue, dialect)
        with suppress(Unsayable):
            if term.op != FUNCTION:
                return printer.term(term)
            return f"({printer.variables(term.args[:-1])}) {printer.term(term.args[-1])}"
    return "a value that no dialect has words for"


def _dialects(catalogue: Catalogue) -> list[str]:
    """The dialects: the first one that has words for a value shows it, and the standard comes last
    because it has the fewest.
    """
    return sorted(catalogue.dialects, key=lambda name: (name == STANDARD, name))
