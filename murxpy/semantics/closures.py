"""Functions and arrays as values that are no tables.

`==` between two of them holds only for the same object. Whether they are equal as functions is
decided by `equality`, or cannot be said.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.semantics.registry import Asking
from murxpy.semantics.values import Value

_serials = count()


class _Opaque:
    """A function that is no table. Its text says when it was made, which is the order among values
    where an order is needed.
    """

    __slots__ = ("_serial",)

    def __init__(self) -> None:
        self._serial = next(_serials)

    def __repr__(self) -> str:
        return f"{type(self).__name__}#{self._serial:012}"


class Closure(_Opaque):
    """A function or array as its variables, its body and the values of what is free in it."""

    __slots__ = ("body", "bound", "values", "variables")

    def __init__(
        self,
        variables: tuple[Term, ...],
        body: Term,
        values: dict[Term, Value],
        bound: tuple[Value, ...] = (),
    ) -> None:
        super().__init__()
        self.variables = variables
        self.body = body
        self.values = values
        self.bound = bound  # values of the first variables, from partial applications

    def environment(self, args: tuple[Value, ...]) -> dict[Term, Value]:
        """The values of all variables of the body when the function is applied to `args`."""
        return {**self.values, **dict(zip(self.variables, (*self.bound, *args), strict=True))}

    def partly(self, value: Value) -> Closure:
        """This function with its next argument given."""
        return Closure(self.variables, self.body, self.values, (*self.bound, value))


class Built(_Opaque):
    """A function or array given by what it does at a point: what operators make of closures, and
    what a model's functions are.

    `parts` are the values that it is built from, each with its sort, and `head` says how: two with
    one head and equal parts are equal.
    """

    __slots__ = ("ask", "head", "parts")

    def __init__(
        self, ask: Callable[..., Asking], head: str = "", parts: tuple[tuple[Sort, Value], ...] = ()
    ) -> None:
        super().__init__()
        self.ask = ask
        self.head = head
        self.parts = parts


class Stored(_Opaque):
    """An array that differs from another, which is no table, at the points to which values were
    stored; a later store comes first.
    """

    __slots__ = ("base", "stores")

    def __init__(self, base: Any, stores: tuple[tuple[Value, Value], ...]) -> None:
        super().__init__()
        self.base = base
        self.stores = stores


def opaque(value: Any) -> bool:
    """True for a function or array that is no table."""
    return isinstance(value, _Opaque)
