"""The operator that makes an assertion false: the first term whose value in the solver's model
differs from ours, although its arguments have the same values.
"""

from __future__ import annotations

from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.witnesses.reading import Values
from murxpy.machine.witnesses.rows import Unreadable
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.values import CannotSay, Value


def blamed(run: Run, evaluator: Evaluator, terms: list[Term]) -> Term | None:
    """The first of `terms`, arguments first, for which the solver's value and ours differ; None if
    there is no such term.
    """
    objects = {e.term: e.obj for e in run.db.terms.values() if e.obj is not None}
    for term in sorted(terms, key=lambda t: t.serial):
        if term.leaf or term.free or term.sort.kind == "SORT_FUN" or term not in objects:
            continue
        try:
            if differ(
                evaluator,
                term.sort,
                evaluator.value(term),
                solver_value(run, evaluator, objects[term], term.sort),
            ):
                return term
        except (CannotSay, Unreadable, Refused, Stopped):
            continue
    return None


def differ(evaluator: Evaluator, sort: Sort, ours: Value, theirs: Value) -> bool:
    """Whether two values of one sort differ. Raises CannotSay if this is not known, as for
    functions that are no tables.
    """
    return not evaluator.equal(sort, ours, theirs)


def solver_value(run: Run, evaluator: Evaluator, obj: Any, sort: Sort) -> Value:
    """The value of a term in the solver's model, as the solver gives it. Raises CannotSay,
    Unreadable, Refused, Stopped.
    """
    asked, reader = run.wrapper.set("actions", "get-value"), run.wrapper.set("readers", "values")
    if asked is None or reader is None:
        raise CannotSay("the wrapper has no reader of values")
    run.frame.fill()
    value = run.call(asked.spellings[0], (obj,), (), "get-value")
    data = run.call(reader.spellings[0], (value,), (), "get-value")
    return Values(data["rows"], run.sorts, evaluator).value(data["roots"][0], sort)
