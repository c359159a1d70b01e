"""Open points and worlds. A point that the standard leaves open has the same value throughout an
evaluation; each value that it may have is tried in a world of its own.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.semantics.domains import size_of, values_of
from murxpy.semantics.model import Interpretation
from murxpy.semantics.registry import Asking, Fits, OpenPoint, Unknown
from murxpy.semantics.samples import samples
from murxpy.semantics.values import CannotSay, Value

DOMAIN = 1 << 10  # most values of a sort that are enumerated
CHOICES = 16  # most values that are tried at one open point

Key = tuple[Any, ...]


class World:
    """The values of closed terms, for the values of open points that are chosen so far."""

    __slots__ = ("choices", "doubts", "values")

    def __init__(self, values: dict[Term, Any], choices: dict[Key, Value]) -> None:
        self.values = values
        self.choices = choices
        self.doubts: list[Term] = []  # the terms whose value is an Unknown

    def split(self, unknown: Unknown) -> list[World]:
        """Return a world for each value that the open point may have."""
        known = {term: value for term, value in self.values.items() if type(value) is not Unknown}
        return [
            World(dict(known), {**self.choices, unknown.key or (): value})
            for value in unknown.allowed
        ]


class Activation:
    """The evaluation of the parts of one term: their order, how far it is, and a meaning that waits
    for the value of a body.
    """

    __slots__ = ("at", "doubts", "needs", "order", "root", "task", "values")

    def __init__(
        self,
        root: Term,
        order: list[Term],
        values: dict[Term, Any],
        doubts: list[Term],
        needs: tuple[Term, ...] = (),
    ) -> None:
        self.root = root
        self.order = order
        self.values = values
        self.doubts = doubts
        self.needs = needs
        self.at = 0
        self.task: Asking | None = None


class OpenPoints:
    """Answers what meanings ask in an evaluation (`registry.Points`): the values of open points,
    and the values of a sort.

    `world` is the current world, and `base` the one in which no value is chosen. While `searching`
    is set, some values of an open point are tried even if there are too many to try all of them.
    """

    def __init__(self, interpretation: Interpretation, most: int) -> None:
        self.interpretation = interpretation
        self.base = self.world = World({}, {})
        self.searching = False
        self._most = most  # most values of a sort that are enumerated
        self._sizes: dict[Sort, int | None] = {}
        self._domains: dict[Sort, tuple[Value, ...] | None] = {}

    def choose(
        self, key: Key, sort: Sort, allowed: tuple[Value, ...] | None, fits: Fits | None = None
    ) -> Value:
        """Return the value of an open point in the current world. Raises CannotSay if none is
        chosen yet.
        """
        choices = self.world.choices
        if key in choices:
            return choices[key]
        reason = f"{key[0]} is open at {key[-1]}"
        if allowed is None:
            allowed = self._any(sort, fits)
        if not allowed:
            raise CannotSay(reason)
        raise OpenPoint(Unknown(reason, key, tuple(dict.fromkeys(allowed))))

    def _any(self, sort: Sort, fits: Fits | None) -> tuple[Value, ...]:
        """Return all values of a sort that fit. If there are too many, return none, or in a search
        some of them.
        """
        size = self.size(sort)
        every = self.domain(sort) if size is not None and size <= CHOICES else None
        if every is None:
            every = self._samples(sort) if self.searching else ()
        return tuple(filter(fits, every)) if fits is not None else every

    def _samples(self, sort: Sort) -> tuple[Value, ...]:
        """Return some values of a large sort: those that terms have, and the usual ones."""
        known = [
            value
            for term, value in self.base.values.items()
            if term.sort == sort and type(value) is not Unknown
        ]
        return tuple(islice(dict.fromkeys((*known, *samples(sort, self))), CHOICES))

    def size(self, sort: Sort) -> int | None:
        """Return how many values a sort has, or None if there are infinitely many or the number is
        not known.
        """
        if sort not in self._sizes:
            self._sizes[sort] = size_of(sort, self)
        return self._sizes[sort]

    def domain(self, sort: Sort) -> tuple[Value, ...] | None:
        """Return all values of a sort in a fixed order, or None if there are more than the bound or
        they are not known.
        """
        if sort not in self._domains:
            self._domains[sort] = values_of(sort, self, self._most)
        return self._domains[sort]
