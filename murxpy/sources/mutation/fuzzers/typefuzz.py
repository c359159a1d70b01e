"""TypeFuzz, generative type-aware mutation: an expression of the seed is replaced by another one of
its sort, made of the seed's own terms.

Park, Winterer, Zhang, Su: "Generative type-aware mutation for testing SMT solvers", OOPSLA 2021.
This module, unlike the program of the paper, keeps local compatibility (a new expression uses only
variables that are in scope), always changes the expression, and bounds the growth.

New here: literals stand in where the seed has no term of a width, and every operator can occur. In
the place of a formula, a term with the operator is compared with another term; elsewhere such a
formula is the condition of an `ite` that keeps the old term. Operators that few scripts can have
are drawn more often.
"""

from __future__ import annotations

from murxpy.smtlib.script import Script
from murxpy.sources.mutation.entry import DROP_OPTIONS, Entry, Setting
from murxpy.sources.mutation.occurrences import Occurrence, Occurrences, in_scope, replaced
from murxpy.sources.mutation.options import decided
from murxpy.sources.mutation.preparing import places, prepared_seed, with_assertion
from murxpy.sources.mutation.terms import Expressions, Fitting, Scope
from murxpy.sources.mutation.workshop import Mutant, Mutants, Workshop

TRIES = 20  # places that are tried for one mutant
GROWTH = 4  # how many times as large as the seed a mutant may be, in occurrences of terms
# The weight with which terms of a sort are drawn for replacement; it is 1 for other sorts. Functions
# are never replaced. Scripts have few regular expressions, so they are drawn more often.
_HOLES = {"SORT_FUN": 0, "SORT_REGLAN": 8}


def mutants(workshop: Workshop) -> Mutants:
    """A chain of mutants. Each has one more expression replaced than the last mutant before it that
    was decided.
    """
    script = workshop.script()
    if script is None:
        return
    script = prepared_seed(workshop, script)
    mutator = _Mutator(workshop, script)
    while (changed := mutator.mutate(script)) is not None:
        if decided((yield Mutant(changed[0], (changed[1],)))):
            script = changed[0]


class _Mutator:
    """Replaces one expression of a script at a time."""

    def __init__(self, workshop: Workshop, script: Script) -> None:
        self._tables = workshop.tables
        self._stream = workshop.stream
        self._occurrences = Occurrences(
            workshop.catalogue, lambda term: _HOLES.get(term.sort.kind, 1)
        )
        roots = script.assertions()
        self._expressions = Expressions(workshop, script)
        self._fitting = Fitting(workshop.shop, roots)
        self._most = GROWTH * sum(map(self._occurrences.count, roots)) + 50

    def mutate(self, script: Script) -> tuple[Script, str] | None:
        """The script with one expression replaced, and a description of the change; None if no draw
        fits.
        """
        asserted = script.assertions()
        sizes = [self._occurrences.count(term) for term in asserted]
        if not sum(sizes):
            return None
        for _ in range(TRIES):
            place, root = self._stream.choose(list(zip(places(script), asserted, strict=True)))
            hole = self._occurrences.draw(root, self._stream)
            new = None if hole is None else self._expressions.instead(hole.term, self._scope(hole))
            if hole is None or new is None or new[0] is hole.term:
                continue
            changed = replaced(self._tables, hole, new[0])
            size = sum(sizes) - self._occurrences.count(root) + self._occurrences.count(changed)
            if size <= self._most and self._fitting.fits(changed):
                return with_assertion(
                    script, place, changed
                ), f"typefuzz: {hole.term.op} to {new[1]}, depth {len(hole.above)}"
        return None

    def _scope(self, hole: Occurrence) -> Scope:
        return dict.fromkeys(in_scope(self._tables.catalogue, hole))


ENTRY = Entry(
    "typefuzz",
    "Fuzz with SMT-LIB scripts whose expressions are replaced.",
    "Fuzz with scripts whose expressions are replaced by new ones of their sort.\n\n"
    "SEEDS are SMT-LIB scripts and folders of them; a new expression is made of the seed's own "
    "terms. Nothing is known of what a mutant must answer: give --cross-check another solver, or "
    "look for crashes alone.",
    mutants,
    chained=True,
    settings=(
        DROP_OPTIONS,
        Setting(
            "corpus",
            "Also take N terms of each sort from all seeds, redrawn for each run.",
            "number",
            least=0,
            most=1_000_000,
            default=0,
            metavar="N",
        ),
    ),
)
