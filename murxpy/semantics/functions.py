"""Functions: applications, partial ones, definitions and lambdas. A function is a table, or a closure over a large domain."""

from __future__ import annotations

from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import FUNCTION
from murxpy.semantics.closures import Built, Closure, apply
from murxpy.semantics.domains import make_function, rows_of
from murxpy.semantics.registry import Asking, Scope, Site, binder, meaning
from murxpy.semantics.values import FunctionValue, Value

ROWS = 256  # points at which a function is tabulated at once


@meaning("OP_UF_APPLY")
def _apply(site: Site, function: Any, *args: Value) -> Any:
    return function.at(args) if isinstance(function, FunctionValue) else apply(function, args)


@meaning("OP_HO_APPLY")
def _partly(site: Site, function: Any, arg: Value) -> Value:
    if isinstance(function, FunctionValue):
        entries = [(point[1:], value) for point, value in function.items() if isinstance(point, tuple) and point[0] == arg]
        return make_function(site.sort, function.default, entries, site.points)
    if isinstance(function, Closure):
        return function.partly(arg)
    return Built(lambda *rest: apply(function, (arg, *rest)))


@binder("OP_LAMBDA", FUNCTION)
def _lambda(site: Site, scope: Scope) -> Asking:
    return tabulated(site, site.sort, Closure(scope.variables, scope.rest[0], scope.values))


def tabulated(site: Site, sort: Sort, closure: Closure) -> Asking:
    """The table of a function whose domain is small, else the function itself."""
    rows = rows_of(sort.sorts()[:-1], site.points, ROWS)
    if rows is None:
        return closure
    entries = []
    for row in rows:
        value = yield from apply(closure, row)
        entries.append((row, value))
    return make_function(sort, entries[0][1], entries, site.points)
