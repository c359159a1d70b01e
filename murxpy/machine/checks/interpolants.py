"""`check-interpolant` and `check-abduct`: the formulas that the solver finds between other formulas
have the properties that define them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from murxpy.logic.terms import CONSTANT, Term
from murxpy.logic.walks import subterms
from murxpy.machine.actions.base import Check, register
from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.trace.reading import Reading
from murxpy.machine.witnesses.model import (
    REFUTED,
    Claim,
    claims,
    decided,
    refute,
    solvable_from_scratch,
)
from murxpy.machine.witnesses.points import objects
from murxpy.machine.witnesses.solving import applied, timed
from murxpy.solvers.spelling import Spelling


def check_interpolant(run: Run, entry: Entry, seed: int, spelling: str | None = None) -> None:
    """`check-interpolant t`: a formula between the other assertions and assumptions and the
    negation of `t`, which they imply.

    The interpolant follows from the assertions, contradicts `t`, and contains only symbols that
    both sides have. Raises Stopped if one of these three does not hold.
    """
    others = [other for other in _formulas(run) if other is not entry]
    chosen = _begin(run, "interpolant", entry, seed, spelling)
    with timed(run, "interpolants"):
        goal = applied(run, "OP_NOT", [entry.obj], (entry.term,))
        made = _made(run, "interpolant", chosen, [goal, *(other.obj for other in others)])
        fault = None if made is None else _interpolant_fault(run, made, entry, others)
    _conclude(run, "interpolant", made, fault, chosen)


def _interpolant_fault(run: Run, made: Any, entry: Entry, others: Sequence[Entry]) -> str | None:
    # an interpolant may have a defined function, or what its definition has
    known = solvable_from_scratch([entry, *others])
    if known and _foreign(run, made, [other.term for other in others], entry.term):
        return "has a symbol that the two sides do not share"
    entries = [entry, *others]
    if refute(run, [*claims(others), Claim(made, None, False)], entries) == REFUTED:
        return "is not implied by the assertions"
    return (
        "does not imply its goal"
        if refute(run, [Claim(made, None), *claims([entry])], entries) == REFUTED
        else None
    )


def _foreign(run: Run, made: Any, left: Sequence[Term], right: Term) -> bool:
    """Whether `made` contains a symbol that is not a constant or function of both sides."""
    reader = run.wrapper.set("readers", "symbols")
    there = objects(run)
    first, second = (
        [term for term in subterms(side) if term.op == CONSTANT] for side in (left, [right])
    )
    if reader is None or any(term not in there for term in (*first, *second)):
        return False
    run.frame.fill()
    places = run.call(
        reader.spellings[0], (made, *(there[term] for term in first)), (), "check-interpolant"
    )
    return any(
        isinstance(place, str) or (place is not None and first[place] not in second)
        for place in places
    )


def check_abduct(run: Run, entry: Entry, seed: int, spelling: str | None = None) -> None:
    """`check-abduct t`: the abduct agrees with the assertions and assumptions, and together with
    them implies `t`. Raises Stopped if it does not.
    """
    others = _formulas(run)
    chosen = _begin(run, "abduct", entry, seed, spelling)
    with timed(run, "abducts"):
        made = _made(run, "abduct", chosen, [entry.obj, *(other.obj for other in others)])
        fault = None if made is None else _abduct_fault(run, made, entry, others)
    _conclude(run, "abduct", made, fault, chosen)


def _abduct_fault(run: Run, made: Any, entry: Entry, others: Sequence[Entry]) -> str | None:
    if (
        refute(run, [*claims(others), Claim(made, None), *claims([entry], False)], [entry, *others])
        == REFUTED
    ):
        return "does not imply its goal with the assertions"
    if decided(run, [*claims(others), Claim(made, None)], others) == "unsat":
        return "contradicts the assertions"
    return None


def _formulas(run: Run) -> list[Entry]:
    if run.state.altered:
        raise Refused("unsupported", "the solver has assertions that are not ours")
    return list(dict.fromkeys([*run.state.asserted(), *run.state.assumptions]))


def _begin(run: Run, what: str, entry: Entry, seed: int, spelling: str | None) -> Spelling:
    run.frame.fill()
    chosen = run.choose(run.wrapper.set("readers", what), seed, spelling, f"check-{what}")
    run.begin(seed, f"check-{what}", chosen.name, str(entry))
    return chosen


def _made(run: Run, what: str, chosen: Spelling, args: Sequence[Any]) -> Any:
    """The formula that the solver finds; None if it finds none."""
    run.frame.fill(value=run.state.limit or 0)
    return run.call(chosen, args, (), f"check-{what}")


def _conclude(run: Run, what: str, made: Any, fault: str | None, chosen: Spelling) -> None:
    run.counts[f"check-{what}:{'none' if made is None else 'broken' if fault else 'held'}"] += 1
    if fault is not None:
        raise Stopped(
            run.finding(
                f"invalid-{what}", "solver", f"the {what} {fault}", f"check-{what}", "", chosen.name
            )
        )


@register("check-interpolant")
class CheckInterpolant(Check):
    """`check-interpolant t`."""

    option = "interpolants"
    reader = "interpolant"
    after = ("unsat",)
    place = 6

    def draw(self, gen: Generator) -> bool:
        run = gen.run
        formulas = list(dict.fromkeys([*run.state.asserted(), *run.state.assumptions]))
        if len(formulas) > 1 and self.due(gen):
            check_interpolant(run, gen.stream.choose(formulas), run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        entry = r.boolean(0)
        r.end(1)
        state = r.run.state
        there = entry in (*state.asserted(), *state.assumptions)
        r.require(
            state.answer == "unsat" and there,
            f"no two sides: the last answer is {state.answer}, or {entry} has no part in it",
        )
        check_interpolant(r.run, entry, r.seed, self.spelling(r))


@register("check-abduct")
class CheckAbduct(Check):
    """`check-abduct t`."""

    option = "abducts"
    default = False
    reader = "abduct"
    after = ("sat",)
    place = 8

    def draw(self, gen: Generator) -> bool:
        run = gen.run
        if self.due(gen):
            goal = run.db.pick(run.sorts.get("SORT_BOOL"), gen.stream, 0.3, closed=True)
            if goal is not None and goal not in (*run.state.asserted(), *run.state.assumptions):
                check_abduct(run, goal, run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        entry = r.boolean(0)
        r.end(1)
        answer = r.run.state.answer
        r.require(answer == "sat", f"nothing to extend: the last answer is {answer}")
        check_abduct(r.run, entry, r.seed, self.spelling(r))
