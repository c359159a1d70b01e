"""Functions as values that are no tables, and how meanings apply functions and arrays of either form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murxpy.logic.terms import Term
from murxpy.semantics.registry import Asking, Body
from murxpy.semantics.values import CannotSay, Table, Value


class Closure:
    """A function or array as its variables, its body and the values of what is free in it. Equal to itself only."""

    __slots__ = ("body", "bound", "values", "variables")

    def __init__(
        self, variables: tuple[Term, ...], body: Term, values: dict[Term, Value], bound: tuple[Value, ...] = ()
    ) -> None:
        self.variables = variables
        self.body = body
        self.values = values
        self.bound = bound  # values of the first variables, from partial applications

    def partly(self, value: Value) -> Closure:
        """This function with its next argument given."""
        return Closure(self.variables, self.body, self.values, (*self.bound, value))


class Built:
    """A function or array given by what it does at a point: what operators make of closures. Equal to itself only."""

    __slots__ = ("ask",)

    def __init__(self, ask: Callable[..., Asking]) -> None:
        self.ask = ask


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
