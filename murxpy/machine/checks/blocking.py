"""`check-blocked n t..`: a model's values of some terms are blocked by an assertion, so the next
model must have another value for one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from murxpy.logic.walks import subterms
from murxpy.machine.actions.base import Check, register, values_to_read
from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.trace.reading import Reading
from murxpy.machine.witnesses.model import (
    LITERAL,
    UNDECIDED,
    differ,
    solvable_from_scratch,
    solver_value,
)
from murxpy.machine.witnesses.solving import call_first, fresh_solver, solve_from_scratch, timed
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.registry import MEANINGS
from murxpy.semantics.values import Interpretation, Value
from murxpy.solvers.spelling import Spelling


def check_blocked(
    run: Run, entries: Sequence[Entry], seed: int, spelling: str | None = None
) -> None:
    """`check-blocked n t..`: in a fresh solver, which it changes. Raises Stopped if the next model
    has the same values.
    """
    if run.state.altered:
        raise Refused("unsupported", "the solver has assertions that are not ours")
    run.frame.fill(terms=tuple(entry.term for entry in entries))
    chosen = run.choose(run.wrapper.set("readers", "blocked"), seed, spelling, "check-blocked")
    run.begin(seed, "check-blocked", chosen.name, " ".join([str(len(entries)), *map(str, entries)]))
    verdict = "cannot-say"
    with timed(run, "blocked-models"), suppress(*UNDECIDED), fresh_solver(run):
        verdict = _next_model(run, entries, chosen)
    run.counts[f"check-blocked:{verdict}"] += 1
    if verdict == "same":
        message = "a model that was blocked is given again"
        raise Stopped(
            run.finding(
                "repeated-model",
                "solver",
                message,
                "check-blocked",
                _open_operator(entries),
                chosen.name,
            )
        )


def _open_operator(entries: Sequence[Entry]) -> str:
    """The first operator in terms that has open points by the standard. A model can give different
    values for it at different times.
    """
    terms = sorted(subterms(entry.term for entry in entries), key=lambda term: term.serial)
    return next(
        (
            term.op
            for term in terms
            if (meaning := MEANINGS.get(term.op)) is not None and meaning.open
        ),
        "",
    )


def _next_model(run: Run, entries: Sequence[Entry], chosen: Spelling) -> str:
    """`last` if there is no other model; otherwise `same` or `another`, by its values."""
    formulas = list(dict.fromkeys([*run.state.asserted(), *run.state.assumptions]))
    if (
        not solvable_from_scratch([*formulas, *entries])
        or solve_from_scratch(run, formulas) != "sat"
    ):
        return "cannot-say"
    evaluator = Evaluator(run.catalogue, Interpretation())
    before = _values(run, evaluator, entries)
    run.frame.fill(terms=tuple(entry.term for entry in entries))
    run.call(chosen, [entry.obj for entry in entries], (), "check-blocked")
    answer = str(call_first(run, "check-sat", ()))
    if answer != "sat":
        return "last" if answer == "unsat" else "cannot-say"
    after = _values(run, evaluator, entries)
    values = zip(entries, before, after, strict=True)
    return (
        "another"
        if any(differ(evaluator, entry.term.sort, one, other) for entry, one, other in values)
        else "same"
    )


def _values(run: Run, evaluator: Evaluator, entries: Sequence[Entry]) -> list[Value]:
    return [solver_value(run, evaluator, entry.obj, entry.term.sort) for entry in entries]


@register("check-blocked")
class CheckBlocked(Check):
    """`check-blocked n t..`."""

    option = "blocked-models"
    reader = "blocked"
    after = ("sat",)
    place = 9

    def draw(self, gen: Generator) -> bool:
        if self.due(gen):
            entries = [e for e in values_to_read(gen) if e.term.sort.kind in LITERAL]
            if entries:
                check_blocked(gen.run, entries, gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        entries = r.counted_terms(0, closed=True)
        r.end(1 + len(entries))
        answer = r.run.state.answer
        r.require(answer == "sat", f"no model: the last answer is {answer}")
        r.values(*(e.term.sort for e in entries))
        check_blocked(r.run, entries, r.seed, self.spelling(r))
