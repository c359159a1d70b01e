"""The two pools of STORM: the fragments of a seed, and the formulas that are built of them, each with
its truth in one assignment.

Mansur et al., FSE 2020, algorithm 1 and section 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from murxpy.logic.terms import Term
from murxpy.machine.random import Stream
from murxpy.mutation.pools.assignments import Assignment, best
from murxpy.mutation.pools.fragments import (
    QUANTIFIERS,
    Depths,
    fragments,
    fresh_prefix,
    opened,
)
from murxpy.mutation.pools.questions import answered
from murxpy.mutation.workshop import Workshop
from murxpy.smtlib.reading.models import Model, declared
from murxpy.smtlib.script import Script
from murxpy.smtlib.tables import Tables

MOST_DEPTH = 64
MOST_FRAGMENTS = 2000  # more are sampled
MOST_OPENED = 64  # quantified formulas whose bodies are opened, at most
INITIAL = 0.3  # the chance of a fragment rather than a constructed formula
AND = 0.5  # the chance of a conjunction rather than a negation
TRIES = 8  # tries to build a formula within the bound of depth, for each that is wanted
# the other connectives, and the chance of one of them in place of a conjunction, with the switch
MORE = ("OP_OR", "OP_IMPLIES", "OP_XOR")
MORE_CHANCE = 0.5

Known = tuple[Term, bool]


def known_fragments(
    workshop: Workshop, script: Script, models: Sequence[Model], most_depth: int
) -> dict[Term, bool]:
    """The fragments of a script up to a depth, with their truth in one assignment. A fragment whose
    truth cannot be said is left out; of a quantified formula the body then serves, with constants
    for its variables.
    """
    depths = Depths(workshop.catalogue)
    found = [
        term
        for term in fragments(workshop.catalogue, script.assertions())
        if depths.of(term) <= most_depth
    ]
    if len(found) > MOST_FRAGMENTS:
        found = workshop.stream.sample(found, MOST_FRAGMENTS)
        found.sort(key=lambda term: term.serial)
    assignment = best(workshop, script, found, models)
    if assignment is None:
        return {}
    if models:  # a solver that does not decide the seed takes long for its formulas, too
        unknown = [term for term in found if term not in assignment.truths]
        assignment.truths.update(answered(workshop, script, unknown))
    _open(workshop, script, assignment, found, depths, most_depth)
    return assignment.truths


def _open(
    workshop: Workshop,
    script: Script,
    assignment: Assignment,
    found: Sequence[Term],
    depths: Depths,
    most_depth: int,
) -> None:
    """Judge the bodies of quantified formulas whose truth is not known, with new constants for their
    variables. The constants have values of their own, so the assignment stays one.
    """
    fresh = fresh_prefix(script.tables, declared(script))
    unknown = [term for term in found if _undecided(assignment, term)]
    seen = dict.fromkeys(unknown)
    for _ in range(MOST_OPENED):
        if not unknown or len(assignment.truths) >= MOST_FRAGMENTS:
            return
        body, constants = opened(script.tables, unknown.pop(0), fresh)
        for constant in constants:
            assignment.give(constant)
        inner = fragments(workshop.catalogue, [body])
        assignment.judge(term for term in inner if depths.of(term) <= most_depth)
        more = [term for term in inner if term not in seen and _undecided(assignment, term)]
        seen.update(dict.fromkeys(more))
        unknown += more


def _undecided(assignment: Assignment, term: Term) -> bool:
    return term.op in QUANTIFIERS and term not in assignment.truths


class Pools:
    """Fragments and constructed formulas, each with its truth, none deeper than `most_depth`. With
    `more`, formulas are also built by disjunction, implication and exclusive disjunction.
    """

    def __init__(
        self,
        stream: Stream,
        tables: Tables,
        initial: Mapping[Term, bool],
        most_depth: int,
        more: bool = False,
    ) -> None:
        self._stream = stream
        self._tables = tables
        self._depths = Depths(tables.catalogue)
        self._most_depth = most_depth
        self._more = more
        self.initial: list[Known] = list(initial.items())
        self.constructed: list[Known] = []
        self._sure = next((term for known in self.initial if (term := self._true(known))), None)

    @property
    def empty(self) -> bool:
        """Whether no formula can be asserted."""
        return self._sure is None

    def construct(self, count: int) -> None:
        """Build this number of formulas, or fewer if most would be too deep."""
        for _ in range(TRIES * count):
            if len(self.constructed) >= count:
                return
            built = self._built()
            if self._depths.of(built[0]) <= self._most_depth:
                self.constructed.append(built)

    def draw(self) -> Known:
        """A formula of either pool."""
        fragment = not self.constructed or self._stream.chance(INITIAL)
        return self._stream.choose(self.initial if fragment else self.constructed)

    def _built(self) -> Known:
        first, truth = self.draw()
        if not self._stream.chance(AND):
            return self._tables.apply("OP_NOT", first), not truth
        second, other = self.draw()
        kind = "OP_AND"
        if self._more and self._stream.chance(MORE_CHANCE):
            kind = self._stream.choose(MORE)
        return self._tables.apply(kind, first, second), _MEANING[kind](truth, other)

    def asserted(self) -> Term:
        """A formula that is true in the assignment: one of the pools, or the negation of a false
        one. The pools must not be empty.
        """
        for _ in range(TRIES):
            term = self._true(self.draw())
            if term is not None:
                return term
        assert self._sure is not None
        return self._sure

    def _true(self, known: Known) -> Term | None:
        """The formula, or its negation if it is false; None if that would be too deep."""
        term, truth = known
        if truth:
            return term
        if self._depths.of(term) < self._most_depth:
            return self._tables.apply("OP_NOT", term)
        return term.args[0] if term.op == "OP_NOT" else None


_MEANING: dict[str, Any] = {
    "OP_AND": lambda first, second: first and second,
    "OP_OR": lambda first, second: first or second,
    "OP_IMPLIES": lambda first, second: second or not first,
    "OP_XOR": lambda first, second: first is not second,
}
