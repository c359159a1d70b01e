"""`check-elimination t`: the result of quantifier elimination is equivalent to the formula.

If our evaluation cannot decide a quantified formula at a point, the solver decides it by two
answers: with the constants fixed to the values of the point, the formula is satisfiable with one
truth value and unsatisfiable with the other. The result is folded at that point.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from murxpy.machine.actions.base import Check, register
from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.random import Stream, mix
from murxpy.machine.run import Run
from murxpy.machine.trace.reading import Reading
from murxpy.machine.witnesses.model import (
    UNDECIDED,
    Claim,
    Model,
    confirmed,
    decided,
    solvable_from_scratch,
    solve_claims,
)
from murxpy.machine.witnesses.points import (
    Point,
    differs_at_a_point,
    draw,
    folded,
    literal,
    literal_constants,
    objects,
)
from murxpy.machine.witnesses.solving import applied, fresh_solver, timed

POINTS = 2  # random points that are tried
EQUAL, DIFFERS = "held", "broken"


def check_elimination(run: Run, entry: Entry, seed: int, spelling: str | None = None) -> None:
    """`check-elimination t`. Raises Stopped if the result is not equivalent to `t`."""
    run.frame.fill(terms=(entry.term,), value=run.state.limit or 0)
    chosen = run.choose(
        run.wrapper.set("readers", "eliminated"), seed, spelling, "check-elimination"
    )
    run.begin(seed, "check-elimination", chosen.name, str(entry))
    verdict = "none"
    with timed(run, "eliminations"):
        made = run.call(chosen, [entry.obj], (), "check-elimination")
        if made is not None and solvable_from_scratch([entry]):
            verdict = DIFFERS if _differs_from_scratch(run, entry, made, seed) else EQUAL
    run.counts[f"check-elimination:{verdict}"] += 1
    if verdict == DIFFERS:
        message = "the formula without quantifiers is not equivalent at a point"
        raise Stopped(
            run.finding(
                "invalid-elimination", "solver", message, "check-elimination", "", chosen.name
            )
        )


def _differs_from_scratch(run: Run, entry: Entry, made: Any, seed: int) -> bool:
    """Whether the two formulas differ, by a fresh solver. The run's own solver is not asked,
    because its later answers could then change.
    """
    with suppress(Refused), fresh_solver(run):
        return _differs(run, entry, made, seed)
    return False


def _differs(run: Run, entry: Entry, made: Any, seed: int) -> bool:
    if differs_at_a_point(run, entry.term, made, (), seed):
        return True
    for value in (True, False):
        shown, point = _in_a_model(
            run, [Claim(entry.obj, entry.term, value), Claim(made, None, not value)]
        )
        if shown or (point is not None and _contradicted(run, entry, made, point)):
            return True
    return any(_contradicted(run, entry, made, point) for point in _random(run, entry, seed))


def _in_a_model(run: Run, wanted: list[Claim]) -> tuple[bool, Point | None]:
    """True if our evaluation confirms a model of the claims. Otherwise the point of that model, or
    None if no point is known.
    """
    terms = [claim.term for claim in wanted if claim.term is not None]
    constants, reader = literal_constants(run, terms), run.wrapper.set("readers", "model")
    with suppress(*UNDECIDED), fresh_solver(run):
        if solve_claims(run, wanted) != "sat" or reader is None:
            return False, None
        with suppress(*UNDECIDED):
            return confirmed(run, wanted), None
        known = Model(run, terms, reader.spellings[0]).interpretation.constants
        if constants is not None and all(constant in known for constant in constants):
            return False, {constant: known[constant] for constant in constants}
    return False, None


def _random(run: Run, entry: Entry, seed: int) -> Iterator[Point]:
    constants = literal_constants(run, [entry.term])
    stream = Stream(mix(seed, 0xE11))
    for _ in range(POINTS if constants else 0):
        yield {constant: draw(constant.sort, stream) for constant in constants or ()}


def _contradicted(run: Run, entry: Entry, made: Any, point: Point) -> bool:
    """Whether the solver itself, by both of its answers, says that the formula does not have the
    value to which it folds `made` at a point.
    """
    there = objects(run)
    with suppress(*UNDECIDED):
        value = bool(folded(run, made, entry.term.sort, point))
        fixed = [
            Claim(
                applied(run, "OP_EQUAL", [there[term], literal(run, term.sort, at)], (term, term)),
                None,
            )
            for term, at in point.items()
        ]
        answers = [
            decided(run, [*fixed, Claim(entry.obj, entry.term, wanted)], [entry])
            for wanted in (value, not value)
        ]
        return answers == ["unsat", "sat"]
    return False


@register("check-elimination")
class CheckElimination(Check):
    """`check-elimination t`."""

    option = "eliminations"
    reader = "eliminated"
    after = ("sat", "unsat")
    place = 10

    def draw(self, gen: Generator) -> bool:
        if "QUANT" in gen.swarm.theories and self.due(gen):
            terms = gen.run.db.terms.values()
            quantified = [
                e for e in terms if e.term.op in ("OP_FORALL", "OP_EXISTS") and not e.term.free
            ]
            if quantified:
                check_elimination(gen.run, gen.stream.choose(quantified), gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        entry = r.boolean(0)
        r.end(1)
        check_elimination(r.run, entry, r.seed, self.spelling(r))
