"""Building typed terms without a solver, and evaluating them."""

from __future__ import annotations

import functools
from typing import Any

from murxpy.data import load_catalogue
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.logic.sorts import Sort, SortTable
from murxpy.logic.terms import CONSTANT, FUNCTION, VALUE, Term, TermTable
from murxpy.logic.typing import Checker
from murxpy.machine.make import bound_variables
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.values import Interpretation, Value


@functools.cache
def catalogue() -> Catalogue:
    """The catalogue, loaded once."""
    return build_catalogue(load_catalogue())


class Logic:
    """Sorts and terms of one test, checked by our own checker."""

    def __init__(self) -> None:
        self.sorts = SortTable()
        self.terms = TermTable()
        self.checker = Checker(catalogue(), self.sorts)
        self.bool = self.sort("BOOL")
        self.int = self.sort("INT")
        self.real = self.sort("REAL")

    def sort(self, kind: str, *params: Any) -> Sort:
        """A sort: `sort("BV", 8)`."""
        return self.sorts.get(f"SORT_{kind}", *params)

    def bv(self, width: int) -> Sort:
        """The bit-vectors of a width."""
        return self.sort("BV", width)

    def const(self, name: str, sort: Sort) -> Term:
        """A constant."""
        return self.terms.leaf(CONSTANT, (name,), sort)

    def var(self, name: str, sort: Sort) -> Term:
        """A new variable."""
        return self.terms.variable(name, sort)

    def val(self, sort: Sort, value: Value) -> Term:
        """A literal."""
        return self.terms.leaf(VALUE, (value,), sort)

    def app(
        self, kind: str, *args: Term, indices: tuple[Any, ...] = (), wanted: Sort | None = None
    ) -> Term:
        """An application: `app("BV_ADD", x, y)`."""
        operator = catalogue().operators[f"OP_{kind}"]
        sort = self.checker.result(operator, tuple(a.sort for a in args), indices, wanted)
        return self.terms.apply(
            operator.kind, args, indices, sort, args[: bound_variables(operator, len(args))]
        )

    def define(self, variables: tuple[Term, ...], body: Term) -> Term:
        """A defined function."""
        sort = self.sort("FUN", *(v.sort for v in variables), body.sort)
        return self.terms.apply(FUNCTION, (*variables, body), ("f",), sort, variables)


def evaluator(constants: dict[Term, Value] | None = None, **others: Any) -> Evaluator:
    """An evaluator under values of constants; `partial` and `domains` go into the interpretation,
    bounds to the evaluator.
    """
    model = Interpretation(constants or {}, others.pop("partial", {}), others.pop("domains", {}))
    return Evaluator(catalogue(), model, **others)


def value(term: Term, constants: dict[Term, Value] | None = None, **others: Any) -> Value:
    """The value of a term."""
    return evaluator(constants, **others).value(term)
