"""The same assertions in another form: with other spellings of their terms, in another logic, or in
a copy of the solver.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

from murxpy.logic.terms import CONSTANT, SPECIAL, VALUE, VARIABLE, Term, subterms
from murxpy.machine.database import Entry
from murxpy.machine.logics import logic_name, used_theories
from murxpy.machine.make import bound_variables
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.random import mix, point
from murxpy.machine.run import Run
from murxpy.machine.witnesses.anew import call_first, set_limit, solve_anew
from murxpy.solvers.contract import BROKEN
from murxpy.solvers.spelling import Spelling, SpellingSet


def respelled(run: Run, entries: Sequence[Entry], seed: int) -> list[Entry]:
    """The same formulas, with their literals and applications made again by other spellings. The
    line's seed chooses one spelling for each operator.

    Constants and variables stay the same objects. Raises Refused if one of them was dropped, or if
    there is a match.
    """
    there: dict[Term, Any] = {
        entry.term: entry.obj for entry in run.db.terms.values() if entry.obj is not None
    }
    made: dict[Term, Any] = {}
    for term in sorted(subterms(entry.term for entry in entries), key=lambda term: term.serial):
        made[term] = (
            _leaf(run, term, there, seed) if term.leaf else _application(run, term, made, seed)
        )
    return [
        Entry(entry.id, entry.term, made[entry.term], entry.level, entry.pushed)
        for entry in entries
    ]


def _leaf(run: Run, term: Term, there: dict[Term, Any], seed: int) -> Any:
    if term.op in (CONSTANT, VARIABLE):
        if term not in there:
            raise Refused("unsupported", "an object is deleted")
        return there[term]
    run.frame.fill(result=term.sort, value=term.indices[0])
    if term.op == SPECIAL:
        chosen = _chosen(run, run.wrapper.set("special-values", term.indices[0]), term, seed)
        return run.call(chosen, (), (), "mk-special-value")
    return run.call(
        _chosen(run, run.wrapper.set("values", term.sort.kind), term, seed), (), (), "mk-value"
    )


def _application(run: Run, term: Term, made: dict[Term, Any], seed: int) -> Any:
    operator = run.catalogue.operators.get(term.op)
    if operator is None or (operator.typing or "").startswith("match"):
        raise Refused("unsupported", f"no other spelling of {term.op}")
    run.frame.fill(
        term.args, term.indices, term.sort, "", None, bound_variables(operator, len(term.args))
    )
    chosen = _chosen(run, run.wrapper.set("operators", term.op), term, seed)
    return run.call(chosen, [made[arg] for arg in term.args], term.indices, "mk-term", term.op)


def _chosen(run: Run, spellings: SpellingSet | None, term: Term, seed: int) -> Spelling:
    key = f"{term.op} {term.sort.kind}" if term.op in (VALUE, SPECIAL) else term.op
    chosen = (
        None
        if spellings is None
        else spellings.pick(point(mix(seed, crc32(key.encode()))), run.frame)
    )
    if chosen is None:
        raise Refused("unsupported", f"no spelling of {term.op}")
    return chosen


def other_logic(run: Run, entries: Sequence[Entry]) -> str:
    """ALL if the run has a smaller logic; otherwise the smallest logic with all theories of the
    formulas. Raises Refused if there is none.
    """
    if run.state.logic not in (None, "ALL"):
        return "ALL"
    used = used_theories(run.catalogue, subterms(entry.term for entry in entries))
    # the sorts of fields are not among the sorts of the formulas
    name = "ALL" if "DT" in used else logic_name(used, linear=False)
    if name == "ALL":
        raise Refused("unsupported", "no logic but ALL")
    return name


def in_other_logic(run: Run, entries: Sequence[Entry]) -> str:
    """The answer of a solver with the other logic. Call it inside `fresh_solver`."""
    call_first(run, "set-logic", (), value=other_logic(run, entries))
    return solve_anew(run, entries)


def duplicated(name: str, how: Callable[[Any], Any]) -> Callable[[Run, Sequence[Entry]], str]:
    """The answer of a copy of a solver that has the assertions. Call it inside `fresh_solver`."""

    def solve(run: Run, entries: Sequence[Entry]) -> str:
        for entry in entries:
            call_first(run, "assert-formula", (entry.obj,), terms=(entry.term,))
        run.frame.solver = promised(run, name, lambda: how(run.frame.solver))
        set_limit(run)
        return str(call_first(run, "check-sat", ()))

    return solve


def promised(run: Run, name: str, call: Callable[[], Any]) -> Any:
    """The result of a call of Python's own. Raises Refused for an exception that the binding
    documents, and Stopped for any other.
    """
    try:
        return call()
    except Exception as error:  # whatever a binding throws is an outcome
        thrown = run.wrapper.contract.judge(error, run.wrapper.refusals)
        error.__traceback__ = None
    if thrown.sort == BROKEN:
        message = f"{thrown.text} in {thrown.place}" if thrown.place else thrown.text
        raise Stopped(run.finding("contract", "binding", message, "check-invariant", "", name))
    raise Refused("unsupported", thrown.text)


COPIED, DEEP_COPIED = duplicated("copied", copy.copy), duplicated("deep-copied", copy.deepcopy)
