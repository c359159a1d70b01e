"""Functions of a model as tables: by asking at each point of a small domain, or at each value that
they name and at one more.

A function whose body does nothing with its arguments but to compare them with values is the same at
all arguments that it does not name. One that does more stays a function that is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, Protocol

from murxpy.logic.sorts import Sort
from murxpy.semantics.asking import settled
from murxpy.semantics.closures import Built
from murxpy.semantics.domains import canonical
from murxpy.semantics.equality import same
from murxpy.semantics.registry import Asking, Points
from murxpy.semantics.unified import unified
from murxpy.semantics.values import CannotSay, FunctionValue, Value

# at which a function is asked to make a table of it; all arrays over sorts that are enumerated are
# tables
POINTS = 1 << 10
_LOOKED_INTO = ("ite", "=", "and", "or", "not")

Ask = Callable[..., Value]


class Unnamed(Exception):
    """A function asks of an argument more than whether it is one of the values that it names."""


class Fresh:
    """Stands for all arguments that a function does not name."""

    def __init__(self, named: Mapping[Value, None]) -> None:
        self._named = named

    def differs(self, value: Value) -> bool:
        """True: it is none of the named ones. Raises Unnamed for a value that is not among them."""
        if value not in self._named:
            raise Unnamed
        return True


def apart(points: Points, sort: Sort, values: Sequence[Value]) -> tuple[Value, ...]:
    """Values in forms of which `==` decides equality. Raises CannotSay."""
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
    """What a table is made from: rows, values of closed rows, domains of sorts."""

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
    """The table of a function, else a function that is asked.

    `bodies`: rows, each with 1 where variable 0 is the first argument, -1 where it is the last;
    `named`: values of each argument that it names beside those in `bodies`. Over few points it is
    always a table, as `semantics.plain` has it. Raises CannotSay where the function cannot be read,
    Unnamed where it asks what all other arguments of a function around it are.
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
    """Add the values with which a body compares its variables; what it misses will raise Unnamed."""
    stack = [body]
    while stack:
        row = rows.rows[stack.pop()]
        if row[0] in _LOOKED_INTO:
            stack.extend(row[1:])
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
            raise Unnamed  # differs on a line or a plane: no table has that
    return FunctionValue(default, entries)


def _asking(ask: Ask, args: tuple[Value, ...]) -> Asking:
    """`ask` as what applies a function expects, a generator."""
    yield from ()
    try:
        return ask(*args)
    except Unnamed:
        raise CannotSay("a function that is asked within a function") from None
