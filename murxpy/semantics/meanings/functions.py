"""Finds tables for some functions over large domains: those that only compare their argument with
some values.

Such a function has the same value at all points that it does not name. The values of such a function
at the named points and at one other point therefore make a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import chain, count
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import FUNCTION, VARIABLE, Term
from murxpy.logic.walks import subterms
from murxpy.semantics.closures import Built, Closure, Stored
from murxpy.semantics.domains import canonical, make_array, make_function, rows_of, samples
from murxpy.semantics.equality import apply, same, same_at, unified
from murxpy.semantics.plain_sorts import ROWS, all_plain, plain, signature
from murxpy.semantics.registry import (
    BINDERS,
    Asking,
    Body,
    Points,
    Scope,
    Site,
    binder,
    every,
    meaning,
    prepared,
)
from murxpy.semantics.values import ArrayValue, CannotSay, FunctionValue, SetValue, Value

NAMED = 64  # most points that a function may name
_COMPARING = ("OP_EQUAL", "OP_DISTINCT", "OP_IFF")
# of each operator, which arguments are the table or set, and the value that is looked up in it
_LOOKING = {"OP_ARRAY_SELECT": (0, 1), "OP_UF_APPLY": (0, 1), "OP_SET_MEMBER": (1, 0)}


def supported(points: Points, sort: Sort, closure: Closure) -> Asking:
    """Return the table of a function, or the function itself if no table is found for it."""
    try:
        return (yield from _table(points, sort, closure))
    except CannotSay:
        return closure


def _table(points: Points, sort: Sort, closure: Closure) -> Asking:
    domain, result = signature(sort)
    kind = ArrayValue if sort.kind == "SORT_ARRAY" else FunctionValue
    if points.size(result) == 1:
        return kind((points.domain(result) or _missing())[0])
    variables = closure.variables
    if not any(v in closure.body.free for v in variables):
        return kind((yield Body(closure.body, dict(closure.values))))
    named = _named(closure.body, variables[0]) if len(variables) == 1 else None
    if named is None:
        return closure
    keys: tuple[Any, ...] = yield from _points_named(points, domain[0], closure, named)
    default = yield Body(
        closure.body, closure.environment(((yield from _another(points, domain[0], keys)),))
    )
    entries = []
    for key in keys:
        value = yield Body(closure.body, closure.environment((key,)))
        entries.append((key if kind is ArrayValue else (key,), value))
    return canonical(kind(default, entries), domain, points)


def _missing() -> Any:
    raise CannotSay("a sort whose only value is not known")


def _points_named(
    points: Points, sort: Sort, closure: Closure, named: tuple[tuple[Term, bool], ...]
) -> Asking:
    """Return the different points that a function names: values of terms, and the points of tables
    and sets.
    """
    keys: list[Value] = []
    for term, looked_into in named:
        value = yield Body(term, dict(closure.values))
        if not looked_into:
            keys.append(value)
        elif isinstance(value, ArrayValue):
            keys.extend(point for point, _ in value.items())
        elif isinstance(value, FunctionValue):
            keys.extend(point[0] for point, _ in value.items() if isinstance(point, tuple))
        elif isinstance(value, SetValue):
            keys.extend(value.members)
        else:
            raise CannotSay("a function that looks into another one")
    if len(keys) > NAMED:
        raise CannotSay(f"a function that names more than {NAMED} points")
    return tuple(dict.fromkeys((yield from unified(points, [sort] * len(keys), keys))))


def _another(points: Points, sort: Sort, named: tuple[Value, ...]) -> Asking:
    """Return a value of a large sort that is none of the named ones. Raises CannotSay."""
    makes = _OTHERS.get(sort.kind)
    candidates = chain(samples(sort, points), () if makes is None else makes(sort, named))
    if plain(sort, points):
        found = next((value for value in candidates if value not in named), None)
        if found is None:
            raise CannotSay(f"another value of {sort}")
        return found
    for value in candidates:
        differs = True
        for other in named:
            differs = differs and not (yield from same(points, sort, value, other))
        if differs:
            return value
    raise CannotSay(f"another value of {sort}")


_OTHERS: dict[str, Callable[[Sort, tuple[Any, ...]], Iterator[Value]]] = {
    "SORT_BV": lambda sort, named: iter(range(min(len(named) + 1, 1 << sort.width))),
    "SORT_FF": lambda sort, named: iter(range(min(len(named) + 1, sort.width))),
    "SORT_INT": lambda sort, named: count(max(named, default=0) + 1),
    "SORT_REAL": lambda sort, named: map(Fraction, count()),
    "SORT_STRING": lambda sort, named: ("a" * k for k in count()),
}


@lru_cache(maxsize=512)
def _named(body: Term, variable: Term) -> tuple[tuple[Term, bool], ...] | None:
    """Return the terms with which a body compares a variable, and (marked True) those in which it
    looks the variable up. Return None if the body does anything else with the variable.
    """
    named: dict[tuple[Term, bool], None] = {}

    def inner(term: Term) -> Iterable[Term]:
        looked_into = variable not in term.args and variable in term.free
        return term.args if looked_into else ()

    for term in subterms([body], inner):
        if term is variable:
            return None
        if variable not in term.free or variable not in term.args:
            continue
        others = _compared(term, variable)
        if others is None:
            return None
        named.update(dict.fromkeys(others))
    found = tuple(named)
    return (
        found if all(not _bound_inside(body, v) for term, _ in found for v in term.free) else None
    )


def _compared(term: Term, variable: Term) -> list[tuple[Term, bool]] | None:
    """Return the argument with which an application compares the variable. Return None if the body
    does anything else with the argument.
    """
    if term.op in _LOOKING and len(term.args) == 2:
        table, place = _LOOKING[term.op]
        return (
            [(term.args[table], True)]
            if term.args[place] is variable and variable not in term.args[table].free
            else None
        )
    if term.op not in _COMPARING or sum(arg is variable for arg in term.args) > 1:
        return None
    others = [arg for arg in term.args if arg is not variable]
    return (
        [(arg, False) for arg in others]
        if not any(variable in arg.free for arg in others)
        else None
    )


def _bound_inside(body: Term, variable: Term) -> bool:
    """Return whether a binder in `body` binds a variable."""
    return any(
        term.op in BINDERS and term.op != VARIABLE and any(arg is variable for arg in term.args)
        for term in subterms([body])
    )


# ----------------------------------------------------------------------
# Functions: applications, partial applications, definitions and lambdas. A function is a table,
# or a closure if its domain is large.


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


# ----------------------------------------------------------------------
# Arrays: SMT-LIB 2.7, theory ArraysEx, with the maps and lambdas of z3. An array is a table, or
# a closure if a lambda over a large sort makes it.


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
def _array_lambda(site: Site, scope: Scope) -> Asking:
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
