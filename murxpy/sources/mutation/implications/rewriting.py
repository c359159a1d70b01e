"""The keys of places: which rules can be used at a place of a run.

Operators deep in a pattern must be in the term, too. A rule is therefore drawn for hardly any place
at which it does not match.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import IllSorted, Sort
from murxpy.logic.terms import Term
from murxpy.logic.walks import bottom_up
from murxpy.machine.random import Stream
from murxpy.smtlib.building import Tables
from murxpy.sources.mutation.implications.book import Book, Use
from murxpy.sources.mutation.implications.matching import (
    LETTER,
    Form,
    Matcher,
    form_of,
    has_parts,
    opened,
    unbound,
)
from murxpy.sources.mutation.implications.monotone_places import State
from murxpy.sources.mutation.implications.rule import DATATYPE, Binding, Patterns, range_of

_DRAWS = 8  # draws of a rule that are tried until one has a place
Uses = tuple[Use, ...]


class Key:
    """Places at which the same rules can be used."""

    __slots__ = ("uses",)

    def __init__(self, uses: Uses) -> None:
        self.uses: Mapping[Use, None] = dict.fromkeys(uses)


class Keys:
    """The keys of the places of one run. `possible` says whether there are terms for the
    metavariables of a rule that the matched pattern does not have.
    """

    def __init__(self, catalogue: Catalogue, book: Book, possible: Callable[[Use], bool]) -> None:
        self._catalogue = catalogue
        self._book = book
        self._possible = possible
        self._there: dict[Use, bool] = {}  # what `possible` said
        self._forms: dict[tuple[State, Form], tuple[Uses, list[tuple[int, Use]]]] = {}
        self._keys: dict[Uses, Key] = {}
        self._bits: dict[str, int] = {}  # for each operator a bit
        self._operators: dict[Term, int] = {}  # the bits of the operators in each term

    def of(self, term: Term, state: State) -> Key | None:
        """The key of a term at a place of this state; None if no rule can be used there."""
        form = state, form_of(term)
        known = self._forms.get(form)
        if known is None:
            plain, deep = self._book.uses(term, state, form)
            wanted = [(sum(map(self._bit, use.operators)), use) for use in self._filtered(deep)]
            known = self._forms[form] = tuple(self._filtered(plain)), wanted
        uses, several = known
        if several:
            there = self._in(term)
            near = [use for wanted, use in several if wanted & there == wanted]
            if near:
                fits, catalogue = has_parts, self._catalogue
                uses += tuple([use for use in near if fits(catalogue, use.metas, use.old, term)])
        if not uses:
            return None
        key = self._keys.get(uses)
        if key is None:
            key = self._keys[uses] = Key(uses)
        return key

    def _filtered(self, uses: Uses) -> list[Use]:
        there = self._there
        for use in uses:
            if use not in there:
                there[use] = self._possible(use)
        return [use for use in uses if there[use]]

    def _in(self, root: Term) -> int:
        """The bits of all operators in a term."""
        known = self._operators
        for term in bottom_up(root, known):
            found = self._bit(term.op)
            for arg in term.args:
                found |= known[arg]
            known[term] = found
        return known[root]

    def _bit(self, operator: str) -> int:
        return self._bits.setdefault(operator, 1 << len(self._bits))


class Choice:
    """Draws rules that can be used at some place of a run. Each new key adds its rules."""

    def __init__(self) -> None:
        self._keys: dict[Key, None] = {}
        self._known: dict[Use, None] = {}
        # the rules in the order in which they came, and the sums of their weights
        self._uses: list[Use] = []
        self._sums: list[float] = []

    def draw(self, there: Iterable[Key], stream: Stream) -> tuple[Use, list[Key]] | None:
        """A random rule by weight, and those of the keys `there` at whose places it can be used; None if a few
        draws find none.
        """
        self._add(there)
        for _ in range(_DRAWS if self._uses else 0):
            at = bisect_right(self._sums, stream.random() * self._sums[-1])
            use = self._uses[min(at, len(self._uses) - 1)]
            fitting = [key for key in there if use in key.uses]
            if fitting:
                return use, fitting
        return None

    def _add(self, keys: Iterable[Key]) -> None:
        for key in keys:
            if key in self._keys:
                continue
            self._keys[key] = None
            for use in key.uses:
                if use not in self._known:
                    self._known[use] = None
                    self._uses.append(use)
                    self._sums.append(use.weight + (self._sums[-1] if self._sums else 0.0))


# ----------------------------------------------------------------------
# The use of a rule at a place: a term of the form of one pattern becomes one of the form of the
# other.


_CONTEXTS = 12  # terms of the seed that are drawn for one metavariable that is a function

_LITERALS = 6  # draws of literals for which the condition of a rule may hold

Draw = Callable[[Sort, bool], Term | None]
"""Draws a term of a sort for a metavariable that the matched pattern does not have: a literal if the
second argument says so. None if there is none.
"""


class Rewriter:
    """Uses rules on terms of `tables`. `sorts` are the sorts of which there are terms to draw, and
    `served` the kinds of sorts that have literals.
    """

    def __init__(
        self,
        tables: Tables,
        stream: Stream,
        sorts: list[Sort],
        served: frozenset[str],
        draw: Draw,
    ) -> None:
        self._tables = tables
        self._stream = stream
        self._sorts = sorts
        self._served = served
        self._draw = draw
        self._matcher = Matcher(tables, stream)

    def rewrite(self, use: Use, term: Term) -> Term | None:
        """The term that the rule makes of `term`; None if the rule does not fit."""
        numbers = self._matcher.numbers(use.variant, use.old, term)
        if numbers is None or not self._indices(use, numbers):
            return None
        patterns = use.variant.at({name: numbers[name] for name in use.rule.numbers})
        if patterns is None:
            return None
        old, new = patterns.strong, patterns.weak
        if not use.weakening:
            old, new = new, old
        try:
            if use.rule.chain and len(term.args) > 2:
                made = self._chain(use, patterns, old, new, term)
            else:
                made = self._whole(patterns, old, new, term)
        except (IllSorted, KeyError):
            return None
        return None if made is term else made

    def possible(self, use: Use) -> bool:
        """Whether terms can be drawn for the metavariables that the matched pattern does not have."""
        for sort in use.parameters:
            if sort.kind == "SORT_FUN":
                there = bool(self._sorts)
            else:
                served = sort.kind in self._served and sort not in use.open_sorts
                there = served or bool(self._fitting(use, sort, {}))
            if not there:
                return False
        return True

    def _fitting(self, use: Use, sort: Sort, numbers: dict[str, int]) -> list[Sort]:
        """The sorts of terms to draw that have the form of a sort in a rule."""
        fit = self._matcher.fit
        return [one for one in self._sorts if fit(use.variant, sort, one, dict(numbers))]

    def _indices(self, use: Use, numbers: dict[str, int]) -> bool:
        """Draw those numbers that the matched term does not determine. False if an index cannot be
        drawn.
        """
        for sort in use.open_sorts:
            fitting = self._fitting(use, sort, numbers)
            if not fitting:
                return False
            self._matcher.fit(use.variant, sort, self._stream.choose(fitting), numbers)
        for letter in use.rule.numbers:
            if letter in numbers and letter not in use.rule.indices:
                continue
            allowed = range_of(use.rule.indices.get(letter, ""), numbers)
            if not allowed or (letter in numbers and numbers[letter] not in allowed):
                return False
            numbers.setdefault(letter, self._stream.choose(allowed))
        return True

    def _whole(self, patterns: Patterns, old: Term, new: Term, term: Term) -> Term | None:
        known = Binding(root=old)
        if not self._matcher.match(patterns.metas, old, term, known):
            return None
        if not self._fill(patterns, new, known):
            return None
        made = self._matcher.make(patterns.metas, new, known)
        return self._tables.apply(term.op, *known.rest, made) if known.rest else made

    def _chain(self, use: Use, patterns: Patterns, old: Term, new: Term, term: Term) -> Term | None:
        """Use a rule about two arguments on an application to more of them."""
        operators = self._tables.catalogue.operators
        if term.op != old.op or operators[new.op].binary:
            return None
        one, other = use.rule.chain
        known, values = Binding(), list[Term]()
        for arg in term.args:
            known.terms.pop(one, None)
            if not self._matcher.match(patterns.metas, old.args[0], arg, known):
                return None
            values.append(known.terms[one])
        known.terms[other] = values[1]
        if not self._fill(patterns, new, known):
            return None
        made = []
        for value in values:
            known.terms[one] = value
            made.append(self._matcher.make(patterns.metas, new.args[0], known))
        return self._tables.apply(new.op, *made, indices=new.indices)

    def _fill(self, patterns: Patterns, new: Term, known: Binding) -> bool:
        """Draw terms for the metavariables that the matched pattern does not have, and say whether
        the condition of the rule holds. Raises KeyError if nothing can be drawn.
        """
        constructors = self._matcher.constructors
        if not constructors.draw(new, known, self._stream, self._sorts):
            return False
        where = patterns.where
        bounded = [] if where is None else unbound(patterns, where, known)
        for meta in unbound(patterns, new, known):
            if meta not in bounded and not self._bound(patterns, meta, known):
                return False
        if where is None:
            return True
        for _ in range(_LITERALS if bounded else 1):
            for meta in bounded:
                drawn = self._draw(self._matcher.sort_of(meta.sort, known), True)
                if drawn is None:
                    return False
                known.terms[patterns.metas[meta]] = drawn
            if self._matcher.allows(patterns, known):
                return True
        return False

    def _bound(self, patterns: Patterns, meta: Term, known: Binding) -> bool:
        """Draw a term for a metavariable. False if there is no such term."""
        name = patterns.metas[meta]
        if meta.sort.kind == "SORT_FUN":
            return self._context(name, meta.sort, known)
        if any(letter not in known.sorts for letter in _letters(meta.sort)):
            unify = self._matcher.unify
            fitting = [one for one in self._sorts if unify(meta.sort, one, known.copy())]
            if not fitting:
                return False
            unify(meta.sort, self._stream.choose(fitting), known)
        drawn = self._draw(self._matcher.sort_of(meta.sort, known), False)
        if drawn is not None:
            known.terms[name] = drawn
        return drawn is not None

    def _context(self, name: str, sort: Sort, known: Binding) -> bool:
        """Let a metavariable that is a function be a term of the seed with a part left open. False if
        a few draws find none.
        """
        if len(sort.params) != 2 or not self._sorts:
            return False
        for _ in range(_CONTEXTS):
            term = self._draw(self._stream.choose(self._sorts), False)
            parts = [] if term is None else self._matcher.parts(term)
            fitting = [
                one for one in parts if self._matcher.unify(sort.sort(0), one.sort, known.copy())
            ]
            tried = known.copy()
            if (
                term is None
                or not fitting
                or not self._matcher.unify(sort.sort(1), term.sort, tried)
            ):
                continue
            part = self._stream.choose(fitting)
            self._matcher.unify(sort.sort(0), part.sort, tried)
            known.take(tried)
            variable = self._tables.variable("x", part.sort)
            body = opened(self._tables, term, part, variable)
            known.functions[name] = (variable,), body
            return True
        return False


def _letters(sort: Sort) -> list[str]:
    """The capital letters in a pattern's sort, and the names of sample datatypes."""
    if sort.kind == LETTER:
        return [str(sort.params[0])]
    if sort.kind == DATATYPE:
        return [sort.datatype.name]
    return [letter for inner in sort.sorts() for letter in _letters(inner)]
