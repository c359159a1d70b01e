"""Terms, which are immutable and hash-consed within a run, with their sorts and free variables."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.walks import subterms

CONSTANT, VARIABLE, VALUE, SPECIAL, FUNCTION = (
    "OP_CONSTANT",
    "OP_VARIABLE",
    "OP_VALUE",
    "OP_SPECIAL",
    "OP_FUN",
)
LEAVES = (CONSTANT, VARIABLE, VALUE, SPECIAL)


class Term:
    """A term: its operator, arguments, indices (or what a leaf holds), sort, and free variables in
    the order in which they were made.
    """

    __slots__ = ("args", "free", "ground", "indices", "op", "serial", "sort")

    def __init__(
        self,
        op: str,
        args: tuple[Term, ...],
        indices: tuple[Any, ...],
        sort: Sort,
        free: tuple[Term, ...],
        serial: int,
    ) -> None:
        self.op = op
        self.args = args
        self.indices = indices
        self.sort = sort
        self.free = free
        self.serial = serial
        ground: bool = bool(args) or op in (VALUE, SPECIAL)
        for arg in args:
            if not arg.ground:
                ground = False
                break
        self.ground: bool = ground  # whether it has no constants or variables in it

    @property
    def leaf(self) -> bool:
        """Return whether it is a constant, variable or value."""
        return self.op in LEAVES

    @property
    def literal(self) -> bool:
        """Return whether it is a value or a special value."""
        return self.op == VALUE or self.op == SPECIAL

    def __repr__(self) -> str:
        inner = [repr(a) for a in self.args] + [str(i) for i in self.indices]
        return f"{self.op}({', '.join(inner)})"


class TermTable:
    """The terms of a run. Equal structure gives the same object."""

    def __init__(self) -> None:
        self._terms: dict[tuple[Any, ...], Term] = {}

    def copy(self) -> TermTable:
        """Return a table with the same terms, to which others can be added."""
        made = TermTable()
        made._terms = dict(self._terms)
        return made

    def leaf(self, op: str, payload: tuple[Any, ...], sort: Sort) -> Term:
        """Return a constant or value. An equal payload and sort give the same term."""
        key = (op, payload, sort)
        term = self._terms.get(key)
        if term is None:
            term = self._terms[key] = Term(op, (), payload, sort, (), len(self._terms))
        return term

    def variable(self, name: str, sort: Sort) -> Term:
        """Return a new bound variable. A variable differs from every other variable, also from those
        with the same name.
        """
        serial = len(self._terms)
        term = Term(VARIABLE, (), (name, serial), sort, (), serial)
        term.free = (term,)
        self._terms[(VARIABLE, serial)] = term
        return term

    def apply(
        self,
        op: str,
        args: tuple[Term, ...],
        indices: tuple[Any, ...],
        sort: Sort,
        bound: tuple[Term, ...] = (),
    ) -> Term:
        """Return the application of `op`. The application binds the variables `bound`."""
        key = (op, args, indices, sort)
        term = self._terms.get(key)
        if term is None:
            free = _free(args, bound)
            term = self._terms[key] = Term(op, args, indices, sort, free, len(self._terms))
        return term


def _free(args: tuple[Term, ...], bound: tuple[Term, ...]) -> tuple[Term, ...]:
    """Return the free variables of the arguments without `bound`, in the order of their serial
    numbers. If an argument has exactly these, its tuple is used again.
    """
    found: tuple[Term, ...] = ()
    for arg in args:
        free = arg.free
        if not free or free is found:
            continue
        found = _union(found, free) if found else free
    return tuple([v for v in found if v not in bound]) if bound and found else found


def _union(left: tuple[Term, ...], right: tuple[Term, ...]) -> tuple[Term, ...]:
    if len(left) < len(right):
        left, right = right, left
    known = left if len(left) < _FEW else set(left)
    more = [v for v in right if v not in known]
    return tuple(sorted([*left, *more], key=_serial)) if more else left


_FEW = 16  # in a tuple of at most this length, a search is faster than in a set
_serial = attrgetter("serial")


def is_value(term: Term) -> bool:
    """Return whether a term is a literal, or a constant array or an application of a constructor to
    such terms.
    """
    return all(
        one.literal or one.op in ("OP_CONST_ARRAY", "OP_DT_APPLY_CONS") for one in subterms([term])
    )
