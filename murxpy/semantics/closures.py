"""Functions as values that are no tables, and how meanings apply functions and arrays of either form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murxpy.logic.terms import Term
from murxpy.semantics.registry import Asking, Body
from murxpy.semantics.values import CannotSay, Table, Value


class Closure:
    """A function or array as its variables, its body and the values of what is free in it. `==` to itself only.

    `seen`: what an array is at some points, where that was looked at; it tells arrays apart.
    """

    __slots__ = ("body", "bound", "seen", "values", "variables")

    def __init__(self, variables: tuple[Term, ...], body: Term, values: dict[Term, Value], bound: tuple[Value, ...] = ()) -> None:
        self.variables = variables
        self.body = body
        self.values = values
        self.bound = bound  # values of the first variables, from partial applications
        self.seen: dict[Value, Value] = {}

    def partly(self, value: Value) -> Closure:
        """This function with its next argument given."""
        return Closure(self.variables, self.body, self.values, (*self.bound, value))


class Built:
    """A function or array given by what it does at a point: what operators make of closures. `==` to itself only; `seen` as a closure's."""

    __slots__ = ("ask", "seen")

    def __init__(self, ask: Callable[..., Asking], seen: dict[Value, Value] | None = None) -> None:
        self.ask = ask
        self.seen = seen or {}


def apply(function: Value, args: tuple[Value, ...]) -> Asking:
    """The value of a function at arguments; a generator, for `yield from` in a meaning."""
    if isinstance(function, Closure):
        values = {**function.values, **dict(zip(function.variables, (*function.bound, *args), strict=True))}
        return (yield Body(function.body, values))
    if isinstance(function, Built):
        return (yield from function.ask(*args))
    if isinstance(function, Table):
        return function.at(args)
    raise CannotSay(f"no function: {function!r}")


def select(array: Value, index: Value) -> Asking:
    """The element of an array at an index; a generator."""
    if isinstance(array, Table):
        return array.at(index)
    return (yield from apply(array, (index,)))


def told_apart(left: Value, right: Value) -> bool:
    """Whether two arrays, one of them opaque at least, are seen to differ at a point."""
    one, other = (left, right) if isinstance(left, (Closure, Built)) else (right, left)
    if not isinstance(one, (Closure, Built)):
        return False
    if isinstance(other, (Closure, Built)):
        pairs = [(value, other.seen[point]) for point, value in one.seen.items() if point in other.seen]
    else:
        pairs = [(value, other.at(point)) for point, value in one.seen.items()] if isinstance(other, Table) else []
    return any(a != b and not holds_opaque((a, b)) for a, b in pairs)


def alike(left: Value, right: Value) -> bool:
    """Whether two closures are the same but for the names of their variables."""
    if not (isinstance(left, Closure) and isinstance(right, Closure)) or len(left.bound) != len(right.bound):
        return False
    if left.body is right.body and left.variables == right.variables:
        return (left.values, left.bound) == (right.values, right.bound)
    renamed = dict(zip(left.variables, right.variables, strict=False))
    pairs, known = [(left.body, right.body)], set[tuple[Term, Term]]()
    while pairs:
        one, other = pairs.pop()
        if (one, other) in known or (one is other and not one.free) or renamed.get(one) is other:
            continue
        known.add((one, other))
        if not one.args or (one.op, one.indices, one.sort, len(one.args)) != (other.op, other.indices, other.sort, len(other.args)):
            return False
        pairs.extend(zip(one.args, other.args, strict=True))
    return not left.bound and left.values == right.values == {}


def opaque(value: Value) -> bool:
    """True for a value of which `==` does not decide equality."""
    return isinstance(value, (Closure, Built))


def holds_opaque(value: Any) -> bool:
    """True if there is an opaque value in `value`."""
    work = [value]
    while work:
        part = work.pop()
        if opaque(part):
            return True
        if isinstance(part, (tuple, frozenset)):
            work.extend(part)
        elif isinstance(part, Table):
            work.extend((part.default, part.points))
        else:
            work.extend(getattr(part, name) for name in ("fields", "members", "counts") if hasattr(part, name))
    return False
