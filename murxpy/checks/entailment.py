"""`check-simplify` and `check-substitute`: a term that the solver makes of another equals it, where
it is to.

First our evaluation at random points, with no solver: the new term is folded there. Then a fresh
solver looks for a model in which the new term breaks its promise. Only one that shows it by our own
evaluation of the run's terms counts, with nothing left open; the value of the new term, which is
the solver's alone, is read from the same model.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from murxpy.checks.cores import solvable_anew
from murxpy.logic.terms import Term
from murxpy.machine.database import Entry
from murxpy.machine.run import Refused, Run, Stopped
from murxpy.machine.witnesses.anew import applied, call_first, fresh_solver
from murxpy.machine.witnesses.blame import differ, solver_value
from murxpy.machine.witnesses.model import Model, unjudged
from murxpy.machine.witnesses.points import differs_at_a_point
from murxpy.machine.witnesses.refute import CANNOT_SAY, UNDECIDED
from murxpy.machine.witnesses.timing import timed
from murxpy.solvers.spelling import Spelling

Premises = Sequence[tuple[Any, Term]]  # objects of formulas, and the formulas


def check_simplify(run: Run, entry: Entry, seed: int, spelling: str | None = None) -> None:
    """`check-simplify t`: the simplified term equals the term, where a solver made it under what is
    asserted.
    """
    made, chosen = _make(run, "check-simplify", [entry], seed, spelling)
    uses = "{solver}" in chosen.template.text  # then what is asserted may be used
    asserted = list(dict.fromkeys(run.state.asserted())) if uses else []
    if run.state.altered and uses:
        return
    _check(
        run,
        "check-simplify",
        chosen.name,
        [entry, *asserted],
        [(e.obj, e.term) for e in asserted],
        made,
        seed,
    )


def check_substitute(
    run: Run, entries: Sequence[Entry], seed: int, spelling: str | None = None
) -> None:
    """`check-substitute t old new`: where old and new are equal, the result equals the term."""
    made, chosen = _make(run, "check-substitute", entries, seed, spelling)
    pair = tuple(entry.term for entry in entries[1:])
    equal = run.terms.apply("OP_EQUAL", pair, (), run.sorts.get("SORT_BOOL"))
    with suppress(Refused):
        premise = applied(run, "OP_EQUAL", [entry.obj for entry in entries[1:]], pair)
        _check(run, "check-substitute", chosen.name, entries, [(premise, equal)], made, seed)


def _make(
    run: Run, action: str, entries: Sequence[Entry], seed: int, spelling: str | None
) -> tuple[Any, Spelling]:
    """The object that the solver makes, and the spelling."""
    key = action.removeprefix("check-")
    run.frame.fill(terms=tuple(entry.term for entry in entries))
    chosen = run.choose(run.wrapper.set("actions", key), seed, spelling, action)
    run.begin(seed, action, chosen.name, " ".join(map(str, entries)))
    return run.call(chosen, [entry.obj for entry in entries], (), key), chosen


def _check(
    run: Run,
    action: str,
    spelling: str,
    entries: Sequence[Entry],
    premises: Premises,
    made: Any,
    seed: int,
) -> None:
    """Look for a point where the premises hold and `made` is not the first of `entries`. Raises
    Stopped where our evaluation shows one.
    """
    entry, verdict = entries[0], CANNOT_SAY
    with timed(run, action):
        if differs_at_a_point(run, entry.term, made, [term for _, term in premises], seed):
            verdict = "differs"
        elif solvable_anew(entries):
            with suppress(*UNDECIDED):
                verdict = _verdict(run, entry, premises, made)
    run.counts[f"{action}:{verdict}"] += 1
    if verdict == "differs":
        message = f"the result for a term of {entry.term.sort.short} differs from it at a point, by our evaluation"
        raise Stopped(
            run.finding(
                f"invalid-{action.removeprefix('check-')}",
                "solver",
                message,
                action,
                entry.term.op,
                spelling,
            )
        )


def _own_symbols(run: Run, made: Any) -> bool:
    """Whether the solver put symbols of its own into what it made: what they stand for is known to
    that solver alone.
    """
    reader = run.wrapper.set("readers", "symbols")
    run.frame.fill()
    return reader is not None and None in run.call(
        reader.spellings[0], (made,), (), "check-simplify"
    )


def _verdict(run: Run, entry: Entry, premises: Premises, made: Any) -> str:
    if _own_symbols(run, made):
        return CANNOT_SAY
    equal = applied(run, "OP_EQUAL", [entry.obj, made], (entry.term, entry.term))
    other = applied(run, "OP_NOT", [equal], (entry.term,))
    with fresh_solver(run):
        for formula in (*(obj for obj, _ in premises), other):
            call_first(run, "assert-formula", (formula,))
        answer = str(call_first(run, "check-sat", ()))
        if answer == "sat" and _differs(run, entry.term, [term for _, term in premises], made):
            return "differs"
    return "same" if answer == "unsat" else CANNOT_SAY


def _differs(run: Run, term: Term, premises: Sequence[Term], made: Any) -> bool:
    """Whether the model of the solver at hand makes the premises true, and `term` another value
    than the solver's of `made`.
    """
    reader = run.wrapper.set("readers", "model")
    if reader is None:
        return False
    model = Model(run, [term, *premises], reader.spellings[0])
    if any(unjudged(run, t) for t in (term, *premises)) or not all(
        map(model.evaluator.value, premises)
    ):
        return False
    return differ(
        model.evaluator,
        term.sort,
        model.evaluator.value(term),
        solver_value(run, model.evaluator, made, term.sort),
    )
