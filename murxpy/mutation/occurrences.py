"""Occurrences of terms in assertions: drawing one at random, and putting another term in its place.

An occurrence is a path from the assertion down. Drawing goes from the root to an argument by the number of occurrences below it, so
it is uniform over all, shared or not, and costs the depth alone. What a binder binds, patterns and cases of a match are no
occurrences of their own; bodies are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import FUNCTION, Term
from murxpy.machine.random import Stream
from murxpy.smtlib.substitution import binds as binds
from murxpy.smtlib.tables import Tables


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A term where it stands: the terms above it, outermost first, each with the argument that leads down."""

    term: Term
    above: tuple[tuple[Term, int], ...]


class Occurrences:
    """The occurrences of the terms that `wanted` holds for; counts are kept by term, so a changed assertion costs what is new in it."""

    def __init__(self, catalogue: Catalogue, wanted: Callable[[Term], bool]) -> None:
        self._catalogue = catalogue
        self._wanted = wanted
        self._counts: dict[Term, int] = {}
        operators = catalogue.operators.values()
        self._special = frozenset([op.kind for op in operators if op.signature.binder] + ["OP_UF_APPLY", FUNCTION])

    def count(self, root: Term) -> int:
        """How many there are in `root`."""
        counts = self._counts
        if root in counts:
            return counts[root]
        stack = [root]
        while stack:
            term = stack[-1]
            inner = self._open(term) if term.op in self._special else term.args
            waiting = [arg for arg in inner if arg not in counts]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            if term not in counts:
                counts[term] = self._own(term) + sum([counts[arg] for arg in inner])
        return counts[root]

    def draw(self, root: Term, stream: Stream) -> Occurrence | None:
        """A random one in `root`; None where there is none."""
        if not self.count(root):
            return None
        above: list[tuple[Term, int]] = []
        term, at = root, stream.below(self._counts[root])
        while at >= (own := self._own(term)):
            at -= own
            for position in self._positions(term):
                below = self._counts[term.args[position]]
                if at < below:
                    above.append((term, position))
                    term = term.args[position]
                    break
                at -= below
        return Occurrence(term, tuple(above))

    def _own(self, term: Term) -> int:
        return int(self._wanted(term) and term.sort.kind != "SORT_CASE")

    def _open(self, term: Term) -> tuple[Term, ...]:
        return tuple([term.args[position] for position in self._positions(term)])

    def _positions(self, term: Term) -> range:
        """The arguments that have occurrences in them: of a function's application not the function, of a binder its body."""
        if term.op not in self._special:
            return range(len(term.args))
        if term.op == FUNCTION:  # a definition, which has its own place
            return range(0)
        first = 1 if term.op == "OP_UF_APPLY" else len(binds(self._catalogue, term))
        return range(first, len(term.args) - term.op.endswith("_PATTERN"))


def in_scope(catalogue: Catalogue, occurrence: Occurrence) -> list[Term]:
    """The variables that may stand at an occurrence, outermost first."""
    return [variable for term, _ in occurrence.above for variable in binds(catalogue, term)]


def replaced(tables: Tables, occurrence: Occurrence, new: Term) -> Term:
    """The assertion with `new`, a term of the same sort, in place of the occurrence alone."""
    for term, position in reversed(occurrence.above):
        args = (*term.args[:position], new, *term.args[position + 1 :])
        new = tables.terms.apply(term.op, args, term.indices, term.sort, binds(tables.catalogue, term))
    return new
