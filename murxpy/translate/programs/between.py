"""The end of a program that shows a formula which the solver finds for others, and which is not what
it should be: an interpolant or an abduct.
"""

from __future__ import annotations

from murxpy.machine.database import Entry
from murxpy.machine.outcomes import Refused
from murxpy.translate.expressions import Code
from murxpy.translate.programs.calls import Calls
from murxpy.translate.programs.claim import Claim
from murxpy.translate.programs.plainest import PLAIN
from murxpy.translate.programs.vocabulary import formulas, said, solved, without_assertions


def interpolant(run: Calls, claim: Claim) -> None:
    """The interpolant is solved anew: together with the negation of what it should follow from, or
    with what it should contradict.
    """
    goal = _goal(run)
    others = [entry for entry in formulas(run) if entry.term is not goal.term]
    made = _found(run, "interpolant", others, _negated(run, goal))
    if "not implied" in claim.message:
        run.sheet.note("The interpolant must follow from the other assertions.")
        solved(run, [*_sources(others), str(_not(run, goal, made))], "sat")
    elif "does not imply" in claim.message:
        run.sheet.note("The interpolant must contradict the last assertion.")
        solved(run, [made, str(goal.obj)], "sat")
    else:
        raise Refused("unsupported", "only its symbols are wrong")


def abduct(run: Calls, claim: Claim) -> None:
    """The abduct is solved anew with the assertions: it must agree with them, and imply the goal."""
    goal, others = _goal(run), formulas(run)
    made = _found(run, "abduct", others, str(goal.obj))
    if "does not imply" in claim.message:
        run.sheet.note("The abduct must imply its goal with the assertions.")
        solved(run, [*_sources(others), made, _negated(run, goal)], "sat")
    else:
        run.sheet.note("The abduct must agree with the assertions.")
        solved(run, [*_sources(others), made], "unsat")


def _goal(run: Calls) -> Entry:
    if not run.asked:
        raise Refused("unsupported", "the line names no formula")
    return run.asked[0]


def _sources(entries: list[Entry]) -> list[str]:
    return [str(entry.obj) for entry in entries]


def _negated(run: Calls, goal: Entry) -> str:
    return str(_not(run, goal, str(goal.obj)))


def _not(run: Calls, goal: Entry, code: str) -> Code:
    return said(run, "operators", ("OP_NOT",), [Code(code)], terms=(goal.term,))


def _found(run: Calls, what: str, others: list[Entry], goal: str) -> str:
    """Ask a solver of its own, which has the assertions `others`, for the formula `what`. Raises
    Refused if the wrapper does not say how a person asks.
    """
    readers = run.wrapper.set("readers", what)
    if readers is None or not any(one.name.startswith(PLAIN) for one in readers.spellings):
        raise Refused("unsupported", f"no plain spelling of {what}")
    run.sheet.forget_statements()
    with without_assertions(run, "finder"):
        option = {"name": f"produce-{what}s", "value": "true"}
        run.sheet.do(said(run, "actions", ("set-option",), (), **option))
        run.sheet.do(*(said(run, "actions", ("assert-formula",), [entry.obj]) for entry in others))
        made = run.sheet.define(said(run, "readers", (what,), [Code(goal)]), what, kept=True)
    run.sheet.do(f"print('the {what} is', {made})")
    return str(made)
