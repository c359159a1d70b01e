"""Occurrences of terms in assertions: one is drawn at random, and another term replaces it.

An occurrence is a path from the assertion down to the term. A draw goes from the root to an argument
by the number of occurrences below it. The choice is therefore uniform over all occurrences, shared or
not, and costs only the depth. Bound variables, patterns, and cases of a match are no occurrences of
their own; bodies are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import FUNCTION, Term
from murxpy.logic.walks import bottom_up
from murxpy.machine.random import Stream
from murxpy.smtlib.building import Tables
from murxpy.smtlib.building import binds as binds


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A term at its place: the terms above it, outermost first, each with the number of the
    argument that leads down.
    """

    term: Term
    above: tuple[tuple[Term, int], ...]


class Occurrences:
    """The occurrences of the terms for which `wanted` holds. Counts are remembered for each term,
    so that a changed assertion only costs its new terms.

    If `wanted` gives a number, the occurrence counts and is drawn that many times. `within`, if it
    is given, says whether a term can contain any occurrences.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        wanted: Callable[[Term], int],
        within: Callable[[Term], bool] | None = None,
    ) -> None:
        self._catalogue = catalogue
        self._wanted = wanted
        self._within = within
        self._counts: dict[Term, int] = {}
        operators = catalogue.operators.values()
        self._special = frozenset(
            [op.kind for op in operators if op.signature.binder] + ["OP_UF_APPLY", FUNCTION]
        )

    def count(self, root: Term) -> int:
        """The number of occurrences in `root`."""
        counts, within = self._counts, self._within
        if root in counts:
            return counts[root]
        for term in bottom_up(root, counts, self._inner):
            inside = within is None or within(term)
            below = sum([counts[arg] for arg in self._inner(term)])
            counts[term] = self._own(term) + below if inside else 0
        return counts[root]

    def _inner(self, term: Term) -> tuple[Term, ...]:
        if self._within is not None and not self._within(term):
            return ()
        return self._open(term) if term.op in self._special else term.args

    def draw(self, root: Term, stream: Stream) -> Occurrence | None:
        """A random occurrence in `root`; None if there is none."""
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

    def replace(self, tables: Tables, root: Term, numbers: Sequence[int], new: Term) -> Term:
        """`root`, with `new` in place of the occurrences of these numbers. `new` has the same sort;
        the numbers rise and are below `count`.
        """
        if self._own(root) and numbers[0] == 0:
            return new
        frames = [self._frame(root, numbers)]
        while True:
            term, args, below = frames[-1]
            if below:
                position, inside = below[-1]
                if self._own(term.args[position]) and inside[0] == 0:
                    args[position] = new
                    below.pop()
                else:
                    frames.append(self._frame(term.args[position], inside))
                continue
            frames.pop()
            made = tables.terms.apply(
                term.op, tuple(args), term.indices, term.sort, binds(tables.catalogue, term)
            )
            if not frames:
                return made
            _, args, below = frames[-1]
            args[below.pop()[0]] = made

    def _frame(
        self, term: Term, numbers: Sequence[int]
    ) -> tuple[Term, list[Term], list[tuple[int, list[int]]]]:
        """A term, its arguments, and the numbers of the wanted occurrences within each argument."""
        below = []
        first, at = self._own(term), 0
        for position in self._positions(term):
            end, begin = first + self._counts[term.args[position]], at
            while at < len(numbers) and numbers[at] < end:
                at += 1
            if at > begin:
                below.append((position, [number - first for number in numbers[begin:at]]))
            first = end
        return term, list(term.args), below

    def _own(self, term: Term) -> int:
        return int(self._wanted(term)) if term.sort.kind != "SORT_CASE" else 0

    def _open(self, term: Term) -> tuple[Term, ...]:
        return tuple([term.args[position] for position in self._positions(term)])

    def _positions(self, term: Term) -> range:
        """The arguments that can contain occurrences: without the function of an application; of a
        binder only its body.
        """
        if term.op not in self._special:
            return range(len(term.args))
        if term.op == FUNCTION:  # a definition, which is a command of its own
            return range(0)
        first = 1 if term.op == "OP_UF_APPLY" else len(binds(self._catalogue, term))
        return range(first, len(term.args) - term.op.endswith("_PATTERN"))


class Holding:
    """Tells which of some constants occur in a term. The list is computed once for all of them."""

    def __init__(self, constants: Iterable[Term]) -> None:
        self._constants = tuple(constants)
        self._masks = {constant: 1 << at for at, constant in enumerate(self._constants)}

    def test(self, constant: Term) -> Callable[[Term], bool]:
        """A function that says whether this constant occurs in a term."""
        bit, masks = self._masks[constant], self._masks
        return lambda term: bool((masks[term] if term in masks else self._mask(term)) & bit)

    def present(self, roots: Iterable[Term]) -> list[Term]:
        """Return those of the constants that occur in any of these terms."""
        masks, found = self._masks, 0
        for root in roots:
            found |= masks[root] if root in masks else self._mask(root)
        return [constant for constant in self._constants if masks[constant] & found]

    def _mask(self, root: Term) -> int:
        masks = self._masks
        for term in bottom_up(root, masks):
            mask = 0
            for arg in term.args:
                mask |= masks[arg]
            masks[term] = mask
        return masks[root]


def in_scope(catalogue: Catalogue, occurrence: Occurrence) -> list[Term]:
    """The variables that can be used at an occurrence, outermost first."""
    return [variable for term, _ in occurrence.above for variable in binds(catalogue, term)]


def replaced(tables: Tables, occurrence: Occurrence, new: Term) -> Term:
    """The assertion with `new` in place of this one occurrence. `new` has the same sort."""
    for term, position in reversed(occurrence.above):
        args = (*term.args[:position], new, *term.args[position + 1 :])
        new = tables.terms.apply(
            term.op, args, term.indices, term.sort, binds(tables.catalogue, term)
        )
    return new
