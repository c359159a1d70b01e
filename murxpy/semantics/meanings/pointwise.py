"""Finds tables for some functions over large domains: those that only compare their argument with
some values.

Such a function has the same value at all points that it does not name. So its values at the named
points and at one other point make a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import chain, count
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import VARIABLE, Term
from murxpy.semantics.closures import Closure
from murxpy.semantics.domains import canonical
from murxpy.semantics.equality import same
from murxpy.semantics.plain import plain, signature
from murxpy.semantics.registry import BINDERS, Asking, Body, Points
from murxpy.semantics.samples import samples
from murxpy.semantics.unified import unified
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
    variables = closure.variables[len(closure.bound) :]
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
    looks the variable up. Return None if it does anything else with the variable.
    """
    named: dict[tuple[Term, bool], None] = {}
    work, seen = [body], dict[Term, None]()
    while work:
        term = work.pop()
        if term in seen or variable not in term.free:
            continue
        seen[term] = None
        if variable not in term.args:
            if term is variable:
                return None
            work.extend(term.args)
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
    """Return the argument with which an application compares the variable. Return None if it does
    anything else with it.
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
    work, seen = [body], dict[Term, None]()
    while work:
        term = work.pop()
        if term not in seen:
            seen[term] = None
            if (
                term.op in BINDERS
                and term.op != VARIABLE
                and any(arg is variable for arg in term.args)
            ):
                return True
            work.extend(term.args)
    return False
