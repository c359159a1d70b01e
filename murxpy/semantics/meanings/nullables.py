"""Nullables of cvc5. A value is a datatype's value with the constructor `nullable.some` or
`nullable.null`.
"""

from __future__ import annotations

from murxpy.logic.sorts import Sort
from murxpy.semantics.equality import apply
from murxpy.semantics.registry import (
    Asking,
    Points,
    Site,
    cardinality,
    enumeration,
    meaning,
    special,
)
from murxpy.semantics.values import DatatypeValue, Value

NULL = DatatypeValue("nullable.null")


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
