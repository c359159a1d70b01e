"""The lines `plant`, and what they mean for a check: the answer unsat is wrong if everything that
was asserted and assumed is true in the planted model.
"""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, Term, subterms
from murxpy.machine.database import Entry, SortEntry
from murxpy.machine.outcomes import Stopped
from murxpy.machine.planted import OPEN, Planted
from murxpy.machine.planted_words import write_words
from murxpy.machine.planting.blame import culprit
from murxpy.machine.run import Run
from murxpy.machine.tokens import print_token, quote
from murxpy.machine.witnesses.show import show
from murxpy.semantics.values import FunctionValue, Value

SHOWN = 8  # the number of constants whose values a finding names
KIND = "wrong-unsat"
WHY = "the planted model satisfies all assertions"


def planted_of(run: Run) -> Planted:
    """The planted model of the run. It begins now, if the run has none."""
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
    """`plant KIND words`: what an operator gives at the points that the standard leaves open.
    Raises BadValue if this is already said.
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
    raise Stopped(run.finding(KIND, "solver", message, action, about, ""))


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
