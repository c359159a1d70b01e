"""Which operator a false assertion hangs on: the first term of which the solver's value is not
ours, though its arguments' are.
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
    """The first of `terms`, arguments first, of which the solver's own value differs from ours;
    None where there is none to be seen.
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
    """Whether two values of one sort differ. Raises CannotSay where that is not known, as of
    functions that are no tables.
    """
    return not evaluator.equal(sort, ours, theirs)


def solver_value(run: Run, evaluator: Evaluator, obj: Any, sort: Sort) -> Value:
    """What the solver says that a term's value in its model is. Raises CannotSay, Unreadable,
    Refused, Stopped.
    """
    asked, reader = run.wrapper.set("actions", "get-value"), run.wrapper.set("readers", "values")
    if asked is None or reader is None:
        raise CannotSay("the wrapper has no reader of values")
    run.frame.fill()
    value = run.call(asked.spellings[0], (obj,), (), "get-value")
    data = run.call(reader.spellings[0], (value,), (), "get-value")
    return Values(data["rows"], run.sorts, evaluator).value(data["roots"][0], sort)
