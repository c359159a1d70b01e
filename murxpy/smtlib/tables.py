"""The sorts and terms that belong together, and making well-sorted ones."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort, SortTable
from murxpy.logic.terms import CONSTANT, SPECIAL, VALUE, Term, TermTable
from murxpy.logic.typing import Checker


class Tables:
    """The hash-consed sorts and terms of one script, or of several that are to be combined, and
    their type checker.

    Sorts and terms of one `Tables` are equal if they are the same object; those of different ones
    must not be mixed. So whoever combines two scripts reads both into the same tables:
    `read_script(text, name, catalogue, tables)`. While `suffix` is set, it ends the names of all
    constants, functions and sorts that are declared, so that the second script's are its own.
    """

    def __init__(
        self, catalogue: Catalogue, sorts: SortTable | None = None, terms: TermTable | None = None
    ) -> None:
        self.catalogue = catalogue
        self.suffix = ""
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
        """Tables with the same sorts and terms; what is made in them later, these do not have."""
        return Tables(self.catalogue, self.sorts.copy(), self.terms.copy())

    def sort(self, kind: str, *params: Sort | int | str) -> Sort:
        """The sort of this kind: `sort("SORT_BV", 8)`."""
        return self.sorts.get(kind, *params)

    def apply(
        self, kind: str, *args: Term, indices: tuple[Any, ...] = (), wanted: Sort | None = None
    ) -> Term:
        """The operator `kind` of `fsm/theories` applied to terms: `apply("OP_BV_ADD", a, b)`.
        Raises IllSorted.

        `wanted` is the sort of the result where the arguments do not determine it (`:as` in the
        signature). A function is applied by OP_UF_APPLY, whose first argument it is. A binder takes
        its variables first, then its body: `apply("OP_FORALL", x, y, body)`.
        """
        operator = self.catalogue.operators[kind]
        sort = self.checker.result(operator, tuple([a.sort for a in args]), indices, wanted)
        bound: tuple[Term, ...] = ()
        if operator.signature.binder:
            behind = 1 if operator.typing == "match-case" else len(operator.signature.args) - 1
            bound = args[: len(args) - behind]
        return self.terms.apply(kind, args, indices, sort, bound)

    def constant(self, name: str, sort: Sort) -> Term:
        """The constant, or with a SORT_FUN the function, of this name and sort."""
        return self.terms.leaf(CONSTANT, (name + self.suffix,), sort)

    def uninterpreted(self, name: str) -> Sort:
        """The uninterpreted sort of this name."""
        return self.sorts.get("SORT_UNINTERPRETED", name + self.suffix)

    def variable(self, name: str, sort: Sort) -> Term:
        """A new variable, different from every other, to be bound by a binder."""
        return self.terms.variable(name, sort)

    def value(self, sort: Sort, value: Any) -> Term:
        """A literal; the value as `logic.values` has it: bool, int, Fraction (REAL), str, the bits
        (BV, FP), 0..p-1 (FF).
        """
        if sort.kind == "SORT_REAL":
            value = Fraction(value)
        return self.terms.leaf(VALUE, (value,), sort)

    def special(self, sort: Sort, name: str) -> Term:
        """A special value of `fsm/theories`: `special(rm, "rm.rne")`. Raises InputError where the
        sort has none of this name.
        """
        if name not in self.catalogue.sorts[sort.kind].special:
            raise InputError(f"{sort} has no special value '{name}'")
        return self.terms.leaf(SPECIAL, (name,), sort)

    def conjunction(self, parts: list[Term]) -> Term:
        """All of them."""
        if not parts:
            return self.true
        return parts[0] if len(parts) == 1 else self.apply("OP_AND", *parts)
