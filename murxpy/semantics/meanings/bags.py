"""Bags, or multisets, of cvc5: elements with positive counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.semantics.equality import add_counts, apply, decided, unified
from murxpy.semantics.meanings.sets import fold_any_order, members_of
from murxpy.semantics.registry import Asking, Points, Site, meaning, prepared, special
from murxpy.semantics.values import BagValue, SetValue, Value, in_order


def make_bag(counts: Iterable[tuple[Value, int]]) -> BagValue:
    """Return the bag in which the count of each element is the sum of its counts in the pairs. An
    element whose sum is not positive is left out.
    """
    return add_counts(list(counts))


def count_of(element: Value, bag: BagValue) -> int:
    """`bag.count`."""
    return dict(bag.counts).get(element, 0)


def counted(bag: BagValue) -> list[tuple[Value, int]]:
    """Return the elements with their counts, in a fixed order."""
    pairs: list[Any] = in_order(bag.counts)
    return pairs


def pointwise(function: Callable[[int, int], int], one: BagValue, other: BagValue) -> BagValue:
    """Return the bag in which `function` makes each count of the counts in two bags. The function
    must return 0 for 0 and 0.
    """
    left, right = dict(one.counts), dict(other.counts)
    elements = dict.fromkeys([*left, *right])
    return make_bag((e, function(left.get(e, 0), right.get(e, 0))) for e in elements)


def subbag(one: BagValue, other: BagValue) -> bool:
    """`bag.subbag`."""
    counts = dict(other.counts)
    return all(count <= counts.get(element, 0) for element, count in one.counts)


def union_disjoint(one: BagValue, other: BagValue) -> BagValue:
    """`bag.union_disjoint`, which adds counts."""
    return make_bag([*one.counts, *other.counts])


_OPERATIONS: dict[str, Callable[..., Value]] = {
    "OP_BAG_UNION_MAX": lambda one, other: pointwise(max, one, other),
    "OP_BAG_UNION_DISJOINT": union_disjoint,
    "OP_BAG_INTERSECTION_MIN": lambda one, other: pointwise(min, one, other),
    "OP_BAG_DIFFERENCE_SUBTRACT": lambda one, other: pointwise(lambda a, b: a - b, one, other),
    "OP_BAG_DIFFERENCE_REMOVE": lambda one, other: pointwise(
        lambda a, b: 0 if b else a, one, other
    ),
    "OP_BAG_SUBBAG": subbag,
    "OP_BAG_COUNT": count_of,
    "OP_BAG_MEMBER": lambda element, bag: count_of(element, bag) > 0,
    "OP_BAG_DUPLICATE_REMOVAL": lambda bag: make_bag((element, 1) for element, _ in bag.counts),
    "OP_BAG_MAKE": lambda element, count: make_bag([(element, count)]),
    "OP_BAG_CARD": lambda bag: sum(count for _, count in bag.counts),
    "OP_BAG_IS_SINGLETON": lambda bag: [count for _, count in bag.counts] == [1],
    "OP_BAG_FROM_SET": lambda one: make_bag((element, 1) for element in members_of(one)),
    "OP_BAG_TO_SET": lambda bag: SetValue(frozenset(element for element, _ in bag.counts)),
}


def _enter(kind: str, function: Callable[..., Value]) -> None:
    prepared(kind)(lambda site: decided(site, function))


for _kind, _function in _OPERATIONS.items():
    _enter(_kind, _function)


@prepared("OP_BAG_CHOOSE", open="any member; of the empty bag any element")
def _choose(site: Site) -> Callable[[BagValue], Value]:
    def choose(bag: BagValue) -> Value:
        allowed = tuple(element for element, _ in counted(bag))
        return allowed[0] if len(allowed) == 1 else site.open((bag,), allowed or None)

    return decided(site, choose)


@meaning("OP_BAG_MAP")
def _map(site: Site, function: Value, bag: BagValue) -> Asking:
    images: list[tuple[Any, int]] = []
    for element, count in counted(bag):
        images.append(((yield from apply(site.points, site.sorts[0], function, (element,))), count))
    return make_bag(images)


@meaning("OP_BAG_FILTER")
def _filter(site: Site, function: Value, bag: BagValue) -> Asking:
    kept = []
    for element, count in counted(bag):
        if (yield from apply(site.points, site.sorts[0], function, (element,))):
            kept.append((element, count))
    return make_bag(kept)


@meaning("OP_BAG_ALL")
def _all(site: Site, function: Value, bag: BagValue) -> Asking:
    for element, _ in counted(bag):
        if not (yield from apply(site.points, site.sorts[0], function, (element,))):
            return False
    return True


@meaning("OP_BAG_SOME")
def _some(site: Site, function: Value, bag: BagValue) -> Asking:
    for element, _ in counted(bag):
        if (yield from apply(site.points, site.sorts[0], function, (element,))):
            return True
    return False


@meaning("OP_BAG_FOLD", open="a function for which the order matters: the result of any order")
def _fold(site: Site, function: Value, start: Value, bag: BagValue) -> Asking:
    (bag,) = yield from unified(site.points, site.sorts[2:], (bag,))
    results = yield from fold_any_order(site, function, start, counted(bag))
    return results[0] if len(results) == 1 else site.open((function, start, bag), results)


@special("SORT_BAG")
def _special(sort: Sort, name: str, points: Points) -> BagValue:
    return {"bag.empty": make_bag(())}[name]
