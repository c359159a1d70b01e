"""Places of a script at which a weaker or a stronger term makes the whole assertion weaker, or
stronger.

A place is a path from an assertion down to a term, together with an order and a sign. At a place of
the order `bool` and the sign 1, a weaker formula makes the assertion weaker; at one of the order
`int` and the sign -1, a smaller integer does. The operators say by `monotone` in `fsm/theories` how
order and sign go on from an application to its arguments. The sign 0 is that of formulas below other
operators, where only an equivalent formula can stand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.orders import ANY_ORDER
from murxpy.logic.terms import FUNCTION, Term
from murxpy.machine.random import Stream
from murxpy.mutation.occurrences import Occurrence
from murxpy.smtlib.substitution import binds

FORMULAS = "bool"
State = tuple[str, int]
"""An order and a sign."""
Key = tuple[str, int, str]
"""What decides which rules can be used at a place: its order, its sign, and the operator of its term."""


@dataclass(frozen=True, slots=True)
class Place:
    """A term at its place, with the order and the sign there."""

    occurrence: Occurrence
    state: State


class Places:
    """Counts places by their keys, once for each term and state, and draws one uniformly."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._counts: dict[tuple[Term, State], dict[Key, int]] = {}
        self._below: dict[tuple[str, int, int, State], tuple[tuple[int, State], ...]] = {}

    def count(self, root: Term, state: State) -> dict[Key, int]:
        """How many places of each key there are in a term at a place with this state."""
        counts = self._counts
        start = (root, state)
        stack = [start]
        while stack:
            node = stack[-1]
            if node in counts:
                stack.pop()
                continue
            below = [(node[0].args[position], inner) for position, inner in self._parts(*node)]
            waiting = [child for child in below if child not in counts]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            found: dict[Key, int] = {(*node[1], node[0].op): 1}
            for child in below:
                for key, number in counts[child].items():
                    found[key] = found.get(key, 0) + number
            counts[node] = found
        return counts[start]

    def draw(
        self, root: Term, state: State, wanted: Callable[[Key], bool], stream: Stream
    ) -> Place | None:
        """A random place whose key is wanted; None if there is none."""
        counts = self._counts

        def number(term: Term, there: State) -> int:
            return sum([count for key, count in counts[term, there].items() if wanted(key)])

        self.count(root, state)
        total = number(root, state)
        if not total:
            return None
        at, above, term = stream.below(total), list[tuple[Term, int]](), root
        while True:
            own = wanted((*state, term.op))
            if at < own:
                return Place(Occurrence(term, tuple(above)), state)
            at -= own
            for position, inner in self._parts(term, state):
                below = number(term.args[position], inner)
                if at < below:
                    above.append((term, position))
                    term, state = term.args[position], inner
                    break
                at -= below

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
