"""The ranges of the arguments of connectives. They are what trying both truth values of each argument
gives, but found for all arguments at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from murxpy.semantics.ranges.abstract import ANY, FALSE, NOTHING, TRUE, Range
from murxpy.semantics.registry import Unknown

_ALONE = {True: TRUE, False: FALSE}
Ways = tuple[Any, Any]
"""The value of the connective if the argument is false, and if it is true; None if not known."""


def _fine(wanted: Range, ways: Ways, present: Any) -> Range:
    """The range of an argument."""
    fine = [
        value for value in (False, True) if (way := ways[value]) is not None and wanted.holds(way)
    ]
    if len(fine) == 2:
        return ANY
    if fine:
        return _ALONE[fine[0]]
    return NOTHING if type(present) is Unknown else _ALONE[present]


def _joined(values: Sequence[Any], deciding: bool) -> list[Ways]:
    """The ways of a conjunction, which is false if an argument is; or of a disjunction, which is true
    if an argument is. `deciding` is the value of such an argument.
    """
    hits = sum([value is deciding for value in values])
    doubts = sum([type(value) is Unknown for value in values])
    found = []
    for value in values:
        if hits - (value is deciding):
            rest: Any = deciding
        else:
            rest = None if doubts - (type(value) is Unknown) else not deciding
        found.append((deciding, rest) if not deciding else (rest, deciding))
    return found


def _and(values: Sequence[Any]) -> list[Ways]:
    return _joined(values, False)


def _or(values: Sequence[Any]) -> list[Ways]:
    return _joined(values, True)


def _not(values: Sequence[Any]) -> list[Ways]:
    return [(True, False)]


def _implies(values: Sequence[Any]) -> list[Ways]:
    """All arguments but the last stand negated in a disjunction."""
    turned = [value if type(value) is Unknown else not value for value in values[:-1]]
    *premises, last = _or([*turned, values[-1]])
    return [*[ways[::-1] for ways in premises], last]


CONNECTIVES: dict[str, Callable[[Sequence[Any]], list[Ways]]] = {
    "OP_AND": _and,
    "OP_OR": _or,
    "OP_NOT": _not,
    "OP_IMPLIES": _implies,
}


def below_connective(kind: str, wanted: Range, values: Sequence[Any]) -> list[Range] | None:
    """Return the range of each argument of a connective; None for another operator."""
    ways = CONNECTIVES.get(kind)
    if ways is None:
        return None
    pairs = zip(ways(values), values, strict=True)
    return [_fine(wanted, way, value) for way, value in pairs]
