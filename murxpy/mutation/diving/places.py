"""The places of a formula at which a term can be replaced, each with the range that keeps the
formula true, and the choice of one by weight.

Kim, So, Oh: "DIVER", ICSE 2023: the range of an assertion is {true}; a backward rule gives the range
of each argument. The weight of a place is the score of its range.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import murxpy.semantics.ranges.all  # noqa: F401  # enters the backward rules
from murxpy.logic.terms import FUNCTION, Term
from murxpy.machine.random import Stream
from murxpy.mutation.diving.witness import Witness
from murxpy.mutation.occurrences import Occurrence, binds
from murxpy.mutation.workshop import Shop
from murxpy.semantics.ranges.abstract import ANY, NOTHING, TRUE, Range
from murxpy.semantics.ranges.backward import below
from murxpy.semantics.registry import Unknown

# types of values that are equal only if nothing tells them apart
_PLAIN = (bool, int, Fraction, str)


class Node:
    """A term and the range in which its value must stay. There is one node for equal ones, because
    they have equal places below them. `own` is the weight of the term's own place, `total` that of
    all places in it, and `inner` has those arguments in which there may be places, with their
    positions; the last two are None as long as nobody asked.
    """

    __slots__ = ("inner", "own", "term", "total", "wanted")

    def __init__(self, term: Term, wanted: Range, own: float) -> None:
        self.term = term
        self.wanted = wanted
        self.own = own
        self.inner: tuple[tuple[int, Node], ...] | None = None
        self.total: float | None = None


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
        self._nodes: dict[Range, dict[Term, Node]] = {}

    def weight(self, root: Term, wanted: Range = TRUE) -> float:
        """The weight of all places together, in a formula whose value must stay in a range."""
        return self._weighed(self._node(root, wanted))

    def _node(self, term: Term, wanted: Range) -> Node:
        nodes = self._nodes.get(wanted)
        if nodes is None:
            nodes = self._nodes[wanted] = {}
        node = nodes.get(term)
        if node is None:
            node = nodes[term] = Node(term, wanted, self._own(term, wanted))
        return node

    def _weighed(self, start: Node) -> float:
        if start.total is not None:
            return start.total
        stack = [start]
        while stack:
            node = stack[-1]
            inner = self._inner(node)
            waiting = [child for _, child in inner if child.total is None]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            node.total = node.own + sum([child.total or 0.0 for _, child in inner])
        return start.total or 0.0

    def draw(self, root: Term, stream: Stream, wanted: Range = TRUE) -> Place | None:
        """A random place in a formula, by weight; None if there is none."""
        node = self._node(root, wanted)
        total = self._weighed(node)
        if total <= 0:
            return None
        above: list[tuple[Term, int]] = []
        point = stream.random() * total
        while node.own <= point and node.inner:
            point -= node.own
            for step in node.inner:
                below = step[1].total or 0.0
                if point < below:
                    break
                point -= below
            # rounding can leave the point behind the last argument, which is then taken
            above.append((node.term, step[0]))
            node = step[1]
        return Place(Occurrence(node.term, tuple(above)), node.wanted) if node.own > 0 else None

    def nodes(self, root: Term) -> Iterator[Node]:
        """Each occurrence of a term with its range and its weight, from the root down."""
        self.weight(root)
        stack = [self._node(root, TRUE)]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(child for _, child in reversed(node.inner or ()))

    def at(self, root: Term, path: Sequence[int], wanted: Range = TRUE) -> Range:
        """The range of the argument to which a path leads."""
        node = self._node(root, wanted)
        for position in path:
            below = dict(self._inner(node)).get(position)
            node = below or self._node(node.term.args[position], NOTHING)
        return node.wanted

    def follow(self, old: Term, new: Term, path: Sequence[int], wanted: Range = TRUE) -> None:
        """Take over from a formula what is known of its places for the formula with another term at the
        end of a path. As long as the arguments on the path have the same value in both, those beside
        them have the same ranges.
        """
        before, after = self._node(old, wanted), self._node(new, wanted)
        for position in path:
            inner = before.inner
            if not inner or after.inner is not None:
                return
            beside, changed = before.term.args[position], after.term.args[position]
            if before.wanted is not ANY and not self._alike(beside, changed):
                return
            at = position - inner[0][0]
            before = inner[at][1]
            after.inner = (
                *inner[:at],
                (position, below := self._node(changed, before.wanted)),
                *inner[at + 1 :],
            )
            after = below

    def _alike(self, one: Term, other: Term) -> bool:
        """Whether two terms have the same known value in the witness."""
        if self._witness is None:
            return False
        values = self._witness.value(one), self._witness.value(other)
        return type(values[0]) in _PLAIN and values[0] == values[1]

    def _own(self, term: Term, wanted: Range) -> float:
        if term.sort.kind in ("SORT_FUN", "SORT_CASE") or wanted is NOTHING:
            return 0.0
        return wanted.score if self._weighted else 1.0

    def _inner(self, node: Node) -> tuple[tuple[int, Node], ...]:
        if node.inner is None:
            node.inner = tuple(self._arguments(node.term, node.wanted))
        return node.inner

    def _arguments(self, term: Term, wanted: Range) -> Iterator[tuple[int, Node]]:
        if not term.args or wanted is NOTHING or term.op == FUNCTION:
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
        asking = operator if operator and self._profile.literals(operator) else None
        for position in range(first, len(term.args)):
            # the solver takes nothing but a literal there
            bound = asking and self._profile.literal(asking, position) is not None
            yield position, self._node(term.args[position], NOTHING if bound else ranges[position])


def unknown(value: object) -> bool:
    """Whether a value is not known."""
    return type(value) is Unknown
