"""Tuples and relations of cvc5. A tuple is a datatype's value without the name of a constructor,
and a relation is a set of tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from murxpy.semantics.meanings.sets import members_of
from murxpy.semantics.registry import Site, prepared
from murxpy.semantics.unified import decided
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
    for start in after:
        reached: dict[Value, None] = {}
        work = [start]
        while work:
            fresh = [right for right in after.get(work.pop(), ()) if right not in reached]
            reached.update(dict.fromkeys(fresh))
            work.extend(fresh)
        found.extend((start, right) for right in reached)
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
