"""Evaluates each assertion and assumption of a trace's last check under the planted model. No
solver is asked.
"""

from __future__ import annotations

from typing import Any

from murxpy.checks.registry import ANSWERING
from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import Term, subterms
from murxpy.machine.witnesses.show import show
from murxpy.replaying.defuse import PLANT
from murxpy.semantics.values import CannotSay
from murxpy.trace.grammar import Trace
from murxpy.translate.dry import AnyReading, Silent, interpret


class _Last(Silent):
    """Remembers the assertions and assumptions of the last check."""

    def __init__(self, catalogue: Catalogue, trace: Trace) -> None:
        super().__init__(catalogue, trace)
        self.formulas: list[tuple[str, Term]] = []

    def asked(self, action: str) -> Any:
        if action in ANSWERING:
            assumed = list(self.frame.terms) if action == "check-sat-assuming" else []
            names = {entry.term: str(entry) for entry in self.db.terms.values()}
            terms = dict.fromkeys([*(entry.term for entry in self.state.asserted()), *assumed])
            self.formulas = [(names.get(term, "t0"), term) for term in terms]
        return super().asked(action)


def under_planted(
    trace: Trace, catalogue: Catalogue
) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return the planted values of the constants in the formulas as texts by symbol, and for the id
    of each formula `true`, `false`, or why its value cannot be said.

    Raises InputError if the trace is malformed, has no planted model, or has no check.
    """
    run = _Last(catalogue, trace)
    if not any(line.action == PLANT for line in trace.lines):
        raise InputError(
            f"no planted model, expected a trace with lines '{PLANT}'", file=trace.name
        )
    interpret(run, AnyReading(run, trace))
    if run.planted is None or not run.formulas:
        raise InputError("no check has an assertion, expected one to evaluate", file=trace.name)
    used = set(subterms(term for _, term in run.formulas))
    values = run.planted.interpretation.constants
    return {
        str(term.indices[0]): show(value, term.sort)
        for term, value in values.items()
        if term in used
    }, [(name, _verdict(run, term)) for name, term in run.formulas]


def _verdict(run: _Last, term: Term) -> str:
    assert run.planted is not None
    try:
        return "true" if run.planted.value(term) else "false"
    except CannotSay as reason:
        return str(reason)
