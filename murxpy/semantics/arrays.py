"""Arrays: tables, and where they come from lambdas over large sorts, closures. SMT-LIB 2.7, theory ArraysEx; maps and lambdas are z3's."""

from __future__ import annotations

from typing import Any

from murxpy.semantics.closures import Built, Closure, apply, opaque, select
from murxpy.semantics.core import equal
from murxpy.semantics.domains import make_array
from murxpy.semantics.registry import Asking, Scope, Site, binder, meaning
from murxpy.semantics.samples import looked_at
from murxpy.semantics.values import ArrayValue, CannotSay, Value


@meaning("OP_ARRAY_SELECT")
def _select(site: Site, array: Any, index: Value) -> Any:
    return array.at(index) if isinstance(array, ArrayValue) else select(array, index)


@meaning("OP_ARRAY_STORE")
def _store(site: Site, array: Any, index: Value, value: Value) -> Value:
    if isinstance(array, ArrayValue):
        return make_array(site.sort, array.default, [*array.items(), (index, value)], site.points)

    def at(point: Value) -> Asking:
        return value if equal(point, index) else (yield from select(array, point))

    return Built(at, getattr(array, "seen", {}) | ({} if opaque(index) else {index: value}))


@meaning("OP_CONST_ARRAY")
def _const(site: Site, value: Value) -> Value:
    return ArrayValue(value)


@meaning("OP_ARRAY_DEFAULT", open="an array by elements, or by a finite sort and not constant: any value of its sort")
def _default(site: Site, array: Any) -> Value:
    """z3's `default`: what an array is at all indices but finitely many."""
    if not isinstance(array, ArrayValue):
        raise CannotSay("the default of a function over a large domain")
    index = site.sorts[0].sort(0)
    if index.kind == "SORT_UNINTERPRETED" or (array.points and site.points.size(index) is not None):
        return site.open((array,))
    return array.default


@meaning("OP_ARRAY_EXT", open="any index at which the arrays differ; for equal arrays any index")
def _ext(site: Site, left: Any, right: Any) -> Value:
    if opaque(left) or opaque(right):
        raise CannotSay("a difference of functions over a large domain")
    if left == right:
        return site.open((left, right))
    if left.default != right.default:
        return site.open((left, right), fits=lambda index: bool(left.at(index) != right.at(index)))
    points = dict.fromkeys(point for point, _ in (*left.items(), *right.items()))
    return site.open((left, right), tuple(p for p in points if left.at(p) != right.at(p)))


@meaning("OP_ARRAY_MAP", "OP_ARRAY_MAP2")
def _map(site: Site, function: Value, *arrays: Any) -> Asking:
    if not all(isinstance(a, ArrayValue) for a in arrays):
        return Built(lambda point: _mapped(function, arrays, point))
    default = yield from apply(function, tuple(a.default for a in arrays))
    stores = []
    for point in dict.fromkeys(point for a in arrays for point, _ in a.items()):
        value = yield from apply(function, tuple(a.at(point) for a in arrays))
        stores.append((point, value))
    if opaque(default) or any(opaque(value) for _, value in stores):
        raise CannotSay("an array of functions over a large domain")
    return make_array(site.sort, default, stores, site.points)


def _mapped(function: Value, arrays: tuple[Any, ...], point: Value) -> Asking:
    values = []
    for array in arrays:
        value = yield from select(array, point)
        values.append(value)
    return (yield from apply(function, tuple(values)))


@binder("OP_ARRAY_LAMBDA")
def _lambda(site: Site, scope: Scope) -> Asking:
    closure = Closure(scope.variables, scope.rest[0], scope.values)
    domain = site.points.domain(site.sort.sort(0))
    if domain is None:
        return (yield from looked_at(closure, site.sort.sort(0), site.points))
    stores = []
    for point in domain:
        value = yield from select(closure, point)
        stores.append((point, value))
    return make_array(site.sort, stores[0][1], stores, site.points)


@meaning("OP_EQ_RANGE", "OP_EQ_RANGE_INT")
def _eq_range(site: Site, left: Any, right: Any, low: int, high: int) -> bool:
    """Equal at every index from `low` to `high`, both included."""
    if opaque(left) or opaque(right):
        raise CannotSay("equality of functions on a range")
    known = dict.fromkeys(p for p, _ in (*left.items(), *right.items()) if low <= p <= high)
    if not all(left.at(p) == right.at(p) for p in known):
        return False
    return left.default == right.default or high - low + 1 <= len(known)
