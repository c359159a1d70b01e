"""The keys of places: which rules can be used at a place of a run.

Operators deep in a pattern must be in the term, too. So a rule is drawn for hardly any place at which
it does not match.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import Term, bottom_up
from murxpy.machine.random import Stream
from murxpy.mutation.implications.book import Book, Use
from murxpy.mutation.implications.forms import Form, form_of, has_parts
from murxpy.mutation.implications.places import State

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
