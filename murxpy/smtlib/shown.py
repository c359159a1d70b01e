"""The definitions of a model as texts that a person reads."""

from __future__ import annotations

from contextlib import suppress

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.dialects import STANDARD
from murxpy.logic.terms import FUNCTION, Term
from murxpy.smtlib.printing.forms import Unsayable
from murxpy.smtlib.printing.terms import Printer
from murxpy.smtlib.reading.models import Model


def shown_model(catalogue: Catalogue, model: Model) -> dict[str, str]:
    """Return the definitions of a model as texts, by symbol."""
    printer = Printer(catalogue, _dialects(catalogue)[0])
    return {
        printer.function(constant): _shown(catalogue, term)
        for constant, term in model.definitions.items()
    }


def _shown(catalogue: Catalogue, term: Term) -> str:
    """Return a value as text, or a function with its variables."""
    for dialect in _dialects(catalogue):
        printer = Printer(catalogue, dialect)
        with suppress(Unsayable):
            if term.op != FUNCTION:
                return printer.term(term)
            return f"({printer.variables(term.args[:-1])}) {printer.term(term.args[-1])}"
    return "a value that no dialect has words for"


def _dialects(catalogue: Catalogue) -> list[str]:
    """Return the dialects in the order in which they are tried. The first that can say a value
    shows it; the standard comes last, because it can say the fewest values.
    """
    return sorted(catalogue.dialects, key=lambda name: (name == STANDARD, name))
