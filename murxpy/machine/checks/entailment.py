"""`check-simplify` and `check-substitute`: a term that the solver makes of another equals it, where it is to.

A fresh solver looks for a model in which the new term breaks its promise. Only a model that shows it by our own evaluation of the run's
terms counts, with nothing left open; the value of the new term, which is the solver's alone, is read from the same model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from murxpy.logic.terms import Term
from murxpy.machine.checks.anew import call_first, fresh_solver
from murxpy.machine.checks.blame import differ, solver_value
from murxpy.machine.checks.cores import solvable_anew
from murxpy.machine.checks.model import TOO_LARGE, Model
from murxpy.machine.checks.reading import Unreadable
from murxpy.machine.checks.timing import timed
from murxpy.machine.database import Entry
from murxpy.machine.run import Refused, Run, Stopped
from murxpy.semantics.values import CannotSay


def check_simplify(run: Run, entry: Entry, seed: int, spelling: str | None = None) -> None:
    """`check-simplify t`: the simplified term equals the term."""
    made, name = _make(run, "check-simplify", "actions", "simplify", [entry], seed, spelling)
    if made is not None:
        _check(run, "check-simplify", name, [], entry, made)


def check_substitute(run: Run, entries: Sequence[Entry], seed: int, spelling: str | None = None) -> None:
    """`check-substitute t old new`: where old and new are equal, the result equals the term."""
    made, name = _make(run, "check-substitute", "actions", "substitute", entries, seed, spelling)
    if made is not None:
        term, old, new = entries
        with_equal = [(_operator(run, "OP_EQUAL", [old, new]), (old.term, new.term))]
        _check(run, "check-substitute", name, with_equal, term, made)


def _make(
    run: Run, action: str, section: str, key: str, entries: Sequence[Entry], seed: int, spelling: str | None
) -> tuple[Any, str]:
    """The object that the solver makes, None where no fresh solver can be asked about it; and the spelling."""
    run.frame.fill(terms=tuple(entry.term for entry in entries))
    chosen = run.choose(run.wrapper.set(section, key), seed, spelling, action)
    run.begin(seed, action, chosen.name, " ".join(map(str, entries)))
    made = run.call(chosen, [entry.obj for entry in entries], (), key)
    return (made if solvable_anew(entries) else None), chosen.name


def _operator(run: Run, kind: str, args: Sequence[Any], terms: tuple[Term, ...] | None = None) -> Any:
    """An operator applied to objects by its first spelling that fits. Raises Refused."""
    run.frame.fill(terms=terms or tuple(entry.term for entry in args))
    spellings = run.wrapper.set("operators", kind)
    chosen = spellings.pick(0.0, run.frame) if spellings is not None else None
    if chosen is None:
        raise Refused("unsupported", f"no spelling of {kind}")
    return run.call(chosen, [getattr(arg, "obj", arg) for arg in args], (), "mk-term", kind)


def _check(run: Run, action: str, spelling: str, premises: Sequence[tuple[Any, tuple[Term, ...]]], entry: Entry, made: Any) -> None:
    """Look for a model of the premises in which `made` is not `entry`. Raises Stopped where our evaluation shows one."""
    verdict = "cannot-say"
    with timed(run, action):
        try:
            equal = _operator(run, "OP_EQUAL", [entry.obj, made], (entry.term, entry.term))
            other = _operator(run, "OP_NOT", [equal], (entry.term,))
            with fresh_solver(run):
                for formula in (*(obj for obj, _ in premises), other):
                    call_first(run, "assert-formula", (formula,))
                answer = str(call_first(run, "check-sat", ()))
                verdict = "same" if answer == "unsat" else "cannot-say"
                if answer == "sat" and _differs(run, premises, entry, made):
                    verdict = "differs"
        except (Refused, CannotSay, Unreadable, *TOO_LARGE):
            pass
    run.counts[f"{action}:{verdict}"] += 1
    if verdict == "differs":
        message = f"the result for a term of {entry.term.sort.short} differs from it in a model, by our evaluation"
        raise Stopped(run.finding(f"invalid-{action.removeprefix('check-')}", "solver", message, action, entry.term.op, spelling))


def _differs(run: Run, premises: Sequence[tuple[Any, tuple[Term, ...]]], entry: Entry, made: Any) -> bool:
    reader = run.wrapper.set("readers", "model")
    if reader is None:
        return False
    equal = [term for _, pair in premises for term in pair]
    model = Model(run, [entry.term, *equal], reader.spellings[0])
    if model.unjudged(entry.term) or any(map(model.unjudged, equal)):
        return False
    values = [model.evaluator.value(term) for term in equal]
    if any(differ(old, new) for old, new in zip(values[::2], values[1::2], strict=True)):
        return False
    return differ(model.evaluator.value(entry.term), solver_value(run, model.evaluator, made, entry.term.sort))
