"""Recognises what a rule has made: the place at which two scripts differ, and whether a rule leads from
the one term there to the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import FUNCTION, Term
from murxpy.logic.walks import bottom_up
from murxpy.machine.random import Stream
from murxpy.smtlib.building import Tables, binds, substituted
from murxpy.sources.mutation.implications.book import Book, Use
from murxpy.sources.mutation.implications.matching import Matcher
from murxpy.sources.mutation.implications.monotone_places import FORMULAS, Places, State
from murxpy.sources.mutation.implications.rule import Binding, Patterns
from murxpy.sources.mutation.occurrences import Occurrence

_TRIES = 40  # random choices of a match, such as the order of the arguments of a conjunction


@dataclass(frozen=True, slots=True)
class Step:
    """A use of a rule: the place of the old term, and the new one."""

    place: Occurrence
    new: Term


class Instances:
    """Looks for the uses of the rules of `book` between terms of `tables`."""

    def __init__(self, tables: Tables, book: Book) -> None:
        self._tables = tables
        self._book = book
        self._places = Places[State](tables.catalogue, lambda term, state: state)

    def step(self, before: Term, after: Term, sign: int) -> Step | None:
        """The use of a rule that leads from the assertion `before` to `after`, where `sign` is that of
        places at its root; None if there is none. The variables of both must be `numbered`.
        """
        for place, new in reversed(list(_differing(self._tables, before, after))):
            if self.leads(place, new, sign):
                return Step(place, new)
        return None

    def leads(self, place: Occurrence, new: Term, sign: int) -> bool:
        """Whether a rule leads from the term at a place to `new` there."""
        state = self._state(place, (FORMULAS, sign))
        if state is None or place.term.sort is not new.sort:
            return False
        uses = [
            use for use in self._book.all if use.fits(self._tables.catalogue, state, place.term)
        ]
        return any(
            self._matches(use, place.term, new, Stream(number))
            for number in range(_TRIES)
            for use in uses
        )

    def _state(self, place: Occurrence, state: State) -> State | None:
        """The order and the sign at a place; None where no rule can be used."""
        for term, position in place.above:
            inner = self._places.below(term, state).get(position)
            if inner is None:
                return None
            state = inner
        return state

    def _matches(self, use: Use, old: Term, new: Term, stream: Stream) -> bool:
        """Whether both terms have the forms of the patterns, with the same terms in them."""
        matcher, sample = Matcher(self._tables, stream), use.variant.sample
        found = {}
        for one, other in ((use.old, old), (sample.weak if use.weakening else sample.strong, new)):
            numbers = matcher.numbers(use.variant, one, other)
            if numbers is not None:
                found.update(numbers)
            elif one is use.old:
                return False
        if any(letter not in found for letter in use.rule.numbers):
            return False
        patterns = use.variant.at({name: found[name] for name in use.rule.numbers})
        if patterns is None:
            return False
        ways = (patterns.strong, patterns.weak)
        one, other = ways if use.weakening else ways[::-1]
        if use.rule.chain and len(old.args) > 2:
            return self._chained(matcher, use, patterns, (one, other), (old, new))
        known = Binding(root=one)
        if not matcher.match(patterns.metas, one, old, known):
            return False
        if known.rest:  # variables that the rule leaves outside
            if new.op != old.op or new.args[: len(known.rest)] != known.rest:
                return False
            new = self._within(new, len(known.rest))
        known.root = None
        return matcher.match(patterns.metas, other, new, known) and self._allows(
            matcher, patterns, known
        )

    def _within(self, quantified: Term, outside: int) -> Term:
        """A quantified formula without its first variables."""
        rest = quantified.args[outside:]
        return rest[0] if len(rest) == 1 else self._tables.apply(quantified.op, *rest)

    def _chained(
        self,
        matcher: Matcher,
        use: Use,
        patterns: Patterns,
        ways: tuple[Term, Term],
        terms: tuple[Term, Term],
    ) -> bool:
        """Whether a rule about two arguments leads from an application to more of them to another."""
        (one, other), (old, new) = ways, terms
        if (old.op, new.op, len(old.args)) != (one.op, other.op, len(new.args)):
            return False
        known = Binding()
        for before, after in zip(old.args, new.args, strict=True):
            known.terms.pop(use.rule.chain[0], None)
            if not (
                matcher.match(patterns.metas, one.args[0], before, known)
                and matcher.match(patterns.metas, other.args[0], after, known)
            ):
                return False
        return True

    def _allows(self, matcher: Matcher, patterns: Patterns, known: Binding) -> bool:
        """Whether the condition of the rule is true of what both terms have; False if it is about more."""
        try:
            return matcher.allows(patterns, known)
        except KeyError:
            return False


def _differing(tables: Tables, before: Term, after: Term) -> Iterator[tuple[Occurrence, Term]]:
    """The places at which one replaced term makes `after` of `before`, the outermost first."""
    above: tuple[tuple[Term, int], ...] = ()
    while before is not after:
        yield Occurrence(before, above), after
        if _shape(tables, before) != _shape(tables, after):
            return
        bound = binds(tables.catalogue, before)
        if bound:
            fresh = [tables.variable("v", one.sort) for one in bound]
            before, after = (_rebound(tables, term, fresh) for term in (before, after))
        apart = [at for at, arg in enumerate(before.args) if arg is not after.args[at]]
        if len(apart) != 1:
            return
        above = (*above, (before, apart[0]))
        before, after = before.args[apart[0]], after.args[apart[0]]


def _shape(tables: Tables, term: Term) -> tuple[object, ...]:
    bound = [one.sort for one in binds(tables.catalogue, term)]
    return term.op, term.indices, term.sort, len(term.args), bound


def _rebound(tables: Tables, term: Term, fresh: Sequence[Term]) -> Term:
    """The term with other variables in place of those that it binds itself."""
    bound = binds(tables.catalogue, term)
    new = dict(zip(bound, fresh, strict=True))
    args = (*fresh, *[substituted(tables, arg, new) for arg in term.args[len(bound) :]])
    return tables.terms.apply(term.op, args, term.indices, term.sort, tuple(fresh))


class Normal:
    """Makes terms of `tables` that differ only by the names and the identity of the variables that
    they bind the same term.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._variables: dict[tuple[int, int, Sort], Term] = {}
        self._done: dict[Term, Term] = {}
        self._heights: dict[Term, int] = {}  # how many binders stand within each other

    def of(self, root: Term) -> Term:
        """The term with variables that depend on what stands below their binders alone."""
        for term in bottom_up(root, self._done):
            args = tuple([self._done[arg] for arg in term.args])
            height = max([self._heights[arg] for arg in args], default=0)
            bound = binds(self._tables.catalogue, term)
            made = term
            if bound:
                height += 1
                fresh = [self._variable(height, at, one.sort) for at, one in enumerate(bound)]
                applied = self._tables.terms.apply(term.op, args, term.indices, term.sort, bound)
                made = _rebound(self._tables, applied, fresh)
            elif args != term.args:
                inner = term.args[:-1] if term.op == FUNCTION else ()
                made = self._tables.terms.apply(term.op, args, term.indices, term.sort, inner)
            self._done[term] = made
            self._heights[made] = height
        return self._done[root]

    def _variable(self, height: int, position: int, sort: Sort) -> Term:
        key = (height, position, sort)
        if key not in self._variables:
            self._variables[key] = self._tables.variable("v", sort)
        return self._variables[key]
