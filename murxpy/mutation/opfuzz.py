"""OpFuzz: type-aware operator mutation. An operator of the seed becomes a conforming one; what results, solvers must agree on.

Winterer, Zhang, Su, OOPSLA 2020. Beyond it: every theory of `fsm/theories` with its indices, n-ary applications, bodies of quantifiers
and what `let` shares.
"""

from __future__ import annotations

from murxpy.logic.terms import Term
from murxpy.mutation.conforming import Choice, Conforming, integral, lowered
from murxpy.mutation.occurrences import Occurrence, Occurrences, replaced
from murxpy.mutation.patience import decided
from murxpy.mutation.preparing import places, prepared, with_assertion
from murxpy.mutation.workshop import Mutant, Mutants, Workshop
from murxpy.smtlib.script import Script


def mutants(workshop: Workshop) -> Mutants:
    """A chain: each mutant has `mutations` (1 by default) operators changed in the last one before it that was decided."""
    script = workshop.script()
    if script is None:
        return
    decidable = prepared(script)
    mutator = _Mutator(workshop)
    while True:
        script, steps = decidable, []
        for _ in range(int(workshop.choices.get("mutations", 1))):
            changed = mutator.mutate(script)
            if changed is None:
                break
            script, step = changed
            steps.append(step)
        if not steps:
            return
        if decided((yield Mutant(script, tuple(steps)))):
            decidable = script


class _Mutator:
    """Changes one operator of a script at a time."""

    def __init__(self, workshop: Workshop) -> None:
        self._tables = workshop.tables
        self._stream = workshop.stream
        self._conforming = workshop.shop.lasting(Conforming)
        self._occurrences = Occurrences(workshop.catalogue, self._can_change)
        self._known: dict[tuple[object, ...], tuple[Choice, ...]] = {}

    def _can_change(self, term: Term) -> bool:
        return bool(term.args) and bool(self._choices(term))

    def _choices(self, term: Term) -> tuple[Choice, ...]:
        """Kept by what they depend on: operator, indices, sorts, and which arguments stand for integers."""
        key = (term.op, term.indices, term.sort, *[arg.sort if arg.sort.kind != "SORT_REAL" else integral(arg) for arg in term.args])
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._conforming.choices(term, self._tables.checker)
        return found

    def mutate(self, script: Script) -> tuple[Script, str] | None:
        """The script with one operator changed, and what was done; None where no operator can be."""
        asserted = script.assertions()
        counts = [self._occurrences.count(term) for term in asserted]
        if not any(counts):
            return None
        at = self._stream.below(sum(counts))
        for place, term, count in zip(places(script), asserted, counts, strict=True):
            if at < count:
                occurrence = self._occurrences.draw(term, self._stream)
                assert occurrence is not None
                new, step = self._change(occurrence)
                return with_assertion(script, place, replaced(self._tables, occurrence, new)), step
            at -= count
        raise AssertionError("the counts are of these assertions")

    def _change(self, occurrence: Occurrence) -> tuple[Term, str]:
        term = occurrence.term
        kind, indices, cast = self._stream.choose(self._choices(term))
        tables, args = self._tables, term.args
        if cast == "up":
            args = tuple([tables.apply("OP_INT_TO_REAL", arg) if arg.sort is tables.int else arg for arg in args])
        elif cast == "down":
            args = tuple([lowered(tables, arg) for arg in args])
        wanted = term.sort if tables.catalogue.operators[kind].signature.as_sort else None
        new = tables.apply(kind, *args, indices=indices, wanted=wanted)
        if cast == "down" and term.sort is tables.real:
            new = tables.apply("OP_INT_TO_REAL", new)
        return new, f"opfuzz: {term.op} to {kind}, depth {len(occurrence.above)}{cast and f', cast {cast}'}"
