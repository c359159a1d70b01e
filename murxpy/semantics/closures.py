"""Values of functions and arrays that are no tables.

`==` between two of them holds only for the same object. `equality` decides whether they are equal
as functions, or says that it cannot.
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
    """A function that is no table. The text of a value is its number in the order in which such
    values are made; where values need an order, that is theirs.
    """

    __slots__ = ("_serial",)

    def __init__(self) -> None:
        self._serial = next(_serials)

    def __repr__(self) -> str:
        return f"{type(self).__name__}#{self._serial:012}"


class Closure(_Opaque):
    """A function or array that consists of its variables, its body, and the values of the free
    variables of the body.
    """

    __slots__ = ("body", "values", "variables")

    def __init__(self, variables: tuple[Term, ...], body: Term, values: dict[Term, Value]) -> None:
        super().__init__()
        self.variables = variables
        self.body = body
        self.values = values

    def environment(self, args: tuple[Value, ...]) -> dict[Term, Value]:
        """Return the values of all variables of the body if the function is applied to `args`."""
        return {**self.values, **dict(zip(self.variables, args, strict=True))}

    def partly(self, value: Value) -> Closure:
        """Return the function that is left when the first argument is given."""
        first, *rest = self.variables
        return Closure(tuple(rest), self.body, {**self.values, first: value})


class Built(_Opaque):
    """A function or array that says what its value at a point is. Operators make such values of
    closures, and the functions of models are such values.

    `parts` are the values that it is made of, each with its sort, and `head` says how they are put
    together: two with the same head and equal parts are equal.
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
    """An array that differs from another array, which is no table, at the points to which values
    were stored. A later store comes first.
    """

    __slots__ = ("base", "stores")

    def __init__(self, base: Any, stores: tuple[tuple[Value, Value], ...]) -> None:
        super().__init__()
        self.base = base
        self.stores = stores


def opaque(value: Any) -> bool:
    """Return whether a value is a function or array that is no table."""
    return isinstance(value, _Opaque)
