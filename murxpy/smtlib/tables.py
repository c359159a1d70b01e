"""Tables of sorts and terms, and functions that make well-sorted terms in them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort, SortTable
from murxpy.logic.terms import CONSTANT, SPECIAL, VALUE, Term, TermTable
from murxpy.logic.typing import Checker


class Tables:
    """The hash-consed sorts and terms of one script, or of several scripts that are combined, and
    their type checker.

    Sorts and terms of the same `Tables` are equal if they are the same object; those of different
    `Tables` must not be mixed. Who combines two scripts reads both into the same tables:
    `read_script(text, name, catalogue, tables)`. While `suffix` is set, it is appended to the names
    of all constants, functions and sorts that are declared, so that the symbols of the second
    script are different. The sorts named in `shared` keep their names, so that both scripts have
    them in common.
    """

    def __init__(
        self, catalogue: Catalogue, sorts: SortTable | None = None, terms: TermTable | None = None
    ) -> None:
        self.catalogue = catalogue
        self.suffix = ""
        self.shared: frozenset[str] = frozenset()
        self.sorts = sorts or SortTable()
        self.terms = terms or TermTable()
        self.checker = Checker(catalogue, self.sorts)
        self.bool = self.sorts.get("SORT_BOOL")
        self.int = self.sorts.get("SORT_INT")
        self.real = self.sorts.get("SORT_REAL")
        self.string = self.sorts.get("SORT_STRING")
        self.true = self.terms.leaf(VALUE, (True,), self.bool)
        self.false = self.terms.leaf(VALUE, (False,), self.bool)

    def copy(self) -> Tables:
        """Return tables with the same sorts and terms. Terms that are made here later are not in
        the copy.
        """
        return Tables(self.catalogue, self.sorts.copy(), self.terms.copy())

    def sort(self, kind: str, *params: Sort | int | str) -> Sort:
        """Return the sort of this kind with these parameters: `sort("SORT_BV", 8)`."""
        return self.sorts.get(kind, *params)

    def apply(
        self, kind: str, *args: Term, indices: tuple[Any, ...] = (), wanted: Sort | None = None
    ) -> Term:
        """Return the operator `kind` of `fsm/theories` applied to terms: `apply("OP_BV_ADD", a,
        b)`. Raises IllSorted.

        `wanted` is the sort of the result if the arguments do not determine it (`:as` in the
        signature). OP_UF_APPLY applies a function, which is its first argument. A binder takes its
        variables first and then its body: `apply("OP_FORALL", x, y, body)`.
        """
        operator = self.catalogue.operators[kind]
        sort = self.checker.result(operator, tuple([a.sort for a in args]), indices, wanted)
        bound: tuple[Term, ...] = ()
        if operator.signature.binder:
            behind = 1 if operator.typing == "match-case" else len(operator.signature.args) - 1
            bound = args[: len(args) - behind]
        return self.terms.apply(kind, args, indices, sort, bound)

    def constant(self, name: str, sort: Sort) -> Term:
        """Return the constant of this name and sort. With a SORT_FUN it is a function."""
        return self.terms.leaf(CONSTANT, (name + self.suffix,), sort)

    def uninterpreted(self, name: str) -> Sort:
        """Return the uninterpreted sort of this name."""
        suffix = "" if name in self.shared else self.suffix
        return self.sorts.get("SORT_UNINTERPRETED", name + suffix)

    def variable(self, name: str, sort: Sort) -> Term:
        """Return a new variable, to be bound by a binder. It differs from all other variables."""
        return self.terms.variable(name, sort)

    def value(self, sort: Sort, value: Any) -> Term:
        """Return a literal. The value is one of `logic.values`: bool, int, Fraction (REAL), str,
        the bits (BV, FP), or 0..p-1 (FF).
        """
        if sort.kind == "SORT_REAL":
            value = Fraction(value)
        return self.terms.leaf(VALUE, (value,), sort)

    def special(self, sort: Sort, name: str) -> Term:
        """Return a special value of `fsm/theories`: `special(rm, "rm.rne")`. Raises InputError if
        the sort has none of this name.
        """
        if name not in self.catalogue.sorts[sort.kind].special:
            raise InputError(f"{sort} has no special value '{name}'")
        return self.terms.leaf(SPECIAL, (name,), sort)

    def conjunction(self, parts: list[Term]) -> Term:
        """Return the conjunction of formulas: `true` if there are none."""
        if not parts:
            return self.true
        return parts[0] if len(parts) == 1 else self.apply("OP_AND", *parts)
