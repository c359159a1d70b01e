"""Tuples and relations of cvc5. A tuple is a datatype's value without the name of a constructor,
and a relation is a set of tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from murxpy.logic.sorts import Sort
from murxpy.logic.walks import subterms
from murxpy.semantics.equality import apply, decided
from murxpy.semantics.meanings.sets import members_of
from murxpy.semantics.registry import (
    Asking,
    Points,
    Site,
    cardinality,
    enumeration,
    meaning,
    prepared,
    special,
)
from murxpy.semantics.values import CannotSay, DatatypeValue, SetValue, Value

MAX_PAIRS = 1 << 16  # most pairs of tuples that are looked at
Row = tuple[Value, ...]


def rows(relation: SetValue) -> list[Row]:
    """Return the tuples of a relation in a fixed order. Raises CannotSay if the relation is not
    given by its members.
    """
    return [value.fields for value in members_of(relation) if isinstance(value, DatatypeValue)]


def relation_of(found: Iterable[Row]) -> SetValue:
    """Return the relation that consists of some tuples."""
    return SetValue(frozenset(DatatypeValue("", row) for row in found))


def join(one: SetValue, other: SetValue) -> SetValue:
    """`rel.join`: the pairs whose inner components are equal, without these components."""
    starting: dict[Value, list[Row]] = {}
    for row in rows(other):
        starting.setdefault(row[0], []).append(row[1:])
    return relation_of(
        (*row[:-1], *rest) for row in rows(one) for rest in starting.get(row[-1], ())
    )


def product(one: SetValue, other: SetValue) -> SetValue:
    """`rel.product`. Raises CannotSay if the result is too large."""
    if len(one.members) * len(other.members) > MAX_PAIRS:
        raise CannotSay("a large product")
    return relation_of((*row, *rest) for row in rows(one) for rest in rows(other))


def transitive_closure(one: SetValue) -> SetValue:
    """`rel.tclosure`. Raises CannotSay if the result is too large."""
    after: dict[Value, list[Value]] = {}
    for left, right in rows(one):
        after.setdefault(left, []).append(right)
    found: list[Row] = []
    for start, first in after.items():
        found.extend((start, right) for right in subterms(first, lambda one: after.get(one, ())))
        if len(found) > MAX_PAIRS:
            raise CannotSay("a large transitive closure")
    return relation_of(found)


_OPERATIONS: dict[str, Callable[..., Value]] = {
    "OP_REL_JOIN": join,
    "OP_REL_PRODUCT": product,
    "OP_REL_TRANSPOSE": lambda one: relation_of(row[::-1] for row in rows(one)),
    "OP_REL_TCLOSURE": transitive_closure,
    "OP_REL_IDEN": lambda one: relation_of((*row, *row) for row in rows(one)),
}


def _enter(kind: str, function: Callable[..., Value]) -> None:
    prepared(kind)(lambda site: decided(site, function))


for _kind, _function in _OPERATIONS.items():
    _enter(_kind, _function)


@prepared(
    "OP_REL_JOIN_IMAGE", open="fewer than one element: any set, since no document speaks of it"
)
def _join_image(site: Site) -> Callable[[SetValue, int], Value]:
    """`rel.join_image`: the elements that are related to at least so many others."""

    def image(one: SetValue, least: int) -> Value:
        if least < 1:
            return site.open((one, least))
        images: dict[Value, int] = {}
        for row in rows(one):
            images[row[0]] = images.get(row[0], 0) + 1
        return relation_of((element,) for element, count in images.items() if count >= least)

    return decided(site, image)


@prepared("OP_TUPLE")
def _tuple(site: Site) -> Callable[..., DatatypeValue]:
    return lambda *fields: DatatypeValue("", fields)


@prepared("OP_TUPLE_SELECT")
def _select(site: Site) -> Callable[[DatatypeValue], Value]:
    position = site.indices[0]
    return lambda value: value.fields[position]


# ----------------------------------------------------------------------
# Nullables of cvc5. A value is a datatype's value with the constructor `nullable.some` or
# `nullable.null`.


NULL = DatatypeValue("nullable.null")
NULLABLE_FIELDS = {"nullable.null": 0, "nullable.some": 1}  # how many fields a value has


def some(value: Value) -> DatatypeValue:
    """`nullable.some`."""
    return DatatypeValue("nullable.some", (value,))


@meaning("OP_NULLABLE_SOME")
def _some(site: Site, value: Value) -> Value:
    return some(value)


@meaning("OP_NULLABLE_VAL", open="null: any value of its sort")
def _val(site: Site, value: DatatypeValue) -> Value:
    return value.fields[0] if value.fields else site.open((value,))


@meaning("OP_NULLABLE_IS_NULL")
def _is_null(site: Site, value: DatatypeValue) -> bool:
    return not value.fields


@meaning("OP_NULLABLE_IS_SOME")
def _is_some(site: Site, value: DatatypeValue) -> bool:
    return bool(value.fields)


@meaning("OP_NULLABLE_LIFT", "OP_NULLABLE_LIFT2", "OP_NULLABLE_LIFT3")
def _lift(site: Site, function: Value, *values: DatatypeValue) -> Asking:
    if not all(value.fields for value in values):
        return NULL
    return some(
        (
            yield from apply(
                site.points, site.sorts[0], function, tuple(value.fields[0] for value in values)
            )
        )
    )


@special("SORT_NULLABLE")
def _special(sort: Sort, name: str, points: Points) -> DatatypeValue:
    return {"nullable.null": NULL}[name]


@cardinality("SORT_NULLABLE")
def _size(sort: Sort, points: Points) -> int | None:
    size = points.size(sort.sort(0))
    return None if size is None else size + 1


@enumeration("SORT_NULLABLE")
def _all(sort: Sort, points: Points) -> tuple[Value, ...] | None:
    values = points.domain(sort.sort(0))
    return None if values is None else (NULL, *map(some, values))
