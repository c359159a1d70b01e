"""DIVER's Complicate: a leaf of a new term becomes a new constant, and a formula says that the
constant is in the range of its place.

Kim, So, Oh, ICSE 2023, section III-C. New here: constants of all sorts, with the range that the
backward rules give. The published program asserts a random interval around the value, of numbers
alone.
"""

from __future__ import annotations

from murxpy.logic.terms import CONSTANT, VALUE, Term
from murxpy.mutation.diving.conditions import Conditions
from murxpy.mutation.diving.formulas import Spot
from murxpy.mutation.diving.keeping import Keeping
from murxpy.mutation.diving.places import unknown
from murxpy.mutation.fitting import Fitting
from murxpy.mutation.occurrences import Occurrence, Occurrences, replaced
from murxpy.mutation.pools.fragments import fresh_prefix
from murxpy.mutation.workshop import Workshop
from murxpy.semantics.ranges.abstract import ANY
from murxpy.smtlib.reading.models import declared
from murxpy.smtlib.script import Script


class Complicating:
    """Puts new constants into the mutants of one run."""

    def __init__(
        self,
        workshop: Workshop,
        script: Script,
        keeping: Keeping,
        conditions: Conditions,
        fitting: Fitting,
    ) -> None:
        self._fitting = fitting
        self._stream = workshop.stream
        self._tables = workshop.tables
        self._keeping = keeping
        self._conditions = conditions
        self._leaves = Occurrences(workshop.catalogue, _can_be_new)
        self._prefix = fresh_prefix(script.tables, declared(script), "dive_")
        self._made = 0

    def complicated(self, root: Term, hole: Occurrence, spot: Spot) -> tuple[Term, list[Term], str]:
        """The formula with a new constant in the place of a leaf of the term at an occurrence, what is
        asserted of the constant, and its name. Without a leaf it is the formula itself.
        """
        leaf = self._leaves.draw(hole.term, self._stream)
        if leaf is None:
            return root, [], ""
        path = [position for _, position in (*hole.above, *leaf.above)]
        places, truth = self._keeping.places, self._keeping.wanted(spot)
        wanted = places.at(root, path, truth)
        values = [witness.value(leaf.term) for witness in self._keeping.each()]
        if wanted is not ANY and any(map(unknown, values)):
            return root, [], ""
        self._made += 1
        name = f"{self._prefix}{self._made}"
        constant = self._tables.constant(name, leaf.term.sort)
        for witness, value in zip(self._keeping.each(), values, strict=True):
            if not unknown(value):
                witness.give(constant, value)
        changed = replaced(self._tables, hole, replaced(self._tables, leaf, constant))
        if not self._fitting.fits(changed):
            return root, [], ""
        places.follow(root, changed, path, truth)
        if wanted is ANY:
            return changed, [], name
        condition = self._conditions.of(constant, wanted)
        kept = self._keeping.witness
        if condition is None or kept is None or kept.value(condition) is not True:
            condition = self._tables.apply("OP_EQUAL", constant, leaf.term)
        return changed, [condition], name


def _can_be_new(term: Term) -> int:
    return term.op in (CONSTANT, VALUE) and term.sort.kind not in ("SORT_FUN", "SORT_REGLAN")
