"""Terms built anew with other sorts and names: bit-vectors of other widths, constants and sorts under other names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, FUNCTION, VALUE, VARIABLE, Term, bottom_up
from murxpy.logic.typing import IllSorted
from murxpy.smtlib.substitution import binds
from murxpy.smtlib.tables import Tables

BV = "SORT_BV"


class Rebuilder:
    """Builds terms of `tables` anew: bit-vectors have the width that `width` gives, constants and variables the name that `names` has for
    them, uninterpreted sorts that of `sorts`; what is not there stays.

    An index that only says how wide the result is (of an extension, a conversion) follows it, a value loses its high bits. `term` raises
    IllSorted where no term of the new sorts is left: of an extraction that reaches too far, of formats and arguments that do not fit.
    """

    def __init__(self, tables: Tables, width: Callable[[int], int] = lambda w: w, names: Mapping[Term, str] | None = None,
                 sorts: Mapping[Sort, str] | None = None) -> None:  # fmt: skip
        self._tables = tables
        self._width = width
        self._names = names or {}
        self._sort_names = sorts or {}
        self._done: dict[Term, Term] = {}

    def sort(self, sort: Sort) -> Sort:
        """A sort, and what is in it; datatypes stay as they are declared."""
        if sort.kind == BV:
            return self._tables.sort(BV, self._width(sort.width))
        if sort in self._sort_names:
            return self._tables.sort(sort.kind, self._sort_names[sort])
        if not sort.sorts():
            return sort
        return self._tables.sorts.get(sort.kind, *(self.sort(param) if isinstance(param, Sort) else param for param in sort.params))

    def term(self, root: Term) -> Term:
        """A term. Raises IllSorted."""
        done = self._done
        for term in bottom_up(root, done):
            done[term] = self._leaf(term) if not term.args else self._applied(term, tuple([done[arg] for arg in term.args]))
        return done[root]

    def _leaf(self, term: Term) -> Term:
        sort, name = self.sort(term.sort), self._names.get(term)
        if sort is term.sort and name is None:
            return term
        if term.op == CONSTANT:
            return self._tables.terms.leaf(CONSTANT, (name or term.indices[0],), sort)
        if term.op == VARIABLE:
            return self._tables.variable(name or str(term.indices[0]), sort)
        if term.op == VALUE and sort.kind == BV:
            return self._tables.value(sort, term.indices[0] & ((1 << sort.width) - 1))
        raise IllSorted(f"a {term.sort} is no {sort}")

    def _applied(self, term: Term, args: tuple[Term, ...]) -> Term:
        tables, wanted = self._tables, self.sort(term.sort)
        if all(old is arg for old, arg in zip(term.args, args, strict=True)) and wanted is term.sort:
            return term
        if term.op == FUNCTION:
            return tables.terms.apply(term.op, args, term.indices, wanted, args[:-1])
        operator = tables.catalogue.operators.get(term.op)
        if operator is None or term.sort.kind == "SORT_CASE":
            if any(old.sort is not arg.sort for old, arg in zip(term.args, args, strict=True)):
                raise IllSorted(f"{term.op} stays as it is")
            return tables.terms.apply(term.op, args, term.indices, term.sort, args[: len(binds(tables.catalogue, term))])
        indices = _indices(term, args, wanted)
        made = tables.apply(term.op, *args, indices=indices, wanted=wanted if operator.signature.as_sort else None)
        if made.sort is not wanted:
            raise IllSorted(f"{made.sort} is no {wanted}")
        return made


def _indices(term: Term, args: tuple[Term, ...], wanted: Sort) -> tuple[object, ...]:
    """The indices of an application whose arguments and result have other widths. Raises IllSorted for a width that cannot be."""
    if wanted.kind != BV:
        return term.indices
    width = wanted.width
    if term.op in ("OP_BV_ZERO_EXTEND", "OP_BV_SIGN_EXTEND"):
        found: tuple[int, ...] = (width - args[0].sort.width,)
    elif term.op == "OP_BV_EXTRACT":
        low = min(int(term.indices[1]), args[0].sort.width - width)
        found = (low + width - 1, low)
    elif term.op in ("OP_INT_TO_BV", "OP_FP_TO_UBV", "OP_FP_TO_SBV"):
        found = (width,)
    else:
        return term.indices
    if min(found) < 0:
        raise IllSorted(f"no {term.op} of {args[0].sort} to {wanted}")
    return found
