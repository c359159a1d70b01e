"""The cause of a wrong unsat: the first term for which the solver, asked about this term alone,
denies the planted value.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from murxpy.logic.terms import CONSTANT, VALUE, Term, subterms
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.planted import Planted
from murxpy.machine.run import Run
from murxpy.machine.witnesses.anew import applied, call_first, fresh_solver
from murxpy.machine.witnesses.model import theories
from murxpy.machine.witnesses.points import DRAWN, literal, objects
from murxpy.semantics.values import CannotSay, Value

_GENERAL = ("BOOL", "QUANT")
FORMULAS = 30  # formulas that are left out, one after another
TERMS = 60  # terms that the solver is asked about, arguments first; each costs two small checks


def culprit(run: Run, planted: Planted, formulas: Sequence[Term]) -> str:
    """The operator of the term that is to blame. Equality, connectives and quantifiers can be about
    anything, so for them the theories in the term stand.

    If there is no such term, these are the theories of the formulas that a fresh solver needs for
    unsat. If a fresh solver does not answer unsat, the result is empty, so that a smaller trace
    keeps its bucket.
    """
    there = objects(run)
    terms = [
        term
        for term in subterms(formulas)
        if not term.leaf and not term.free and term in there and term.sort.kind in DRAWN
    ]
    for term in sorted(terms, key=lambda term: term.serial)[:TERMS]:
        if any(_denied(run, planted, term, there, fixed) for fixed in (False, True)):
            general = (
                run.catalogue.operators[term.op].theory in _GENERAL
                if term.op in run.catalogue.operators
                else True
            )
            return _theories(run, [term]) if general else term.op
    return _theories(run, _needed(run, formulas, there))


def _needed(run: Run, formulas: Sequence[Term], there: dict[Term, Any]) -> list[Term]:
    """The formulas that a fresh solver needs to answer unsat; the first formulas are left out
    first. The result is empty if it does not answer unsat.
    """
    kept = [formula for formula in formulas if formula in there]
    if not _refuted(run, kept, there):
        return []
    for formula in kept[:FORMULAS]:
        fewer = [other for other in kept if other is not formula]
        if _refuted(run, fewer, there):
            kept = fewer
    return kept


def _refuted(run: Run, formulas: Sequence[Term], there: dict[Term, Any]) -> bool:
    with suppress(Refused, Stopped), fresh_solver(run):
        for formula in formulas:
            call_first(run, "assert-formula", (there[formula],), terms=(formula,))
        return str(call_first(run, "check-sat", ())) == "unsat"
    return False


def _theories(run: Run, formulas: Sequence[Term]) -> str:
    found = dict.fromkeys(name for formula in formulas for name in theories(run, formula))
    return "+".join([name for name in found if name != "BOOL"] or found)


def _denied(run: Run, planted: Planted, term: Term, there: dict[Term, Any], fixed: bool) -> bool:
    """Whether a fresh solver says that a term cannot have its planted value. `fixed` says that the
    constants of the term have their planted values.
    """
    with suppress(Refused, Stopped, CannotSay):
        claims = [(term, planted.value(term))]
        if fixed:
            claims += _constants(planted, term, there)
        with fresh_solver(run):
            for part, value in claims:
                call_first(run, "assert-formula", (_claim(run, part, value, there),), terms=(part,))
            return str(call_first(run, "check-sat", ())) == "unsat"
    return False


def _constants(planted: Planted, term: Term, there: dict[Term, Any]) -> list[tuple[Term, Value]]:
    values = planted.interpretation.constants
    return [
        (t, values[t])
        for t in subterms([term])
        if t.op == CONSTANT and t in values and t in there and t.sort.kind in DRAWN
    ]


def _claim(run: Run, term: Term, value: Value, there: dict[Term, Any]) -> Any:
    """The object of the formula which says that a term has a value. Raises Refused, Stopped."""
    if term.sort.kind == "SORT_BOOL":
        return there[term] if value else applied(run, "OP_NOT", [there[term]], (term,))
    known = run.terms.leaf(VALUE, (value,), term.sort)
    return applied(run, "OP_EQUAL", [there[term], literal(run, term.sort, value)], (term, known))
