"""DIVER: mutants that are satisfiable by construction. One term is replaced by another one, so that
a model of the seed stays a model.

Kim, So, Oh: "DIVER: oracle-guided SMT solver testing with unrestricted random mutations", ICSE 2023.
Backward rules (`murxpy/semantics/ranges`) give the range in which the value of each term must stay,
and the weight with which the term is drawn. Our exact evaluator decides whether a mutant keeps the
model, never the solver under test.
"""

from __future__ import annotations

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import Term
from murxpy.mutation.building.expressions import Expressions
from murxpy.mutation.cores import core_of
from murxpy.mutation.diving.complicating import Complicating
from murxpy.mutation.diving.conditions import Conditions
from murxpy.mutation.diving.fitting import Wrapping, drawn
from murxpy.mutation.diving.formulas import Formulas, Spot
from murxpy.mutation.diving.keeping import Core, Keeping, Models
from murxpy.mutation.diving.models import MODELS, negated, witnesses
from murxpy.mutation.diving.places import Place, unknown
from murxpy.mutation.diving.strengthening import CORES, Strengthening
from murxpy.mutation.entry import Entry, Setting
from murxpy.mutation.fitting import Fitting
from murxpy.mutation.occurrences import Occurrence, Occurrences, replaced
from murxpy.mutation.patience import decided
from murxpy.mutation.preparing import prepared
from murxpy.mutation.producers import Producers
from murxpy.mutation.views import View, views
from murxpy.mutation.workshop import Mutant, Mutants, Workshop
from murxpy.semantics.ranges.abstract import ANY
from murxpy.semantics.ranges.languages import Having
from murxpy.smtlib.commands import Assert
from murxpy.smtlib.script import Script

PLACES = 20  # places that are tried for one mutant
DRAWS = 50  # terms that are drawn for one place, as in the paper
# How many times as large as the seed a mutant may be, in occurrences of terms, and how large it must be
# for the next mutant to be made from the seed again.
GROWTH, GROWN = 4, 2
COMPLICATED = 0.5  # the share of mutants that get a new constant
WRAPPED = 0.5  # the share of mutants in which a drawn term that does not fit is made to fit


State = tuple[list[tuple[Term, ...]], int, int]
"""The formulas, their size, and the number of the model that is kept."""


class StandardProducers(Producers):
    """The operators of the standard alone."""

    def __init__(self, catalogue: Catalogue, operators: frozenset[str]) -> None:
        known = catalogue.operators
        super().__init__(
            catalogue, frozenset(kind for kind in operators if not known[kind].extension)
        )


def mutants(workshop: Workshop) -> Mutants:
    """A chain of mutants. Each has one more term replaced than the last mutant that was decided."""
    script = workshop.script()
    seen = views(script, workshop.seeds[0].label) if script is not None else []
    if script is None or not seen:
        return
    view, script = workshop.stream.choose(seen), prepared(script)
    begun = (
        _unsat(workshop, script, view) if view.label == "unsat" else _sat(workshop, script, view)
    )
    if begun is None:
        return
    formulas, keeping = begun
    diver = _Diver(workshop, formulas, keeping)
    while any(answer != "unknown" for answer in keeping.expected):
        mutant = diver.mutant()
        if mutant is None:
            return
        if not decided((yield mutant)):
            diver.undo()


def _unsat(workshop: Workshop, script: Script, view: View) -> tuple[Formulas, Keeping] | None:
    """The formulas of a seed with an unsatisfiable check, whose core must stay. In front of them stands
    `true`, in whose place anything can come.
    """
    if not script.assertions():
        return None
    first = next(at for at, command in enumerate(script.commands) if isinstance(command, Assert))
    commands = list(script.commands)
    commands.insert(first, Assert(script.tables.true))
    formulas = Formulas(Script(script.name, script.tables, commands))
    core = core_of(workshop, script, view.asserted)
    return formulas, Core(workshop.shop, formulas, core)


def _sat(workshop: Workshop, script: Script, view: View) -> tuple[Formulas, Keeping] | None:
    """The formulas of a seed, and models of a check; None if there are none."""
    found = witnesses(workshop, script, view.asserted)
    if not found:
        other = negated(workshop, script)
        if other is None:
            return None
        script, found = other
    formulas = Formulas(script)
    weighted = not workshop.choices.get("no_weights")
    return formulas, Models(workshop.shop, formulas, found, weighted)


class _Diver:
    """Replaces one term of a script at a time, and keeps what is known of the answers."""

    def __init__(self, workshop: Workshop, formulas: Formulas, keeping: Keeping) -> None:
        script = formulas.script()
        self._stream = workshop.stream
        self._tables = workshop.tables
        self._formulas = formulas
        self._keeping = keeping
        choices = workshop.choices
        self._oracle = not choices.get("no_oracle")
        self._expressions = Expressions(
            workshop, script, StandardProducers if choices.get("standard_only") else Producers
        )
        self._fitting = Fitting(workshop.shop, script.assertions())
        conditions = Conditions(workshop.tables)
        self._wrapping = Wrapping(workshop.tables, workshop.stream, conditions)
        self._complicating = (
            None
            if choices.get("no_complicate")
            else Complicating(workshop, script, keeping, conditions, self._fitting)
        )
        self._wraps = not choices.get("no_wrapping")
        self._sizes = Occurrences(workshop.catalogue, lambda term: 1)
        self._size = sum(map(self._sizes.count, script.assertions()))
        self._strengthening = (
            Strengthening(workshop, formulas, keeping)
            if isinstance(keeping, Core) and self._oracle and workshop.shop.book is not None
            else None
        )
        self._first = self._before = (formulas.keep(), self._size, keeping.at)
        # how terms are made to fit in the mutant in hand, and the terms drawn for it so far
        self._way, self._draws = "plain", 0

    def undo(self) -> None:
        """Go back to the mutant before the last one."""
        self._go_back(self._before)

    def _go_back(self, state: State) -> None:
        kept, self._size, self._keeping.at = state
        self._formulas.restore(kept)

    def mutant(self) -> Mutant | None:
        """The script with one more term replaced; None if no draw fits."""
        wraps, self._draws = self._wraps and self._stream.chance(WRAPPED), 0
        self._way = "wrapping" if wraps else "plain"
        if self._size > GROWN * self._first[1] + 50:
            self._go_back(self._first)
        self._before = (self._formulas.keep(), self._size, self._keeping.at)
        if self._strengthening is not None and self._stream.chance(CORES):
            stronger = self._stronger(self._strengthening)
            if stronger is not None:
                return stronger
        for _ in range(PLACES):
            found = self._place()
            if found is None:
                return None
            for _ in range(DRAWS):
                mutant = self._replacement(*found, wraps)
                if mutant is not None:
                    return mutant
        return None

    def _stronger(self, strengthening: Strengthening) -> Mutant | None:
        """A mutant with a stronger formula in the core; None if no rule fits."""
        found = strengthening.stronger()
        if found is None or not isinstance(self._keeping, Core):
            return None
        spot, changed, step = found
        before = self._formulas.at(spot)
        self._formulas.change(spot, changed)
        self._keeping.strengthened(before, changed)
        self._size += self._sizes.count(changed) - self._sizes.count(before)
        step = f"diver: the core by {step}"
        return Mutant(self._formulas.script(), (step,), self._keeping.expected)

    def _place(self) -> tuple[Spot, Place] | None:
        """A random place by weight, and the spot of its formula."""
        keeping, formulas = self._keeping, self._formulas
        spots = list(formulas.spots())
        weights = [keeping.places.weight(formulas.at(spot), keeping.wanted(spot)) for spot in spots]
        point = self._stream.random() * sum(weights)
        for spot, weight in zip(spots, weights, strict=True):
            if point < weight:
                place = keeping.places.draw(formulas.at(spot), self._stream, keeping.wanted(spot))
                return None if place is None else (spot, place)
            point -= weight
        return None

    def _replacement(self, spot: Spot, place: Place, wraps: bool) -> Mutant | None:
        """A mutant with a newly drawn term at a place; None if the term does not fit there."""
        hole = place.occurrence
        found = self._expressions.instead(hole.term, {})
        if found is None or found[0] is hole.term or found[0].free:
            return None
        self._draws += 1
        new, wrapped, inside = self._fit(spot, place, found[0], wraps)
        if new is None or new is hole.term:
            return None
        changed = replaced(self._tables, hole, new)
        if inside:
            self._keeping.trust(spot, changed)
        size = self._size - self._sizes.count(self._formulas.at(spot)) + self._sizes.count(changed)
        if size > GROWTH * self._first[1] + 50 or not self._fitting.fits(changed):
            return None
        step = f"diver: {hole.term.op} to {found[1]}, depth {len(hole.above)}"
        step += f" below {hole.above[-1][0].op}" if hole.above else ""
        return self._changed(spot, changed, Occurrence(new, hole.above), step + wrapped)

    def _fit(
        self, spot: Spot, place: Place, new: Term, wraps: bool
    ) -> tuple[Term | None, str, bool]:
        """The term that comes to the place: the drawn one if it fits, or if it is made to fit; how that
        is done; and whether its value is known to be in the range. None if it does not fit.
        """
        wanted, witness, hole = place.wanted, self._keeping.witness, place.occurrence
        if wanted is ANY or witness is None or not self._oracle:
            return new, "", False
        value = witness.value(new)
        if not unknown(value):
            if wanted.holds(value):
                return new, "", True
            if self._keeping.keeps(spot, replaced(self._tables, hole, new)):
                return new, ", out of its range", False
        made = self._wrapped(place, new, value) if wraps else None
        given = None if made is None else witness.value(made)
        if made is None or unknown(given) or not wanted.holds(given):
            return None, "", False
        return made, f" in {made.op}", True

    def _wrapped(self, place: Place, new: Term, value: object) -> Term | None:
        """A term around `new` with a value of the range; None if there is none."""
        witness, old = self._keeping.witness, place.occurrence.term
        present = None if witness is None else witness.value(old)
        if witness is None or unknown(present):
            return None
        if isinstance(place.wanted, Having):
            return self._wrapping.language(new, place.wanted)
        if not unknown(value):
            made = self._wrapping.wrapped(new, value, drawn(place.wanted, present, self._stream))
            if made is not None:
                return made
        condition = self._expressions.formula()
        truth = None if condition is None else witness.value(condition)
        if condition is None or unknown(truth) or new.sort.kind in ("SORT_FUN", "SORT_REGLAN"):
            return None
        return self._wrapping.guarded(old, new, condition, bool(truth))

    def _changed(self, spot: Spot, changed: Term, hole: Occurrence, step: str) -> Mutant:
        """The mutant with a changed formula at a spot. Some get a new constant in the new term."""
        before, size = self._formulas.at(spot), self._size
        path = [position for _, position in hole.above]
        self._keeping.places.follow(before, changed, path, self._keeping.wanted(spot))
        added: list[Term] = []
        if self._complicating is not None and self._stream.chance(COMPLICATED):
            changed, added, name = self._complicating.complicated(changed, hole, spot)
            step += f", with {name}" if name else ""
        self._formulas.change(spot, changed, added)
        self._size = (
            size - self._sizes.count(before) + sum(map(self._sizes.count, (changed, *added)))
        )
        expected = self._keeping.expected if self._oracle else ()
        # `plain` by `plain-draws` is the acceptance of draws without wrapping
        traits = (self._way, *[f"{self._way}-draws"] * self._draws)
        return Mutant(self._formulas.script(), (step,), expected, traits)


ENTRY = Entry(
    "diver",
    "Fuzz with SMT-LIB scripts that keep a model while terms change.",
    "Fuzz with scripts whose terms are replaced so that a model of the seed stays a model.\n\n"
    "SEEDS are SMT-LIB scripts and folders of them. The answers of mutants are known: sat, or unsat "
    "for seeds that are labelled so.",
    mutants,
    asks=True,
    ruled=True,
    settings=(
        Setting(
            "models",
            "Models of a seed; a mutant needs to keep one of them.",
            "number",
            least=1,
            most=100,
            default=MODELS,
        ),
        Setting("no-complicate", "Put no new constants into mutants."),
        Setting("no-weights", "Draw all places with the same weight."),
        Setting("no-wrapping", "Never wrap a term so that it fits."),
        Setting(
            "no-oracle", "Replace any term by any other; then nothing is known of the answers."
        ),
        Setting("standard-only", "Put no operators into mutants that the standard does not have."),
    ),
)
