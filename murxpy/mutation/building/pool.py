"""The terms of scripts by sort, from which new expressions are made."""

from __future__ import annotations

from collections.abc import Iterable

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term, subterms
from murxpy.machine.random import Stream
from murxpy.mutation.occurrences import binds


def operators_of(root: Term) -> set[str]:
    """The operators in a term."""
    return {term.op for term in subterms([root])}


class Pool:
    """The terms of scripts by sort, each once. A term with free variables is stored with the
    variables that it needs.
    """

    def __init__(self, catalogue: Catalogue, roots: Iterable[Term]) -> None:
        self.by_sort: dict[Sort, list[Term]] = {}
        seen: dict[Term, None] = {}
        stack = list(roots)[::-1]
        while stack:
            term = stack.pop()
            if term in seen:
                continue
            seen[term] = None
            if term.sort.kind not in ("SORT_CASE", "SORT_FUN"):
                self.by_sort.setdefault(term.sort, []).append(term)
            bound = binds(catalogue, term)
            first = 1 if term.op == "OP_UF_APPLY" else len(bound)
            stack.extend(reversed(term.args[first:]))
        self.sorts = list(self.by_sort)

    def add(self, term: Term) -> None:
        """Add a term that can be drawn."""
        if term.sort not in self.by_sort:
            self.by_sort[term.sort] = []
            self.sorts.append(term.sort)
        self.by_sort[term.sort].append(term)

    def draw(self, sort: Sort, scope: dict[Term, None], stream: Stream) -> Term | None:
        """A random term of a sort whose free variables are all in scope; None if a few draws find
        none.
        """
        terms = self.by_sort.get(sort)
        for _ in range(4 if terms else 0):
            term = stream.choose(terms or [])
            if all(variable in scope for variable in term.free):
                return term
        return None
