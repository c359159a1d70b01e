"""The places of a formula at which a term can be replaced, each with the range that keeps the
formula true, and the choice of one by weight.

Kim, So, Oh: "DIVER", ICSE 2023: the range of an assertion is {true}; a backward rule gives the range
of each argument. The weight of a place is the score of its range.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import murxpy.semantics.ranges.all  # noqa: F401  # enters the backward rules
from murxpy.logic.terms import FUNCTION, Term
from murxpy.machine.random import Stream
from murxpy.mutation.diving.witness import Witness
from murxpy.mutation.occurrences import Occurrence, binds
from murxpy.mutation.workshop import Shop
from murxpy.semantics.ranges.abstract import ANY, TRUE, Range
from murxpy.semantics.ranges.backward import NOTHING, below
from murxpy.semantics.registry import Unknown

Node = tuple[Term, Range]
"""A term and the range in which its value must stay. Equal nodes have equal places below them."""


@dataclass(frozen=True, slots=True)
class Place:
    """An occurrence of a term, and the range in which its value keeps the assertion true."""

    occurrence: Occurrence
    wanted: Range


class Places:
    """The places in formulas that are true in a witness. What is computed for a node is remembered,
    so that a changed formula only costs its new nodes.

    There are no places inside of binders. Without a witness, only formulas that may have any value
    have places. With `weighted` unset, all places have the same weight.
    """

    def __init__(self, shop: Shop, witness: Witness | None, weighted: bool = True) -> None:
        self._catalogue = shop.catalogue
        self._profile = shop.profile
        self._witness = witness
        self._weighted = weighted
        self._inner: dict[Node, tuple[tuple[int, Node], ...]] = {}
        self._weights: dict[Node, float] = {}

    def weight(self, root: Term, wanted: Range = TRUE) -> float:
        """The weight of all places together, in a formula whose value must stay in a range."""
        start: Node = (root, wanted)
        weights = self._weights
        if start in weights:
            return weights[start]
        stack = [start]
        while stack:
            node = stack[-1]
            if node in weights:
                stack.pop()
                continue
            inner = self._inner.get(node)
            if inner is None:
                inner = self._inner[node] = tuple(self._arguments(node))
            waiting = [child for _, child in inner if child not in weights]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            weights[node] = self._own(node) + sum([weights[child] for _, child in inner])
        return weights[start]

    def draw(self, root: Term, stream: Stream, wanted: Range = TRUE) -> Place | None:
        """A random place in a formula, by weight; None if there is none."""
        total = self.weight(root, wanted)
        if total <= 0:
            return None
        above: list[tuple[Term, int]] = []
        node: Node = (root, wanted)
        point = stream.random() * total
        while (own := self._own(node)) <= point and self._inner[node]:
            point -= own
            for step in self._inner[node]:
                if point < self._weights[step[1]]:
                    break
                point -= self._weights[step[1]]
            # rounding can leave the point behind the last argument, which is then taken
            above.append((node[0], step[0]))
            node = step[1]
        return Place(Occurrence(node[0], tuple(above)), node[1]) if own > 0 else None

    def nodes(self, root: Term) -> Iterator[tuple[Node, float]]:
        """Each occurrence of a term with its range and its weight, from the root down."""
        self.weight(root)
        stack: list[Node] = [(root, TRUE)]
        while stack:
            node = stack.pop()
            yield node, self._own(node)
            stack.extend(child for _, child in reversed(self._inner[node]))

    def at(self, root: Term, path: Sequence[int], wanted: Range = TRUE) -> Range:
        """The range of the argument to which a path leads."""
        node: Node = (root, wanted)
        for position in path:
            self.weight(*node)
            node = dict(self._inner[node]).get(position, (node[0].args[position], NOTHING))
        return node[1]

    def _own(self, node: Node) -> float:
        term, wanted = node
        if term.sort.kind in ("SORT_FUN", "SORT_CASE") or wanted == NOTHING:
            return 0.0
        return wanted.score if self._weighted else 1.0

    def _arguments(self, node: Node) -> Iterator[tuple[int, Node]]:
        term, wanted = node
        if not term.args or wanted == NOTHING or term.op == FUNCTION:
            return
        if binds(self._catalogue, term) or term.op == "OP_DT_MATCH":
            return
        if wanted is ANY or self._witness is None:
            ranges: list[Range] = [wanted if wanted is ANY else NOTHING] * len(term.args)
        else:
            values = [self._witness.value(arg) for arg in term.args]
            ranges = below(self._witness.evaluator, term, wanted, values)
        first = 1 if term.op == "OP_UF_APPLY" else 0
        operator = self._catalogue.operators.get(term.op)
        for position in range(first, len(term.args)):
            # the solver takes nothing but a literal there
            bound = operator is not None and self._profile.literal(operator, position) is not None
            yield position, (term.args[position], NOTHING if bound else ranges[position])


def unknown(value: object) -> bool:
    """Whether a value is not known."""
    return type(value) is Unknown
