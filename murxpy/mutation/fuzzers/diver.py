"""DIVER: mutants that are satisfiable by construction. One term is replaced by another one, so that
a model of the seed stays a model.

Li et al., "DIVER: oracle-guided SMT solver testing with unrestricted random mutations", ICSE 2023.
Backward rules (`murxpy/semantics/ranges`) give the range in which the value of each term must stay,
and the weight with which the term is drawn. Our exact evaluator decides whether a mutant keeps the
model, never the solver under test.
"""

from __future__ import annotations

from murxpy.logic.terms import CONSTANT, VALUE, Term
from murxpy.mutation.building.expressions import Expressions
from murxpy.mutation.diving.conditions import Conditions
from murxpy.mutation.diving.formulas import Formulas, Spot
from murxpy.mutation.diving.places import Place, Places, unknown
from murxpy.mutation.diving.witness import Witness
from murxpy.mutation.entry import Entry, Setting
from murxpy.mutation.fitting import Fitting
from murxpy.mutation.occurrences import Occurrence, Occurrences, replaced
from murxpy.mutation.patience import decided
from murxpy.mutation.pools.fragments import fresh_prefix
from murxpy.mutation.pools.questions import alone, asking
from murxpy.mutation.preparing import prepared
from murxpy.mutation.views import View, views
from murxpy.mutation.workshop import Mutant, Mutants, Workshop
from murxpy.semantics.ranges.abstract import ANY, TRUE, Range
from murxpy.smtlib.reading.models import declared, read_printed_model
from murxpy.smtlib.script import Script

PLACES = 20  # places that are tried for one mutant
DRAWS = 50  # terms that are drawn for one place, as in the paper
GROWTH = 4  # how many times as large as the seed a mutant may be, in occurrences of terms
COMPLICATED = 0.5  # the share of mutants that get a new constant
MODELS = 3  # models of a seed


def mutants(workshop: Workshop) -> Mutants:
    """A chain of mutants. Each has one more term replaced than the last mutant that was decided."""
    script = workshop.script()
    if script is None:
        return
    seen = [view for view in views(script, workshop.seeds[0].label) if view.label != "unsat"]
    if not seen:
        return
    script, view = prepared(script), workshop.stream.choose(seen)
    witness = _witness(workshop, script, view)
    if witness is None:
        return
    diver = _Diver(workshop, script, witness, view)
    while diver.expected and (mutant := diver.mutant()) is not None:
        if not decided((yield mutant)):
            diver.undo()


def _witness(workshop: Workshop, script: Script, view: View) -> Witness | None:
    """A model of the assertions at a check; None if the solver gives none."""
    flat = alone(script, view.asserted)
    output = workshop.ask(asking(flat, workshop.shop.dialect))
    if output is None or not output.startswith("sat"):
        return None
    return Witness(workshop, script, read_printed_model(output, flat))


class _Diver:
    """Replaces one term of a script at a time, and keeps a model."""

    def __init__(self, workshop: Workshop, script: Script, witness: Witness, view: View) -> None:
        self._stream = workshop.stream
        self._tables = workshop.tables
        self._complicates = not workshop.choices.get("no_complicate")
        self._witness = witness
        self._formulas = Formulas(script)
        self._before = self._formulas.keep()
        self._places = Places(workshop.catalogue, witness, not workshop.choices.get("no_weights"))
        self._expressions = Expressions(workshop, script)
        self._conditions = Conditions(workshop.tables)
        self._fitting = Fitting(workshop.shop, script.assertions())
        self._leaves = Occurrences(
            workshop.catalogue, lambda term: term.op in (CONSTANT, VALUE) and _can_be_new(term)
        )
        self._sizes = Occurrences(workshop.catalogue, lambda term: 1)
        self._size = sum(map(self._sizes.count, script.assertions()))
        self._most = GROWTH * self._size + 50
        self._fresh = fresh_prefix(script.tables, declared(script), "dive_")
        self._made = 0
        # What our evaluator cannot judge is true in a model that the solver gave for it.
        self._trusted = frozenset(view.asserted if witness.whole else ())
        known = [self._holds(check) for check in range(len(self._formulas.seen))]
        self.expected = ("sat",) * any(known) and tuple("sat" if k else "unknown" for k in known)
        self._bound = {
            number
            for check, numbers in enumerate(self._formulas.seen)
            if known[check]
            for number in numbers
        }

    def _holds(self, check: int) -> bool:
        """Whether all formulas at a check are true."""
        for term in self._formulas.at_check(check):
            value = self._witness.value(term)
            if value is not True and not (unknown(value) and term in self._trusted):
                return False
        return True

    def undo(self) -> None:
        """Go back to the mutant before the last one."""
        self._formulas.restore(self._before)

    def mutant(self) -> Mutant | None:
        """The script with one more term replaced; None if no draw fits."""
        for _ in range(PLACES):
            drawn = self._place()
            if drawn is None:
                return None
            spot, place = drawn
            for _ in range(DRAWS):
                found = self._replacement(spot, place)
                if found is not None:
                    return found
        return None

    def _wanted(self, spot: Spot) -> Range:
        """The range of a formula: anything, if it is at no check whose answer is known."""
        return TRUE if spot[0] in self._bound else ANY

    def _place(self) -> tuple[Spot, Place] | None:
        """A random place by weight, and the spot of its formula."""
        spots = list(self._formulas.spots())
        weights = [
            self._places.weight(self._formulas.at(spot), self._wanted(spot)) for spot in spots
        ]
        point = self._stream.random() * sum(weights)
        for spot, weight in zip(spots, weights, strict=True):
            if point < weight:
                root = self._formulas.at(spot)
                place = self._places.draw(root, self._stream, self._wanted(spot))
                return None if place is None else (spot, place)
            point -= weight
        return None

    def _replacement(self, spot: Spot, place: Place) -> Mutant | None:
        """A mutant with a newly drawn term at a place; None if the term does not fit there."""
        hole = place.occurrence
        drawn = self._expressions.instead(hole.term, {})
        if drawn is None or drawn[0] is hole.term or drawn[0].free:
            return None
        new, made = drawn
        value = self._witness.value(new)
        if place.wanted is not ANY and unknown(value):
            return None
        fits = place.wanted is ANY or place.wanted.holds(value)
        changed = replaced(self._tables, hole, new)
        if not fits and self._witness.value(changed) is not True:
            return None
        size = self._size - self._sizes.count(self._formulas.at(spot)) + self._sizes.count(changed)
        if size > self._most or not self._fitting.fits(changed):
            return None
        step = f"diver: {hole.term.op} to {made}, depth {len(hole.above)}"
        added: list[Term] = []
        if self._complicates and self._stream.chance(COMPLICATED):
            changed, added = self._complicated(changed, Occurrence(new, hole.above), spot)
            step += f", with {self._fresh}{self._made}" if added else ""
        self._before = self._formulas.keep()
        self._formulas.change(spot, changed, added)
        self._size = size + sum(map(self._sizes.count, added))
        return Mutant(
            self._formulas.script(),
            (step,),
            self.expected,
        )

    def _complicated(self, root: Term, hole: Occurrence, spot: Spot) -> tuple[Term, list[Term]]:
        """The formula with a new constant in the place of a leaf of its new term, and the condition
        on the constant: that it is in the range of this place.
        """
        leaf = self._leaves.draw(hole.term, self._stream)
        value = None if leaf is None else self._witness.value(leaf.term)
        if leaf is None or unknown(value):
            return root, []
        self._made += 1
        constant = self._tables.constant(f"{self._fresh}{self._made}", leaf.term.sort)
        path = [position for _, position in (*hole.above, *leaf.above)]
        wanted = self._places.at(root, path, self._wanted(spot))
        condition = self._conditions.of(constant, wanted)
        if condition is None:
            condition = self._tables.apply("OP_EQUAL", constant, leaf.term)
        self._witness.give(constant, value)
        return replaced(self._tables, hole, replaced(self._tables, leaf, constant)), [condition]


def _can_be_new(term: Term) -> bool:
    return term.sort.kind not in ("SORT_FUN", "SORT_REGLAN")


ENTRY = Entry(
    "diver",
    "Fuzz with SMT-LIB scripts that keep a model while terms change.",
    "Fuzz with scripts whose terms are replaced so that a model of the seed stays a model.\n\n"
    "SEEDS are SMT-LIB scripts and folders of them. The answers of mutants are known: sat.",
    mutants,
    asks=True,
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
    ),
)
