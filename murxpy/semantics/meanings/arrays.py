"""Arrays: SMT-LIB 2.7, theory ArraysEx, with the maps and lambdas of z3. An array is a table, or a
closure if a lambda over a large sort makes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murxpy.semantics.asking import every
from murxpy.semantics.closures import Built, Closure, Stored
from murxpy.semantics.domains import make_array
from murxpy.semantics.equality import apply, same, same_at
from murxpy.semantics.meanings.pointwise import supported
from murxpy.semantics.plain import plain
from murxpy.semantics.registry import Asking, Scope, Site, binder, meaning, prepared
from murxpy.semantics.values import ArrayValue, CannotSay, Value

RANGE = 1 << 8  # most indices at which functions that are no tables are compared


@prepared("OP_ARRAY_SELECT")
def _select(site: Site) -> Callable[[Any, Value], Any]:
    points, sort = site.points, site.sorts[0]
    if not plain(sort.sort(0), points):
        return lambda array, index: apply(points, sort, array, (index,))
    return lambda array, index: (
        array.at(index) if isinstance(array, ArrayValue) else apply(points, sort, array, (index,))
    )


@prepared("OP_ARRAY_STORE")
def _store(site: Site) -> Callable[[Any, Value, Value], Any]:
    points, sort = site.points, site.sort
    indices = plain(sort.sort(0), points)

    def store(array: Any, index: Value, value: Value) -> Any:
        if indices and isinstance(array, ArrayValue):
            return make_array(sort, array.default, [*array.items(), (index, value)], points)
        return _stored(site, array, index, value)

    return store


def _stored(site: Site, array: Any, index: Value, value: Value) -> Asking:
    """Return a store into an array that is no table, or into a table at an index that must be
    compared with the indices of the table.
    """
    points, sort = site.points, site.sort
    if isinstance(array, ArrayValue):
        try:
            kept = []
            for point, other in array.items():
                if not (yield from same(points, sort.sort(0), point, index)):
                    kept.append((point, other))
            return make_array(sort, array.default, [*kept, (index, value)], points)
        except CannotSay:
            return Stored(array, ((index, value),))
    if isinstance(array, Stored):
        return Stored(array.base, ((index, value), *array.stores))
    return Stored(array, ((index, value),))


@meaning("OP_CONST_ARRAY")
def _const(site: Site, value: Value) -> Value:
    return ArrayValue(value)


@meaning(
    "OP_ARRAY_DEFAULT",
    open="an array by elements, or by a finite sort and not constant: any value of its sort",
)
def _default(site: Site, array: Any) -> Value:
    """z3's `default`: the value of an array at all indices but finitely many."""
    if not isinstance(array, ArrayValue):
        raise CannotSay("the default of a function over a large domain")
    index = site.sorts[0].sort(0)
    if index.kind == "SORT_UNINTERPRETED" or (array.points and site.points.size(index) is not None):
        return site.open((array,))
    return array.default


@meaning("OP_ARRAY_EXT", open="any index at which the arrays differ; for equal arrays any index")
def _ext(site: Site, left: Any, right: Any) -> Asking:
    sort = site.sorts[0]
    if left == right or (yield from same(site.points, sort, left, right)):
        return site.open((left, right))
    if not (
        isinstance(left, ArrayValue)
        and isinstance(right, ArrayValue)
        and plain(sort.sort(0), site.points)
    ):
        raise CannotSay("a difference of functions over a large domain")
    if left.default != right.default:
        return site.open((left, right), fits=lambda index: bool(left.at(index) != right.at(index)))
    points = dict.fromkeys(point for point, _ in (*left.items(), *right.items()))
    return site.open((left, right), tuple(p for p in points if left.at(p) != right.at(p)))


@prepared("OP_ARRAY_MAP", "OP_ARRAY_MAP2")
def _map(site: Site) -> Callable[..., Asking]:
    points, (function_sort, *sorts) = site.points, site.sorts

    def at(function: Value, arrays: tuple[Any, ...], point: Value) -> Asking:
        values = []
        for sort, array in zip(sorts, arrays, strict=True):
            values.append((yield from apply(points, sort, array, (point,))))
        return (yield from apply(points, function_sort, function, tuple(values)))

    def mapped(function: Value, *arrays: Any) -> Asking:
        if not all(isinstance(array, ArrayValue) for array in arrays):
            return Built(
                lambda point: at(function, arrays, point),
                site.kind,
                tuple(zip(site.sorts, (function, *arrays), strict=True)),
            )
        default = yield from apply(
            points, function_sort, function, tuple(a.default for a in arrays)
        )
        stores = []
        for point in dict.fromkeys(point for a in arrays for point, _ in a.items()):
            stores.append((point, (yield from at(function, arrays, point))))
        return make_array(site.sort, default, stores, points)

    return mapped


@binder("OP_ARRAY_LAMBDA")
def _lambda(site: Site, scope: Scope) -> Asking:
    closure = Closure(scope.variables, scope.rest[0], scope.values)
    domain = site.points.domain(site.sort.sort(0))
    if domain is None:
        return (yield from supported(site.points, site.sort, closure))
    stores = []
    for point in domain:
        value = yield from apply(site.points, site.sort, closure, (point,))
        stores.append((point, value))
    return make_array(site.sort, stores[0][1], stores, site.points)


@meaning("OP_EQ_RANGE", "OP_EQ_RANGE_INT")
def _eq_range(site: Site, left: Any, right: Any, low: int, high: int) -> Asking:
    """Return whether two arrays are equal at every index from `low` to `high`, both included."""
    points, sort = site.points, site.sorts[0]
    if low > high:
        return True
    if isinstance(left, ArrayValue) and isinstance(right, ArrayValue):
        named: Any = (p for p, _ in (*left.items(), *right.items()))
        known: dict[Value, None] = dict.fromkeys(p for p in named if low <= p <= high)
        if high - low + 1 > len(known) and not (
            yield from same(points, sort.sort(1), left.default, right.default)
        ):
            return False
    elif high - low < RANGE:
        known = dict.fromkeys(range(low, high + 1))
    else:
        raise CannotSay("equality of functions on a large range")
    return (yield from every(same_at(points, sort, left, right, (point,)) for point in known))
