"""Places of a script at which a weaker or a stronger term makes the whole assertion weaker, or
stronger.

A place is a path from an assertion down to a term, together with an order and a sign. At a place of
the order `bool` and the sign 1, a weaker formula makes the assertion weaker; at one of the order
`int` and the sign -1, a smaller integer does. The operators say by `monotone` in `fsm/theories` how
order and sign go on from an application to its arguments. The sign 0 is that of formulas below other
operators, where only an equivalent formula can stand.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from murxpy.logic.catalogue import ANY_ORDER, Catalogue
from murxpy.logic.terms import FUNCTION, Term
from murxpy.logic.walks import bottom_up
from murxpy.machine.random import Stream
from murxpy.smtlib.building import binds
from murxpy.sources.mutation.occurrences import Occurrence

FORMULAS = "bool"
State = tuple[str, int]
"""An order and a sign."""
Node = tuple[Term, State]
Step = tuple[Term, int]
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Place:
    """A term at its place, with the order and the sign there."""

    occurrence: Occurrence
    state: State


class Places(Generic[K]):
    """Counts places by keys, once for each term and state, and draws one uniformly.

    `key_of` gives the key of a term at a place with a state; None if the place does not count.
    """

    def __init__(self, catalogue: Catalogue, key_of: Callable[[Term, State], K | None]) -> None:
        self._catalogue = catalogue
        self._key_of = key_of
        self._nodes: dict[Node, tuple[K | None, tuple[tuple[int, Node], ...]]] = {}
        self._counts: dict[Node, dict[K, int]] = {}
        self._below: dict[tuple[str, int, int, State], tuple[tuple[int, State], ...]] = {}

    def count(self, root: Term, state: State) -> dict[K, int]:
        """Count the places of each key in a term at a place with this state."""
        counts, start = self._counts, (root, state)
        known = counts.get(start)
        if known is not None:
            return known
        for node in bottom_up(
            start, counts, lambda one: [child for _, child in self._inner(one)[1]]
        ):
            counts[node] = self._sum(node)
        return counts[start]

    def _sum(self, node: Node) -> dict[K, int]:
        own, below = self._nodes[node]
        found: dict[K, int] = {} if own is None else {own: 1}
        for _, child in below:
            for key, number in self._counts[child].items():
                found[key] = found.get(key, 0) + number
        return found

    def draw(self, root: Term, state: State, key: K, stream: Stream) -> Place | None:
        """A random place with a key; None if there is none."""
        total = self.count(root, state).get(key, 0)
        if not total:
            return None
        counts, at, above, node = self._counts, stream.below(total), list[Step](), (root, state)
        while True:
            own, inner = self._nodes[node]
            if own == key:
                if not at:
                    return Place(Occurrence(node[0], tuple(above)), node[1])
                at -= 1
            for position, child in inner:
                below = counts[child].get(key, 0)
                if at < below:
                    above.append((node[0], position))
                    node = child
                    break
                at -= below

    def _inner(self, node: Node) -> tuple[K | None, tuple[tuple[int, Node], ...]]:
        """The key of a node, and the nodes below it."""
        known = self._nodes.get(node)
        if known is None:
            term, state = node
            below = tuple([(at, (term.args[at], there)) for at, there in self._parts(term, state)])
            known = self._nodes[node] = self._key_of(term, state), below
        return known

    def below(self, term: Term, state: State) -> dict[int, State]:
        """The states of the arguments of a term at a place with this state, by their positions."""
        return dict(self._parts(term, state))

    def _parts(self, term: Term, state: State) -> tuple[tuple[int, State], ...]:
        """The arguments of a term at a place with this state in which there are places, each with its
        state.
        """
        if not term.args or term.op == FUNCTION:
            return ()
        first = len(binds(self._catalogue, term))
        key = (term.op, first, len(term.args), state)
        found = self._below.get(key)
        if found is None:
            found = self._below[key] = tuple(self._states(term, first, state))
        if state[1] == 0 or len(found) < len(term.args) - first:
            known = dict(found)
            boolean = [
                position
                for position, arg in enumerate(term.args)
                if position >= first and position not in known and arg.sort.kind == "SORT_BOOL"
            ]
            if boolean and not term.op.endswith("_PATTERN"):
                return (*found, *[(position, (FORMULAS, 0)) for position in boolean])
        return found

    def _states(self, term: Term, first: int, state: State) -> list[tuple[int, State]]:
        operator = self._catalogue.operators.get(term.op)
        order, sign = state
        if operator is None or sign == 0:
            return []
        found: dict[int, State] = {}
        for monotone in operator.monotone:
            if monotone.result not in (order, ANY_ORDER):
                continue
            count = len(term.args) - first - term.op.endswith("_PATTERN")
            for position, inner, turned in monotone.at(operator.signature.attribute, count):
                there = order if inner == ANY_ORDER else inner
                found.setdefault(first + position, (there, sign * turned))
        return list(found.items())
