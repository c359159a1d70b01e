"""The cause of a wrong unsat: the first term for which the solver, asked about this term alone,
denies the planted value.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, VALUE, Term
from murxpy.logic.walks import subterms
from murxpy.machine.database import Entry, SortEntry
from murxpy.machine.outcomes import WRONG_UNSAT, Refused, Stopped
from murxpy.machine.planted import OPEN, Planted, write_words
from murxpy.machine.run import Run
from murxpy.machine.tokens import print_token, quote
from murxpy.machine.witnesses.model import Model, theories
from murxpy.machine.witnesses.points import DRAWN, literal, objects
from murxpy.machine.witnesses.show import show
from murxpy.machine.witnesses.solving import applied, call_first, fresh_solver
from murxpy.semantics.values import CannotSay, FunctionValue, Value

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


# ----------------------------------------------------------------------
# The lines `plant`, and what they mean for a check: the answer unsat is wrong if everything
# that was asserted and assumed is true in the planted model.


SHOWN = 8  # the number of constants whose values a finding names
WHY = "the planted model satisfies all assertions"


def planted_of(run: Run) -> Planted:
    """The planted model of the run. A planted model begins now, if the run has none."""
    if run.planted is None:
        open_universe = run.wrapper.set("readers", "universe") is not None
        run.planted = Planted(run.catalogue, run.wrapper.facts.unjudged, open_universe)
    return run.planted


def plant(run: Run, seed: int) -> None:
    """`plant`: from here on the run has a planted model."""
    run.begin(seed, "plant", None, "")
    planted_of(run)
    run.meter.went_well()


def plant_value(run: Run, entry: Entry, value: Value, seed: int) -> None:
    """`plant t words`: the value of a constant. Raises BadValue if the constant has another value."""
    words = write_words(value, entry.term.sort, run.sorts)
    run.begin(seed, "plant", None, " ".join([str(entry), *map(print_token, words)]))
    planted_of(run).fix(entry.term, value)
    run.meter.went_well()


def open_sort(run: Run, kind: str) -> Sort:
    """The sort of the function that an operator of `OPEN` is at its open points."""
    sort = run.sorts.get(OPEN[kind])
    return run.sorts.get("SORT_FUN", sort, sort, sort)


def plant_open(run: Run, kind: str, function: FunctionValue, seed: int) -> None:
    """`plant KIND words`: what an operator gives at the points that the standard leaves open. Raises
    BadValue if the point has a value already.
    """
    words = write_words(function, open_sort(run, kind), run.sorts)
    run.begin(seed, "plant", None, " ".join([kind, *map(print_token, words)]))
    planted_of(run).fix_open(kind, function)
    run.meter.went_well()


def plant_size(run: Run, entry: SortEntry, size: int, seed: int) -> None:
    """`plant s n`: the number of elements of an uninterpreted sort. Raises BadValue if the sort has
    another number.
    """
    run.begin(seed, "plant", None, f"{entry} {size}")
    planted_of(run).fix_size(entry.sort, size)
    run.meter.went_well()


def judge_planted(run: Run, answer: str, action: str) -> None:
    """Compare the answer of a check with the planted model, if the run has one. Raises Stopped if
    the answer is wrong.
    """
    planted = run.planted
    if planted is None:
        return
    run.counts[f"planted:{answer}"] += 1
    if answer != "unsat":
        return
    formulas = list(
        dict.fromkeys(entry.term for entry in (*run.state.asserted(), *run.state.assumptions))
    )
    if not satisfied(run, formulas):
        run.counts["planted:not-judged"] += 1
        return
    about = culprit(run, planted, formulas) if run.asks else ""
    shown = told(planted, formulas)
    more = [f"and {len(shown) - SHOWN} more"] if len(shown) > SHOWN else []
    # The part behind the `;` differs between findings of one defect; the bucket does not contain
    # it.
    message = (
        f"answered unsat, expected sat: {WHY}; {', '.join(shown[:SHOWN] + more) or 'no constants'}"
    )
    raise Stopped(run.finding(WRONG_UNSAT, "solver", message, action, about, ""))


def satisfied(run: Run, formulas: Sequence[Term]) -> bool:
    """Whether the run has a planted model in which all closed `formulas` are true, so that the
    answer unsat is wrong.
    """
    return (
        run.planted is not None
        and _plain(run, formulas)
        and all(run.planted.truth(formula) for formula in formulas)
    )


def _plain(run: Run, formulas: Sequence[Term]) -> bool:
    """Whether the solver knows exactly what the trace says: it has no other assertions and no
    option of unknown effect.

    The name of a tracked assertion is a new Boolean constant, unless a constant of the run has this
    name.
    """
    state = run.state
    names = {str(term.indices[0]) for term in subterms(formulas) if term.op == CONSTANT}
    known = run.wrapper.facts.known_options()
    plain = not state.altered and (known is None or known >= set(state.options))
    return plain and names.isdisjoint(name for name, _ in state.named())


def told(planted: Planted, formulas: Sequence[Term]) -> list[str]:
    """The constants in `formulas` with their values, as text."""
    constants = sorted(
        (term for term in subterms(formulas) if term.op == CONSTANT), key=lambda term: term.serial
    )
    values = planted.interpretation.constants
    return [
        f"{quote(str(t.indices[0]))} = {show(values[t], t.sort)}" for t in constants if t in values
    ]


# ----------------------------------------------------------------------
# A solver's model as lines `plant`, so that another solver's answer unsat can be held against
# it.


def model_as_plants(run: Run) -> list[str]:
    """The lines `plant`, without seeds, that give each constant its value in the solver's model of
    the last check. Values that such a line cannot say are left out: functions that are no tables,
    and elements of uninterpreted sorts, which have names of the solver's own.

    Raises Refused if no model can be read, and Stopped if a value in the model is no value.
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
