"""Relational algebra of cvc5 on relations, which are sets of tuples, and on tables, which are bags
of tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from murxpy.semantics.equality import decided, unified
from murxpy.semantics.meanings.bags import counted, make_bag
from murxpy.semantics.meanings.relations import MAX_PAIRS, Row, relation_of, rows
from murxpy.semantics.meanings.sets import fold_any_order
from murxpy.semantics.registry import Asking, Site, meaning, prepared
from murxpy.semantics.values import BagValue, CannotSay, DatatypeValue, SetValue, Value

Indices = tuple[int, ...]
Counted = list[tuple[Row, int]]


def _counted(table: BagValue) -> Counted:
    return [
        (value.fields, count) for value, count in counted(table) if isinstance(value, DatatypeValue)
    ]


def table_of(found: Iterable[tuple[Row, int]]) -> BagValue:
    """Return the table that has some tuples with their counts."""
    return make_bag((DatatypeValue("", row), count) for row, count in found)


def _picked(indices: Indices, row: Row) -> Row:
    return tuple(row[at] for at in indices)


def _paired(indices: Indices, one: int, other: int) -> Callable[[Row, Row], bool]:
    """Return whether two rows have equal components in the places that the pairs of indices name.
    Raises CannotSay for too many rows.
    """
    if one * other > MAX_PAIRS:
        raise CannotSay("a large product")
    pairs = list(zip(indices[::2], indices[1::2], strict=True))
    return lambda left, right: all(left[m] == right[n] for m, n in pairs)


def _join_relations(indices: Indices, one: SetValue, other: SetValue) -> SetValue:
    lefts, rights = rows(one), rows(other)
    fits = _paired(indices, len(lefts), len(rights))
    return relation_of((*left, *right) for left in lefts for right in rights if fits(left, right))


def _join_tables(indices: Indices, one: BagValue, other: BagValue) -> BagValue:
    lefts, rights = _counted(one), _counted(other)
    fits = _paired(indices, len(lefts), len(rights))
    return table_of(
        ((*left, *right), m * n) for left, m in lefts for right, n in rights if fits(left, right)
    )


def groups(indices: Indices, found: Counted) -> list[Counted]:
    """Return the parts of the rows that agree in the components with these indices. No rows have
    one empty part.
    """
    parts: dict[Row, Counted] = {}
    for row, count in found:
        parts.setdefault(_picked(indices, row), []).append((row, count))
    return list(parts.values()) or [[]]


def _once(relation: SetValue) -> Counted:
    return [(row, 1) for row in rows(relation)]


_OPERATIONS: dict[str, Callable[..., Value]] = {
    "OP_REL_TABLE_JOIN": _join_relations,
    "OP_REL_PROJECT": lambda indices, one: relation_of(_picked(indices, row) for row in rows(one)),
    "OP_REL_GROUP": lambda indices, one: SetValue(
        frozenset(relation_of(row for row, _ in part) for part in groups(indices, _once(one)))
    ),
    "OP_TABLE_PRODUCT": _join_tables,
    "OP_TABLE_JOIN": _join_tables,
    "OP_TABLE_PROJECT": lambda indices, one: table_of(
        (_picked(indices, row), count) for row, count in _counted(one)
    ),
    "OP_TABLE_GROUP": lambda indices, one: make_bag(
        (table_of(part), 1) for part in groups(indices, _counted(one))
    ),
}


def _enter(kind: str, function: Callable[..., Value]) -> None:
    prepared(kind)(lambda site: decided(site, lambda *values: function(site.indices, *values)))


for _kind, _function in _OPERATIONS.items():
    _enter(_kind, _function)


@meaning("OP_REL_AGGREGATE")
def _aggregate_relation(site: Site, function: Value, start: Value, relation: SetValue) -> Asking:
    results = yield from _folds(site, function, start, relation, _once)
    return SetValue(frozenset(results))


@meaning("OP_TABLE_AGGREGATE")
def _aggregate_table(site: Site, function: Value, start: Value, table: BagValue) -> Asking:
    results = yield from _folds(site, function, start, table, _counted)
    return make_bag((result, 1) for result in results)


def _folds(
    site: Site, function: Value, start: Value, collection: Any, read: Callable[[Any], Counted]
) -> Asking:
    """Return the results of folding each group. Raises CannotSay if a fold depends on the order."""
    (collection,) = yield from unified(site.points, [site.sorts[2]], [collection])
    found = []
    for part in groups(site.indices, read(collection)):
        results = yield from fold_any_order(
            site, function, start, [(DatatypeValue("", row), count) for row, count in part]
        )
        if len(results) != 1:
            raise CannotSay("a fold that depends on the order")
        found.append(results[0])
    return (yield from unified(site.points, [site.sorts[1]] * len(found), found))
