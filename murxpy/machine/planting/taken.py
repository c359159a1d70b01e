"""A solver's model as lines `plant`, so that another solver's answer unsat can be held against it."""

from __future__ import annotations

from contextlib import suppress

from murxpy.machine.planted_words import write_words
from murxpy.machine.run import Run
from murxpy.machine.tokens import print_token
from murxpy.machine.witnesses.model import Model
from murxpy.semantics.values import CannotSay


def model_as_plants(run: Run) -> list[str]:
    """The lines `plant`, without seeds, that give each constant its value in the solver's model of
    the last check. Values that such a line cannot say are left out: functions that are no tables,
    and elements of uninterpreted sorts, which have names of the solver's own.

    Raises Refused if no model can be read, and Stopped if a value in it is none.
    """
    chosen = run.choose(run.wrapper.set("readers", "model"), 0, None, "check-model")
    formulas = [entry.term for entry in (*run.state.asserted(), *run.state.assumptions)]
    values = Model(run, formulas, chosen).interpretation.constants
    rows = []
    for entry in run.db.terms.values():
        if entry.term in values:
            with suppress(CannotSay, ValueError):
                words = write_words(values[entry.term], entry.term.sort, run.sorts)
                rows.append(" ".join(["plant", str(entry), *map(print_token, words)]))
    return rows
