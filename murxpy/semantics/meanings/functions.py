"""Functions: applications, partial applications, definitions and lambdas. A function is a table, or
a closure if its domain is large.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import FUNCTION
from murxpy.semantics.closures import Built, Closure
from murxpy.semantics.domains import make_function, rows_of
from murxpy.semantics.equality import apply
from murxpy.semantics.meanings.pointwise import supported
from murxpy.semantics.plain import ROWS, all_plain
from murxpy.semantics.registry import Asking, Points, Scope, Site, binder, prepared
from murxpy.semantics.values import FunctionValue, Value


@prepared("OP_UF_APPLY")
def _apply(site: Site) -> Callable[..., Any]:
    points, sort = site.points, site.sorts[0]
    if not all_plain(site.sorts[1:], points):
        return lambda function, *args: apply(points, sort, function, args)
    return lambda function, *args: (
        function.at(args)
        if isinstance(function, FunctionValue)
        else apply(points, sort, function, args)
    )


@prepared("OP_HO_APPLY")
def _partly(site: Site) -> Callable[[Any, Value], Any]:
    points, sort = site.points, site.sorts[0]
    tables = all_plain(site.sorts[1:], points)

    def partly(function: Any, arg: Value) -> Any:
        if tables and isinstance(function, FunctionValue):
            entries = [
                (point[1:], value)
                for point, value in function.items()
                if isinstance(point, tuple) and point[0] == arg
            ]
            return make_function(site.sort, function.default, entries, points)
        if isinstance(function, Closure):
            return tabulated(points, site.sort, function.partly(arg))
        rest = Built(
            lambda *rest: apply(points, sort, function, (arg, *rest)),
            "partly",
            ((sort, function), (site.sorts[1], arg)),
        )
        return tabulated(points, site.sort, rest)

    return partly


@binder("OP_LAMBDA", FUNCTION)
def _lambda(site: Site, scope: Scope) -> Asking:
    return tabulated(site.points, site.sort, Closure(scope.variables, scope.rest[0], scope.values))


def tabulated(points: Points, sort: Sort, function: Closure | Built) -> Asking:
    """Return the table of a function if its domain is small or it names few points, else the
    function itself.
    """
    rows = rows_of(sort.sorts()[:-1], points, ROWS)
    if rows is None:
        return (
            (yield from supported(points, sort, function))
            if isinstance(function, Closure)
            else function
        )
    entries = []
    for row in rows:
        value = yield from apply(points, sort, function, row)
        entries.append((row, value))
    return make_function(sort, entries[0][1], entries, points)
