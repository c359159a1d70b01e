"""DIVER's Complicate: a leaf of a new term becomes a new constant, and a formula says that the
constant is in the range of its place.

Kim, So, Oh, ICSE 2023, section III-C. New here: constants of all sorts, with the range that the
backward rules give. The published program asserts a random interval around the value, of numbers
alone.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import Any

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, VALUE, Term
from murxpy.machine.random import Stream
from murxpy.semantics.exact.floats import format_of
from murxpy.semantics.ranges.abstract import (
    ANY,
    Bits,
    Except,
    Few,
    Floats,
    Having,
    Interval,
    Range,
    Words,
    at_rank,
)
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printed_models import declared
from murxpy.smtlib.script import Assert, Script
from murxpy.sources.mutation.assignments import fresh_prefix
from murxpy.sources.mutation.diving.conditions import Conditions
from murxpy.sources.mutation.diving.places import (
    Core,
    Formulas,
    Keeping,
    Models,
    Place,
    Spot,
    unknown,
)
from murxpy.sources.mutation.diving.seed_models import MODELS, negated, witnesses
from murxpy.sources.mutation.entry import DROP_OPTIONS, Entry, Setting
from murxpy.sources.mutation.occurrences import Occurrence, Occurrences, replaced
from murxpy.sources.mutation.options import decided
from murxpy.sources.mutation.preparing import View, core_of, prepared, views
from murxpy.sources.mutation.terms import Expressions, Fitting, Producers
from murxpy.sources.mutation.weakening import Mutator
from murxpy.sources.mutation.workshop import Mutant, Mutants, Workshop

MOST_NEW = 3  # new constants that one step makes at most, as in the published program


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
        self._made: dict[Term, None] = {}  # the new constants

    def complicated(
        self, root: Term, hole: Occurrence, spot: Spot
    ) -> tuple[Term, list[Term], list[str]]:
        """The formula with up to MOST_NEW new constants in the places of leaves of the term at an
        occurrence, what is asserted of the constants, and their names. Without a leaf it is the formula
        itself.
        """
        added, names = list[Term](), list[str]()
        for _ in range(self._stream.between(1, MOST_NEW)):
            leaf = self._leaves.draw(hole.term, self._stream)
            if leaf is None or leaf.term in self._made:
                continue
            found = self._one(root, hole, leaf, spot)
            if found is None:
                continue
            root, hole, more, name = found
            added += more
            names.append(name)
        return root, added, names

    def _one(
        self, root: Term, hole: Occurrence, leaf: Occurrence, spot: Spot
    ) -> tuple[Term, Occurrence, list[Term], str] | None:
        """The formula with a new constant in the place of a leaf, the changed term, what is asserted of
        the constant, and its name; None if nothing is known of the leaf, or if the solver does not take
        the formula.
        """
        path = [position for _, position in (*hole.above, *leaf.above)]
        places, truth = self._keeping.places, self._keeping.wanted(spot)
        wanted = places.at(root, path, truth)
        values = [witness.value(leaf.term) for witness in self._keeping.each()]
        if wanted is not ANY and any(map(unknown, values)):
            return None
        name = f"{self._prefix}{len(self._made) + 1}"
        constant = self._tables.constant(name, leaf.term.sort)
        self._made[constant] = None
        for witness, value in zip(self._keeping.each(), values, strict=True):
            if not unknown(value):
                witness.give(constant, value)
        inner = Occurrence(replaced(self._tables, leaf, constant), hole.above)
        changed = replaced(self._tables, hole, inner.term)
        if not self._fitting.fits(changed):
            return None
        places.follow(root, changed, path, truth)
        if wanted is ANY:
            return changed, inner, [], name
        condition = self._conditions.of(constant, wanted)
        kept = self._keeping.witness
        if condition is None or kept is None or kept.value(condition) is not True:
            condition = self._tables.apply("OP_EQUAL", constant, leaf.term)
        return changed, inner, [condition], name


def _can_be_new(term: Term) -> int:
    return term.op in (CONSTANT, VALUE) and term.sort.kind not in ("SORT_FUN", "SORT_REGLAN")


# ----------------------------------------------------------------------
# Formulas of an unsatisfiable core become stronger by rules of implication, so that it stays
# one.


CORES = 0.3  # the share of the mutants of unsatisfiable seeds in which the core changes


class Strengthening:
    """Makes one formula of a core stronger at a time."""

    def __init__(self, workshop: Workshop, formulas: Formulas, core: Core) -> None:
        self._formulas = formulas
        self._core = core
        self._mutator = Mutator(workshop, formulas.script())

    def stronger(self) -> tuple[Spot, Term, str] | None:
        """A spot of the core, a stronger formula for it, and a description of the change; None if no
        rule fits.
        """
        script, spots = self._formulas.script(), self._formulas.places()
        once = self._core.once()
        signs = {at: -1 for at, spot in spots.items() if spot in once}
        changed = self._mutator.mutate(self._mutator.standing(script, signs)) if signs else None
        if changed is None:
            return None
        new, step, _ = changed
        for at, spot in spots.items():
            command = new.script.commands[at]
            if isinstance(command, Assert) and command.term is not self._formulas.at(spot):
                return spot, command.term, step
        return None


# ----------------------------------------------------------------------
# Making a term fit a place: values of a range are drawn, and a term with another value is
# wrapped so that its value is the drawn one.


NEAR = 16  # how far a drawn number is from the present one or an end, at most
_AT_END = 0.4  # the chance of an end of an interval


def drawn(wanted: Range, present: Any, stream: Stream) -> Any:
    """A random value of a range; `present` is in it, and stands for ranges that have no draw."""
    draw = _DRAWS.get(type(wanted))
    found = present if draw is None else draw(wanted, present, stream)
    return found if wanted.holds(found) else present


def _few(wanted: Few, present: Any, stream: Stream) -> Any:
    return stream.choose(wanted.values)


def _except(wanted: Except, present: Any, stream: Stream) -> Any:
    return present + stream.between(-NEAR, NEAR) if isinstance(present, Fraction) else present


def _interval(wanted: Interval, present: Any, stream: Stream) -> Any:
    low, high = wanted.low, wanted.high
    if low is not None and low == high:
        return low
    ends = [end for end in (low, high) if end is not None]
    if ends and stream.chance(_AT_END):
        return stream.choose(ends)
    if type(present) is not int:
        # halves are between open ends that are near
        return present + Fraction(stream.between(-NEAR, NEAR), stream.choose((1, 2, 64)))
    first = max(present - NEAR, floor(low)) if low is not None else present - NEAR
    last = min(present + NEAR, floor(high)) if high is not None else present + NEAR
    return stream.between(first, last)


def _bits(wanted: Bits, present: int, stream: Stream) -> int:
    if stream.chance(_AT_END):
        return stream.choose((wanted.low, wanted.high))
    value = wanted.low + stream.below(wanted.high - wanted.low + 1)
    return value & ~wanted.mask | wanted.ones


def _floats(wanted: Floats, present: int, stream: Stream) -> int:
    place = wanted.low + stream.below(wanted.high - wanted.low + 1)
    ends = stream.chance(_AT_END)
    return at_rank(
        format_of(wanted.e, wanted.s), stream.choose((wanted.low, wanted.high)) if ends else place
    )


def _words(wanted: Words, present: str, stream: Stream) -> str:
    cut, letter = stream.between(0, len(present)), stream.choose("ab0")
    return stream.choose(
        ("", present[:cut], present[cut:], present[:cut] + letter + present[cut:], letter * 3)
    )


_DRAWS: dict[type, Callable[..., Any]] = {
    Few: _few,
    Except: _except,
    Interval: _interval,
    Bits: _bits,
    Floats: _floats,
    Words: _words,
}


class Wrapping:
    """Wraps a term so that it has a wanted value in the model."""

    def __init__(self, tables: Tables, stream: Stream, conditions: Conditions) -> None:
        self._tables = tables
        self._stream = stream
        self._conditions = conditions

    def wrapped(self, term: Term, value: Any, goal: Any) -> Term | None:
        """A term around `term`, whose value in the model is `value`, with the value `goal`; None if
        the sort has no such term.
        """
        wrap = _WRAPS.get(term.sort.kind)
        return None if wrap is None else wrap(self, term, value, goal)

    def language(self, term: Term, wanted: Having) -> Term | None:
        """A regular language with a word more, or without it."""
        word = self._conditions.literal(wanted.word, self._tables.string)
        if word is None:
            return None
        alone = self._tables.apply("OP_STR_TO_RE", word)
        if wanted.truth:
            return self._tables.apply("OP_RE_UNION", term, alone)
        return self._tables.apply("OP_RE_INTER", term, self._tables.apply("OP_RE_COMP", alone))

    def guarded(self, old: Term, new: Term, condition: Term, truth: bool) -> Term:
        """A term with both, of which the condition selects the old one in the model."""
        ways = (old, new) if truth else (new, old)
        return self._tables.apply("OP_ITE", condition, *ways)

    def _apply(self, kind: str, term: Term, *values: Any, sort: Sort | None = None) -> Term | None:
        others = [self._conditions.literal(value, sort or term.sort) for value in values]
        known = [other for other in others if other is not None]
        if len(known) < len(others):
            return None
        return self._tables.apply(kind, term, *known)

    def _bool(self, term: Term, value: bool, goal: bool) -> Term:
        return self._tables.apply("OP_NOT", term)

    def _number(self, term: Term, value: Any, goal: Any) -> Term | None:
        theory = term.sort.kind.removeprefix("SORT_")
        if goal == -value and self._stream.chance(0.5):
            return self._tables.apply(f"OP_{theory}_NEG", term)
        if self._stream.chance(0.5):
            return self._apply(f"OP_{theory}_SUB", term, value - goal)
        return self._apply(f"OP_{theory}_ADD", term, goal - value)

    def _bit_vector(self, term: Term, value: int, goal: int) -> Term | None:
        top = (1 << term.sort.width) - 1
        if value == goal ^ top and self._stream.chance(0.5):
            return self._tables.apply("OP_BV_NOT", term)
        if self._stream.chance(0.5):
            return self._apply("OP_BV_XOR", term, value ^ goal)
        return self._apply("OP_BV_ADD", term, goal - value & top)

    def _field(self, term: Term, value: int, goal: int) -> Term | None:
        return self._apply("OP_FINITE_FIELD_ADD", term, (goal - value) % term.sort.width)

    def _text(self, term: Term, value: str, goal: str) -> Term | None:
        """Concatenation where the value is part of the goal; else the whole value is replaced."""
        at = goal.find(value)
        if at < 0:
            return self._apply("OP_STR_REPLACE", term, value, goal)
        before = self._conditions.literal(goal[:at], term.sort)
        after = self._conditions.literal(goal[at + len(value) :], term.sort)
        if before is None or after is None:
            return None
        parts = [part for part in (before, term, after) if part is term or part.indices != ("",)]
        return self._tables.apply("OP_STR_CONCAT", *parts) if len(parts) > 1 else term

    def _sequence(self, term: Term, value: Any, goal: Any) -> Term | None:
        return self._apply("OP_SEQ_REPLACE", term, value, goal)

    def _array(self, term: Term, value: Any, goal: Any) -> Term | None:
        """Stores at the indices at which the arrays differ."""
        index, element = term.sort.sorts()
        if getattr(value, "default", None) != getattr(goal, "default", None):
            return None
        points = dict.fromkeys(point for point, _ in (*value.items(), *goal.items()))
        found: Term | None = term
        for point in points:
            if found is None:
                return None
            if value.at(point) == goal.at(point):
                continue
            at = self._conditions.literal(point, index)
            stored = self._conditions.literal(goal.at(point), element)
            if at is None or stored is None:
                return None
            found = self._tables.apply("OP_ARRAY_STORE", found, at, stored)
        return found


_WRAPS: dict[str, Callable[[Wrapping, Term, Any, Any], Term | None]] = {
    "SORT_BOOL": Wrapping._bool,
    "SORT_INT": Wrapping._number,
    "SORT_REAL": Wrapping._number,
    "SORT_BV": Wrapping._bit_vector,
    "SORT_FF": Wrapping._field,
    "SORT_STRING": Wrapping._text,
    "SORT_SEQ": Wrapping._sequence,
    "SORT_ARRAY": Wrapping._array,
}


# ----------------------------------------------------------------------
# DIVER: mutants that are satisfiable by construction. One term is replaced by another one, so
# that a model of the seed stays a model. Kim, So, Oh: "DIVER: oracle-guided SMT solver testing
# with unrestricted random mutations", ICSE 2023. Backward rules (`murxpy/semantics/ranges`)
# give the range in which the value of each term must stay, and the weight with which the term
# is drawn. Our exact evaluator decides whether a mutant keeps the model, never the solver under
# test.


PLACES = 20  # places that are tried for one mutant
DRAWS = 50  # terms that are drawn for one place, as in the paper
# The size that a mutant may have at most, as a multiple of the seed in occurrences of terms, and
# the size from which on the next mutant is made from the seed again.
GROWTH, GROWN = 4, 2
# New terms are up to five deep, as in the paper. With this chance an argument is an application.
DEEPEST, NESTED = 4, 0.25
VALUES = 60  # values of models that new terms can have, at most
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
            workshop,
            script,
            StandardProducers if choices.get("standard_only") else Producers,
            deepest=DEEPEST,
            nested=NESTED,
        )
        self._fitting = Fitting(workshop.shop, script.assertions())
        conditions = Conditions(workshop.tables)
        self._take_values(script, conditions)
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

    def _take_values(self, script: Script, conditions: Conditions) -> None:
        """Let new terms have the values of the seed's constants in its models, and the lengths of
        strings among them.
        """
        values: dict[Term, None] = {}
        constants = [one for one in script.constants() if one.sort.kind != "SORT_FUN"]
        for witness in self._keeping.each():
            for constant in constants:
                value = witness.value(constant)
                if unknown(value):
                    continue
                literal = conditions.literal(value, constant.sort)
                values.update({} if literal is None else {literal: None})
                if type(value) is str:
                    values[self._tables.value(self._tables.int, len(value))] = None
        for literal in list(values)[:VALUES]:
            self._expressions.add(literal)

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
        """The term that comes to the place: the drawn one if it fits, or if it is made to fit; how
        that is done; and whether its value is known to be in the range. The result is None if the
        term does not fit.
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
            changed, added, names = self._complicating.complicated(changed, hole, spot)
            step += f", with {' and '.join(names)}" if names else ""
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
    "Fuzz with scripts that keep a model while terms change.",
    "Fuzz with scripts whose terms are replaced so that a model of the seed stays a model.\n\n"
    "SEEDS are SMT-LIB scripts and folders of them. The answers of mutants are known: sat, or unsat "
    "for seeds that are labelled so.",
    mutants,
    asks=True,
    ruled=True,
    modelled=True,
    settings=(
        DROP_OPTIONS,
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
