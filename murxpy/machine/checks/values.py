"""`check-values n t..`: the solver's value of a term is the value that we compute from the solver's
values of constants.
"""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.logic.walks import subterms
from murxpy.machine.actions.base import Check, register, values_to_read
from murxpy.machine.checks.assertions import needs_model
from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.trace.reading import Reading
from murxpy.machine.witnesses.model import TOO_LARGE, Model, blamed, differ, solver_value, unjudged
from murxpy.machine.witnesses.model_rows import Unreadable
from murxpy.machine.witnesses.solving import timed
from murxpy.semantics.values import CannotSay


def check_values(
    run: Run, entries: Sequence[Entry], seed: int, spelling: str | None = None
) -> None:
    """`check-values n t..`. Raises Stopped if a value differs from ours."""
    run.frame.fill()
    chosen = run.choose(run.wrapper.set("readers", "model"), seed, spelling, "check-values")
    run.begin(seed, "check-values", chosen.name, " ".join([str(len(entries)), *map(str, entries)]))
    run.meter.model_read()
    with timed(run, "check-values"):
        model = Model(run, [entry.term for entry in entries], chosen)
        for entry in entries:
            verdict = _compare(run, model, entry)
            run.counts[f"check-values:{verdict}"] += 1
            if verdict == "false":
                term = blamed(run, model.evaluator, list(subterms([entry.term]))) or entry.term
                message = f"the solver's value of a term of {entry.term.sort.short} is not ours; they part at {term.op}"
                raise Stopped(
                    run.finding(
                        "invalid-value", "solver", message, "check-values", term.op, chosen.name
                    )
                )


def _compare(run: Run, model: Model, entry: Entry) -> str:
    if unjudged(run, entry.term):
        return "cannot-say"
    model.settle(entry.term)
    try:
        theirs = solver_value(run, model.evaluator, entry.obj, entry.term.sort)
        return (
            "false"
            if differ(model.evaluator, entry.term.sort, model.evaluator.value(entry.term), theirs)
            else "true"
        )
    except (CannotSay, Unreadable, Refused, Stopped, *TOO_LARGE):
        return "cannot-say"


@register("check-values")
class CheckValues(Check):
    """`check-values n t..`."""

    option = "values"
    reader = "values"
    after = ("sat",)
    place = 2

    def draw(self, gen: Generator) -> bool:
        if gen.run.state.models and self.due(gen):
            entries = values_to_read(gen)
            if entries:
                check_values(gen.run, entries, gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        entries = r.counted_terms(0, closed=True)
        r.end(1 + len(entries))
        needs_model(r)
        there = r.run.wrapper.set("readers", "model") is not None
        r.require(there, "the wrapper has no reader 'model'")
        r.values(*(e.term.sort for e in entries))
        check_values(r.run, entries, r.seed, r.spelling("readers", "model"))
