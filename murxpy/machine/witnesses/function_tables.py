"""Functions of a model as tables. A function is evaluated at each point of a small domain, or at
each value that it names and at one other value.

A body that only compares its arguments with values has one result for all arguments that it does
not name. A function with any other body has no table, and is evaluated when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, Protocol

from murxpy.logic.sorts import Sort
from murxpy.logic.walks import subterms
from murxpy.semantics.closures import Built
from murxpy.semantics.domains import canonical
from murxpy.semantics.equality import same, unified
from murxpy.semantics.registry import Asking, Points, settled
from murxpy.semantics.values import CannotSay, FunctionValue, Value

# The largest number of points at which a function is evaluated to make a table. All arrays over
# sorts with enumerated values are tables.
POINTS = 1 << 10
_LOOKED_INTO = ("ite", "=", "and", "or", "not")

Ask = Callable[..., Value]


class Unnamed(Exception):
    """The function does more with an argument than compare it with the values that it names."""


class Fresh:
    """An argument that stands for all arguments that a function does not name."""

    def __init__(self, named: Mapping[Value, None]) -> None:
        self._named = named

    def differs(self, value: Value) -> bool:
        """True, because the value is none of the named values. Raises Unnamed for a value that the
        function does not name.
        """
        if value not in self._named:
            raise Unnamed
        return True


def apart(points: Points, sort: Sort, values: Sequence[Value]) -> tuple[Value, ...]:
    """Values in normal forms, for which `==` decides equality. Raises CannotSay."""
    found: tuple[Value, ...] = settled(unified(points, [sort] * len(values), values))
    return found


def _apart(points: Points, sort: Sort, values: Sequence[Value]) -> tuple[Value, ...]:
    """As `apart`; raises Unnamed."""
    try:
        return apart(points, sort, values)
    except CannotSay:
        raise Unnamed from None


def equal(points: Points, sort: Sort | None, left: Value, right: Value) -> bool:
    """Whether two values of a model are equal. Raises CannotSay."""
    return bool(settled(same(points, sort, left, right)))


class Rows(Protocol):
    """The data from which a table is made: rows, the values of closed rows, and the domains of sorts."""

    rows: Sequence[tuple[Any, ...]]
    points: Points

    def value(self, at: int, sort: Sort | None) -> Value:
        """The value of a closed row."""

    def is_open(self, at: int) -> bool:
        """True if a variable may occur in a row."""


def tabulated(
    rows: Rows,
    ask: Ask,
    domain: Sequence[Sort],
    bodies: Sequence[tuple[int, int]],
    named: Sequence[Sequence[Value]],
) -> FunctionValue | Built:
    """The function as a table, or else a function that is evaluated when it is needed.

    `bodies` are rows, each with 1 if variable 0 is the first argument, and -1 if it is the last
    argument. `named` are further values that the function names, for each argument. Over a domain
    of few points the result is always a table, as in `semantics.plain`. Raises CannotSay if the
    function cannot be read, and Unnamed if it depends on an unnamed argument of a function around
    it.
    """
    every = [rows.points.domain(s) if _few(rows.points.size(s)) else None for s in domain]
    known = [values for values in every if values is not None]
    if len(known) == len(every) and _few(prod(map(len, known))):
        entries = [(point, ask(*point)) for point in product(*known)]
        return canonical(FunctionValue(entries[0][1], entries), tuple(domain), rows.points)
    try:
        points: list[dict[Value, None]] = [dict.fromkeys(values) for values in named] or [
            {} for _ in domain
        ]
        for body, step in bodies:
            _name(rows, body, points[::step], domain[::step])
        different = [
            dict.fromkeys(_apart(rows.points, s, [*values]))
            for s, values in zip(domain, points, strict=True)
        ]
        return canonical(_table(ask, different), tuple(domain), rows.points)
    except Unnamed:
        return Built(lambda *args: _asking(ask, args))


def _few(count: int | None) -> bool:
    return count is not None and count <= POINTS


def _name(
    rows: Rows, body: int, points: Sequence[dict[Value, None]], domain: Sequence[Sort]
) -> None:
    """Add the values with which a body compares its variables. A value that is missed leads to
    Unnamed later.
    """

    def parts(at: int) -> Iterable[int]:
        row = rows.rows[at]
        return row[1:] if row[0] in _LOOKED_INTO else ()

    for at in subterms([body], parts):
        row = rows.rows[at]
        if row[0] == "=":
            for variable, other in ((row[1], row[2]), (row[2], row[1])):
                inner = rows.rows[variable]
                if inner[0] == "var" and inner[1] < len(points) and not rows.is_open(other):
                    points[inner[1]][rows.value(other, domain[inner[1]])] = None


def _table(ask: Ask, points: Sequence[dict[Value, None]]) -> FunctionValue:
    if not _few(prod(len(named) + 1 for named in points)):
        raise Unnamed
    fresh = tuple(Fresh(named) for named in points)
    default = ask(*fresh)
    entries = []
    for point in product(*([*named, other] for named, other in zip(points, fresh, strict=True))):
        value = ask(*point)
        if not any(isinstance(part, Fresh) for part in point):
            entries.append((point, value))
        elif value != default:
            raise Unnamed  # the function differs on a line or a plane, which no table can describe
    return FunctionValue(default, entries)


def _asking(ask: Ask, args: tuple[Value, ...]) -> Asking:
    """`ask` in the form that callers of functions expect: as a generator."""
    yield from ()
    try:
        return ask(*args)
    except Unnamed:
        raise CannotSay("a function that is asked within a function") from None
