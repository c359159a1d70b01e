"""Makes one formula or term of a script weaker or stronger, by a rule of implication that is drawn, at a
place that is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, Term
from murxpy.smtlib.script import Assert, Script
from murxpy.sources.mutation.functions.composed import LITERALS
from murxpy.sources.mutation.functions.inversions import Maker
from murxpy.sources.mutation.implications.book import Use
from murxpy.sources.mutation.implications.matching import renamed
from murxpy.sources.mutation.implications.monotone_places import FORMULAS, Place, Places, State
from murxpy.sources.mutation.implications.rewriting import Choice, Key, Keys, Rewriter
from murxpy.sources.mutation.occurrences import Occurrences, in_scope, replaced
from murxpy.sources.mutation.preparing import with_assertion
from murxpy.sources.mutation.terms import Fitting, Pool
from murxpy.sources.mutation.workshop import Workshop

RULES = 30  # rules that are tried for one mutant
PLACES = 4  # places that are tried for one rule
GROWTH = 4  # how many times as large as the seed a mutant may be, in occurrences of terms
_LITERAL = 0.2  # the share of literals among drawn terms
_SERVED = frozenset(["SORT_REGLAN", "SORT_FP", *LITERALS])  # the kinds of sorts that have literals


@dataclass(frozen=True, slots=True)
class Standing:
    """A script with what is known of it: the assertions in which there are places, by their positions,
    each with its state; how many places there are of each key; and the size of the assertions.
    """

    script: Script
    roots: Mapping[int, tuple[Term, State]]
    places: Mapping[Key, int]
    size: int


class Mutator:
    """Makes one formula or term of a script weaker or stronger at a time."""

    def __init__(self, workshop: Workshop, script: Script) -> None:
        assert workshop.shop.book is not None
        self._tables = workshop.tables
        self._stream = workshop.stream
        self._maker = Maker(workshop.tables, workshop.stream)
        roots = script.assertions()
        self._pool = Pool(workshop.catalogue, roots)
        for constant in script.constants():
            if constant.op == CONSTANT and constant.sort.kind != "SORT_FUN":
                self._pool.add(constant)
        self._fitting = Fitting(workshop.shop, roots)
        self._scope: dict[Term, None] = {}
        sorts = [sort for sort in self._pool.sorts if sort.kind not in ("SORT_REGLAN", "SORT_RM")]
        self._rewriter = Rewriter(workshop.tables, workshop.stream, sorts, _SERVED, self._drawn)
        keys = Keys(workshop.catalogue, workshop.shop.book, self._rewriter.possible)
        self._places = Places(workshop.catalogue, keys.of)
        self._choice = Choice()
        self._sizes = Occurrences(workshop.catalogue, lambda term: 1)
        self._most = GROWTH * sum(map(self._sizes.count, roots)) + 50

    def standing(self, script: Script, signs: Mapping[int, int]) -> Standing:
        """The script with its places: those of the assertions at these positions, each with the sign
        of the places at its root.
        """
        roots = {
            at: (command.term, (FORMULAS, signs[at]))
            for at, command in enumerate(script.commands)
            if isinstance(command, Assert) and at in signs
        }
        places: dict[Key, int] = {}
        for root in roots.values():
            _add(places, self._places.count(*root), 1)
        size = sum([self._sizes.count(term) for term, _ in roots.values()])
        return Standing(script, roots, places, size)

    def mutate(self, old: Standing) -> tuple[Standing, str, str] | None:
        """The script with one formula or term weaker or stronger, a description of the change, and
        the name of the rule; None if no rule fits at a few draws.
        """
        for _ in range(RULES):
            drawn = self._choice.draw(old.places, self._stream)
            if drawn is None:
                continue
            use, keys = drawn
            numbers = [old.places[key] for key in keys]
            for _ in range(PLACES):
                found = self._used(old, use, keys[self._position(numbers)])
                if found is not None:
                    return *found, f"{use.rule.book}:{use.rule.name}"
        return None

    def _position(self, numbers: Sequence[int]) -> int:
        """A random position by the number that stands there."""
        if len(numbers) == 1:
            return 0
        at = self._stream.below(sum(numbers))
        for position, number in enumerate(numbers):
            if at < number:
                return position
            at -= number
        raise AssertionError(numbers)

    def _used(self, old: Standing, use: Use, key: Key) -> tuple[Standing, str] | None:
        """The script with a rule used at a random place of a key, and a description of the use."""
        positions = list(old.roots)
        numbers = [self._places.count(*root).get(key, 0) for root in old.roots.values()]
        at = positions[self._position(numbers)]
        root, state = old.roots[at]
        place = self._places.draw(root, state, key, self._stream)
        if place is None:
            return None
        self._scope = dict.fromkeys(in_scope(self._tables.catalogue, place.occurrence))
        new = self._rewriter.rewrite(use, place.occurrence.term)
        if new is None:
            return None
        changed = replaced(self._tables, place.occurrence, new)
        size = old.size - self._sizes.count(root) + self._sizes.count(changed)
        if size > self._most or not self._fitting.fits(changed):
            return None
        places = dict(old.places)
        _add(places, self._places.count(root, state), -1)
        _add(places, self._places.count(changed, state), 1)
        script = with_assertion(old.script, at, changed)
        roots = {**old.roots, at: (changed, state)}
        return Standing(script, roots, places, size), _step(use, place)

    def _drawn(self, sort: Sort, literal: bool) -> Term | None:
        """A term of the seed that can stand at the place in hand, or a literal."""
        term = None
        if not literal and not self._stream.chance(_LITERAL):
            term = self._pool.draw(sort, self._scope, self._stream)
        if term is None:
            term = self._literal(sort)
        if term is None and not literal:
            term = self._pool.draw(sort, self._scope, self._stream)
        return None if term is None else renamed(self._tables, term)

    def _literal(self, sort: Sort) -> Term | None:
        if sort.kind == "SORT_REGLAN":
            return self._tables.apply("OP_STR_TO_RE", self._maker.text())
        if sort.kind == "SORT_FP":
            bits = self._stream.bits(sort.number(0) + sort.number(1))
            return self._tables.value(sort, bits)
        return LITERALS[sort.kind](self._maker, sort) if sort.kind in LITERALS else None


def _add(places: dict[Key, int], more: Mapping[Key, int], sign: int) -> None:
    """Add numbers of places, or take them away."""
    for key, number in more.items():
        places[key] = places.get(key, 0) + sign * number
        if not places[key]:
            del places[key]


def _step(use: Use, place: Place) -> str:
    way = "weaker" if use.weakening else "stronger"
    order, sign = place.state
    depth = len(place.occurrence.above)
    where = f"{order} {'+' if sign > 0 else '-' if sign else '='}"
    return f"{use.rule.book}:{use.rule.name}, {way}, at {where}, depth {depth}"
