"""The terms of a trace as texts of SMT-LIB, by their ids. No solver is asked."""

from __future__ import annotations

from contextlib import suppress

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.dialects import STANDARD
from murxpy.smtlib.printing.forms import Unsayable
from murxpy.smtlib.printing.terms import Printer
from murxpy.trace.grammar import Trace
from murxpy.translate.dry import AnyReading, Silent, interpret

_LONGEST = 2000  # characters; a longer text helps nobody to see a value in it


def term_texts(trace: Trace, catalogue: Catalogue) -> dict[str, str]:
    """The text of each term that the trace still has at its end, in the dialect of its solver if there
    is one. Terms that cannot be said, or only in a very long text, are missing. Raises InputError if
    the trace is malformed.
    """
    run = Silent(catalogue, trace)
    interpret(run, AnyReading(run, trace))
    known = trace.solver in catalogue.dialects
    printer = Printer(catalogue, trace.solver if known else STANDARD)
    found = {}
    for entry in run.db.terms.values():
        if not entry.term.free:
            with suppress(Unsayable):
                found[str(entry)] = printer.term(entry.term)
    return {name: text for name, text in found.items() if len(text) <= _LONGEST}
