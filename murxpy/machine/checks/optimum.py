"""`check-optimum`: no model is better, by the objectives of an optimizer, than the one that it gives.

The objectives count one after the other: a model is better if one of them is better and those before it
have the same values. The optimizer's value of an objective is its value in the optimizer's model, by our
evaluation; it must lie between the bounds that the optimizer gives. A plain solver then looks for a
better model, which is a finding only if our evaluation confirms it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import VALUE, Term
from murxpy.machine.actions.base import Check, register
from murxpy.machine.checks.assertions import needs_model
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import Stopped
from murxpy.machine.run import Run
from murxpy.machine.state import SOFT, Objective
from murxpy.machine.trace.reading import Reading
from murxpy.machine.witnesses.model import (
    REFUTED,
    UNDECIDED,
    Claim,
    Model,
    claims,
    refute,
    unjudged,
)
from murxpy.machine.witnesses.points import literal
from murxpy.machine.witnesses.solving import applied, timed
from murxpy.semantics.values import Value
from murxpy.solvers.spelling import Spelling

KIND = "invalid-optimum"
LESS = {"SORT_INT": "OP_INT_LT", "SORT_REAL": "OP_REAL_LT"}


@dataclass(frozen=True)
class Said:
    """A term and the solver's object of it."""

    obj: Any
    term: Term


@dataclass(frozen=True)
class Aim:
    """An objective as a term whose value is to be small, or to be large; `at` is the place of the
    optimizer's objective.
    """

    at: int
    goal: str
    said: Said


class Speaker:
    """Makes terms of a run together with their objects, without lines in the trace. Raises Refused
    where the wrapper has no spelling of a term.
    """

    def __init__(self, run: Run) -> None:
        self.run = run

    def apply(self, kind: str, *parts: Said) -> Said:
        """An application of an operator."""
        terms = tuple(part.term for part in parts)
        obj = applied(self.run, kind, [part.obj for part in parts], terms)
        sorts = tuple(term.sort for term in terms)
        operator = self.run.catalogue.operators[kind]
        sort = self.run.checker.result(operator, sorts, (), None)
        return Said(obj, self.run.terms.apply(kind, terms, (), sort))

    def value(self, sort: Sort, value: Value) -> Said:
        """A literal."""
        return Said(literal(self.run, sort, value), self.run.terms.leaf(VALUE, (value,), sort))

    def cost(self, formulas: Sequence[Objective]) -> Said:
        """The sum of the costs of soft formulas."""
        real = self.run.sorts.get("SORT_REAL")
        parts = [
            self.apply(
                "OP_ITE",
                Said(one.entry.obj, one.entry.term),
                self.value(real, 0 * one.weight),
                self.value(real, one.weight),
            )
            for one in formulas
        ]
        total = parts[0]
        for part in parts[1:]:
            total = self.apply("OP_REAL_ADD", total, part)
        return total


def ordered(objectives: Sequence[Objective]) -> list[list[Objective]]:
    """The objectives in the order in which they count: soft formulas of one group are one, which
    stands where the first of them was added.
    """
    found: dict[tuple[str, int | str], list[Objective]] = {}
    for at, objective in enumerate(objectives):
        key = ("soft", objective.group) if objective.goal == SOFT else ("number", at)
        found.setdefault(key, []).append(objective)
    return list(found.values())


def aims(run: Run, objectives: Sequence[Objective]) -> list[Aim]:
    """The objectives as terms, in the order in which they count. Raises Refused."""
    speaker, found = Speaker(run), []
    for at, group in enumerate(ordered(objectives)):
        first = group[0]
        if first.goal == SOFT:
            found.append(Aim(at, "minimize", speaker.cost(group)))
        else:
            found.append(Aim(at, first.goal, Said(first.entry.obj, first.entry.term)))
    return found


def better(run: Run, aim: Aim, value: Value) -> Said:
    """The formula that an objective has a better value than this one. Raises Refused."""
    speaker = Speaker(run)
    there = speaker.value(aim.said.term.sort, value)
    pair = (aim.said, there) if aim.goal == "minimize" else (there, aim.said)
    return speaker.apply(LESS[aim.said.term.sort.kind], *pair)


def check_optimum(run: Run, seed: int, spelling: str | None = None) -> None:
    """`check-optimum`. Raises Stopped if there is a better model, or if the value of an objective is
    not between its bounds.
    """
    run.frame.fill()
    chosen = run.choose(run.wrapper.set("readers", "bounds"), seed, spelling, "check-optimum")
    run.begin(seed, "check-optimum", chosen.name, "")
    run.meter.model_read()
    fault, verdict = "", "cannot-say"
    with timed(run, "optima"), suppress(*UNDECIDED):
        fault = _fault(run, chosen)
        verdict = "broken" if fault else "held"
    run.counts[f"check-optimum:{verdict}"] += 1
    if fault:
        raise Stopped(run.finding(KIND, "solver", fault, "check-optimum", "", chosen.name))


def _fault(run: Run, chosen: Spelling) -> str:
    """What is wrong with the optimum; empty if nothing is known to be wrong. Raises Refused,
    CannotSay, Unreadable.
    """
    found = aims(run, run.state.pursued())
    terms = [aim.said.term for aim in found]
    entries = list(dict.fromkeys([*run.state.asserted(), *run.state.assumptions]))
    reader = run.wrapper.set("readers", "model")
    if reader is None or any(unjudged(run, term) for term in terms):
        return ""
    model = Model(run, terms, reader.spellings[0])
    held = claims(entries)
    for aim in found:
        value = model.evaluator.value(aim.said.term)
        low, high = _bounds(run, chosen, aim)
        if low is None or high is None:
            return ""  # what follows an objective without an optimum is not promised
        if not isinstance(value, (int, Fraction)):
            return ""  # an irrational number has no literal
        if aim.said.term.sort.kind in LESS:
            if not low <= value <= high:
                return f"objective {aim.at + 1} ({aim.goal}) has a value beyond its bounds"
            claim = better(run, aim, value)
            if refute(run, [*held, Claim(claim.obj, claim.term)], entries) == REFUTED:
                return f"objective {aim.at + 1} ({aim.goal}) has a better value in another model"
        same = Speaker(run)
        equal = same.apply("OP_EQUAL", aim.said, same.value(aim.said.term.sort, value))
        held = [*held, Claim(equal.obj, equal.term)]
    return ""


def _bounds(run: Run, chosen: Spelling, aim: Aim) -> tuple[Fraction | None, Fraction | None]:
    """The bounds of an objective; None for one that is infinite, or that no model attains."""
    run.frame.fill()
    low, high = run.call(chosen, (aim.at,), (), "check-optimum")
    return (
        None if low is None else Fraction(*low),
        None if high is None else Fraction(*high),
    )


@register("check-optimum")
class CheckOptimum(Check):
    """`check-optimum`."""

    option = "optima"
    reader = "bounds"
    after = ("sat",)
    place = 13

    def draw(self, gen: Generator) -> bool:
        state = gen.run.state
        if state.pursued() and state.models and self.due(gen):
            check_optimum(gen.run, gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        r.end(0)
        needs_model(r)
        r.require(bool(r.run.state.pursued()), "there is no objective")
        check_optimum(r.run, r.seed, self.spelling(r))
