"""OpFuzz, type-aware operator mutation: an operator of the seed becomes a conforming one, and
solvers must agree on the result.

Winterer, Zhang, Su, OOPSLA 2020. New here: every theory of `fsm/theories` with its indices,
applications to more than two arguments, the bodies of quantifiers, and terms that `let` shares.
"""

from __future__ import annotations

from murxpy.logic.terms import Term
from murxpy.logic.walks import subterms
from murxpy.machine.random import Weighted
from murxpy.smtlib.script import Script
from murxpy.sources.mutation.conforming import Choice, Conforming, integral, lowered
from murxpy.sources.mutation.entry import DROP_OPTIONS, Entry, Setting
from murxpy.sources.mutation.occurrences import Occurrence, Occurrences, replaced
from murxpy.sources.mutation.options import decided
from murxpy.sources.mutation.preparing import places, prepared_seed, with_assertion
from murxpy.sources.mutation.terms import Fitting, likelihood
from murxpy.sources.mutation.workshop import Mutant, Mutants, MutationSession, Seed, Workshop

TRIES = 20  # how many changes are tried to get a mutant that the solver takes
# The weight of an operator that needs a cast. The chance is low because casts can be changed, too,
# and would accumulate.
_CAST = 0.25
_OF_THEORIES = 3  # how much more often a term is drawn if an operator of a theory can change it


def mutants(workshop: Workshop) -> Mutants:
    """A chain of mutants. Each has `mutations` operators (by default 1) changed in the last mutant
    before it that was decided.
    """
    script = workshop.script()
    if script is None:
        return
    decidable = prepared_seed(workshop, script)
    mutator = _Mutator(workshop, decidable)
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


def lacks(shop: MutationSession, script: Script, seed: Seed) -> str:
    """Return why no operator of a seed can be changed; empty if one can."""
    conforming, checker = shop.lasting(Conforming), script.tables.checker
    known = shop.catalogue.operators
    for term in subterms(script.assertions()):
        if term.args and term.op in known and conforming.choices(term, checker):
            return ""
    return "no operator can be replaced by another one"


class _Mutator:
    """Changes one operator of a script at a time."""

    def __init__(self, workshop: Workshop, script: Script) -> None:
        self._fitting = Fitting(workshop.shop, script.assertions())
        self._tables = workshop.tables
        self._stream = workshop.stream
        self._conforming = workshop.shop.lasting(Conforming)
        self._occurrences = Occurrences(workshop.catalogue, self._weight)
        self._known: dict[tuple[object, ...], tuple[Weighted[Choice], int]] = {}

    def _weight(self, term: Term) -> int:
        return self._choices(term)[1] if term.args else 0

    def _choices(self, term: Term) -> tuple[Weighted[Choice], int]:
        """The operators that can replace that of a term, and the weight of the term, which is
        larger if one of them belongs to a theory. The result is remembered by everything that it
        depends on: operator, indices, sorts, and which arguments stand for integers.
        """
        key = (
            term.op,
            term.indices,
            term.sort,
            *[arg.sort if arg.sort.kind != "SORT_REAL" else integral(arg) for arg in term.args],
        )
        found = self._known.get(key)
        if found is None:
            operators = self._tables.catalogue.operators
            choices = self._conforming.choices(term, self._tables.checker)
            pairs = [
                (choice, likelihood(operators[choice[0]]) * (_CAST if choice[2] else 1))
                for choice in choices
            ]
            often = _OF_THEORIES if any(weight >= 1 for _, weight in pairs) else 1
            found = self._known[key] = Weighted(pairs), often if pairs else 0
        return found

    def mutate(self, script: Script) -> tuple[Script, str] | None:
        """The script with one operator changed, and a description of the change; None if no
        operator can be changed.
        """
        asserted = script.assertions()
        counts = [self._occurrences.count(term) for term in asserted]
        drawable = Weighted(
            list(zip(zip(places(script), asserted, strict=True), counts, strict=True))
        )
        for _ in range(TRIES if any(counts) else 0):
            place, root = self._stream.weighted(drawable)
            occurrence = self._occurrences.draw(root, self._stream)
            assert occurrence is not None
            new, step = self._change(occurrence)
            changed = replaced(self._tables, occurrence, new)
            if self._fitting.fits(changed):
                return with_assertion(script, place, changed), step
        return None

    def _change(self, occurrence: Occurrence) -> tuple[Term, str]:
        term = occurrence.term
        kind, indices, cast = self._stream.weighted(self._choices(term)[0])
        tables, args = self._tables, term.args
        if cast == "up":
            args = tuple(
                [
                    tables.apply("OP_INT_TO_REAL", arg) if arg.sort is tables.int else arg
                    for arg in args
                ]
            )
        elif cast == "down":
            args = tuple([lowered(tables, arg) for arg in args])
        wanted = term.sort if tables.catalogue.operators[kind].signature.as_sort else None
        new = tables.apply(kind, *args, indices=indices, wanted=wanted)
        if cast == "down" and term.sort is tables.real:
            new = tables.apply("OP_INT_TO_REAL", new)
        return (
            new,
            f"opfuzz: {term.op} to {kind}, depth {len(occurrence.above)}{cast and f', cast {cast}'}",
        )


ENTRY = Entry(
    "opfuzz",
    "Fuzz with SMT-LIB scripts whose operators are changed.",
    "Fuzz with scripts whose operators are changed into conforming ones.\n\n"
    "SEEDS are SMT-LIB scripts and folders of them. Nothing is known of what a mutant must answer: "
    "give --cross-check another solver, or look for crashes alone.",
    mutants,
    lacks=lacks,
    chained=True,
    settings=(
        DROP_OPTIONS,
        Setting(
            "mutations",
            "Operators changed from one mutant to the next.",
            "number",
            least=1,
            most=1000,
            default=1,
        ),
    ),
)
