"""Counters of a run: the time that checks of answers take, and the reasons why they cannot decide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from time import thread_time_ns
from typing import Any

from murxpy.logic.terms import Term
from murxpy.machine.database import Entry
from murxpy.machine.logics import is_higher_order
from murxpy.machine.outcomes import Refused
from murxpy.machine.run import Run
from murxpy.solvers.spelling import Spelling

_VARIES = re.compile(r"_x\d+|-?\d+|'[^']*'|\([^()]*\)")


@contextmanager
def timed(run: Run, check: str) -> Iterator[None]:
    """Count the time inside as time of a check, including the time of the solver for it. An
    ill-formed term is not our fault there.
    """
    start = thread_time_ns()
    run.checking = True
    try:
        yield
    finally:
        run.checking = False
        run.counts[f"time-ns:check:{check}"] += thread_time_ns() - start


def tidy(reason: str) -> str:
    """A reason without the parts that differ between runs."""
    return _VARIES.sub("_", reason)[:80]


# ----------------------------------------------------------------------
# Solving formulas from scratch: in a fresh solver of the same context, with the same limit.


# The limit of the fresh solver, in limits of the check. A fresh solver needs more time, because it
# has learned nothing yet.
FACTOR = 4


@contextmanager
def fresh_solver(run: Run, part: str = "") -> Iterator[None]:
    """Calls inside go to a fresh solver of the run's context: a plain one, or the object of a part of
    the API. Raises Refused if the binding cannot have two solvers in one context.
    """
    kept, options, wrapper = run.frame.solver, run.frame.options, run.wrapper
    run.wrapper = wrapper.whole
    try:
        run.frame.fill(value=run.state.logic)
        made = run.wrapper.set("lifecycle", "new")
        named = made.named(part) if made is not None and part else None
        run.make_solver(run.frame, named or _first(run, "lifecycle", "new"))
        if run.frame.solver is kept:
            raise Refused("unsupported", "a context of this release has one solver")
        if named is not None:
            run.wrapper = run.wrapper.part(part, run.frame.solver)
        _set_options(run)
        if is_higher_order(run.state.logic):  # else functions are no values
            call_first(run, "set-logic", (), value=run.state.logic)
        yield
    finally:
        run.frame.solver, run.frame.options, run.wrapper = kept, options, wrapper


def _first(run: Run, section: str, key: str) -> Spelling:
    spellings = run.wrapper.set(section, key)
    chosen = spellings.pick(0.0, run.frame) if spellings is not None else None
    if chosen is None:
        raise Refused("unsupported", f"no spelling of {key}")
    return chosen


def _set_options(run: Run) -> None:
    """Set the options of a fresh solver: those that the theories of the run need, models, and the
    limit.
    """
    required = [name for name, _ in run.wrapper.facts.required()]
    wanted = {name: value for name, value in run.state.options.items() if name in required} | {
        "produce-models": "true"
    }
    for name, value in wanted.items():
        special = run.wrapper.set("special-options", name)
        if special is None and name not in required:
            continue
        run.frame.fill(name=name, value=value)
        run.call(
            special.spellings[0] if special else _first(run, "actions", "set-option"),
            (),
            (),
            "set-option",
        )
    set_limit(run)


def set_limit(run: Run) -> None:
    """Set the limit of the run's checks on the solver of the frame."""
    if run.state.limit is not None:
        run.frame.fill(value=FACTOR * run.state.limit)
        with suppress(Refused):
            run.call(_first(run, "actions", "set-limit"), (), (), "set-limit")


def call_first(run: Run, action: str, args: Sequence[Any], **operands: Any) -> Any:
    """Carry out an action by its first spelling that fits, on the solver of the frame, without a
    line in the trace. Raises Refused, Stopped.
    """
    run.frame.fill(**operands)
    return run.call(_first(run, "actions", action), args, (), action)


def solve_from_scratch(run: Run, entries: Sequence[Entry]) -> str:
    """The answer of a solver to which only `entries` are asserted. Call it inside `fresh_solver`.
    Raises Refused, Stopped.
    """
    for entry in entries:
        call_first(run, "assert-formula", (entry.obj,), terms=(entry.term,))
    return str(call_first(run, "check-sat", ()))


def applied(run: Run, kind: str, args: Sequence[Any], terms: tuple[Term, ...]) -> Any:
    """An operator applied to objects, by its first spelling that fits. `terms` have the sorts of the
    objects. Raises Refused, Stopped.
    """
    sorts = tuple(term.sort for term in terms)
    run.frame.fill(terms, (), run.checker.result(run.catalogue.operators[kind], sorts, (), None))
    spellings = run.wrapper.set("operators", kind)
    chosen = spellings.pick(0.0, run.frame) if spellings is not None else None
    if chosen is None:
        raise Refused("unsupported", f"no spelling of {kind}")
    return run.call(chosen, args, (), "mk-term", kind)
