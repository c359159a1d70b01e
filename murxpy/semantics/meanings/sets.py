"""Folds a function over a set or bag. Their elements have no order, so the result may depend on the
order that is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod
from typing import Any

from murxpy.logic.sorts import SETS, Sort
from murxpy.semantics.domains import rows_of
from murxpy.semantics.equality import among, apply, decided, unified
from murxpy.semantics.plain_sorts import plain
from murxpy.semantics.registry import (
    Asking,
    Body,
    Points,
    Scope,
    Site,
    binder,
    cardinality,
    enumeration,
    meaning,
    prepared,
    special,
)
from murxpy.semantics.values import CannotSay, SetValue, Value, in_order

MAX_PARTS = 256  # most sub-bags that are looked at
MAX_RESULTS = 64
MAX_RANGE = 1 << 12  # most integers of a range that are listed


def fold_any_order(
    site: Site, function: Value, start: Value, counted: list[tuple[Value, int]]
) -> Asking:
    """Return a tuple of all results of folding over the elements in any order. The results for a
    bag are computed from those for its sub-bags.

    Raises CannotSay if there are too many.
    """
    full = tuple(count for _, count in counted)
    if prod(count + 1 for count in full) > MAX_PARTS:
        raise CannotSay(f"a fold over {sum(full)} elements")
    results: dict[tuple[int, ...], dict[Value, None]] = {tuple(0 for _ in full): {start: None}}
    for _ in range(sum(full)):
        results = yield from _longer(site, function, counted, results)
    return tuple(results[full])


def _longer(
    site: Site,
    function: Value,
    counted: list[tuple[Value, int]],
    results: dict[tuple[int, ...], dict[Value, None]],
) -> Asking:
    """Return the results of the sub-bags that have one element more."""
    longer: dict[tuple[int, ...], dict[Value, None]] = {}
    for taken, values in results.items():
        for k, (element, count) in enumerate(counted):
            if taken[k] == count:
                continue
            found = longer.setdefault((*taken[:k], taken[k] + 1, *taken[k + 1 :]), {})
            for value in values:
                found[
                    (yield from apply(site.points, site.sorts[0], function, (element, value)))
                ] = None
            if len(found) > MAX_RESULTS:
                raise CannotSay("a fold that depends on the order")
    return longer


# ----------------------------------------------------------------------
# Sets of cvc5, which z3 has as arrays of Booleans. A value is a finite number of members, or
# everything but finitely many. The universe is the set of all elements, as in z3. In cvc5 the
# universe is some set that includes all other sets of its sort (Theory Reference: Sets and
# Relations), so an interpretation may fix it. Over a sort of few values a set is always given by
# its members, so that equal sets are equal values.


NOTHING = SetValue(frozenset())


def make_set(sort: Sort, members: Iterable[Value], complement: bool, points: Points) -> SetValue:
    """Return the canonical set of `members`, or of everything but those. Raises CannotSay if the set
    is not known.
    """
    given, element = frozenset(members), sort.sort(0)
    domain = points.domain(element)
    if domain is not None:
        return SetValue(frozenset(domain) - given) if complement else SetValue(given)
    size = points.size(element)
    if size is not None and 2 * len(given) >= size:
        raise CannotSay(f"a set of half of {size} values")
    return SetValue(given, complement)


def inter(one: SetValue, other: SetValue) -> SetValue:
    """`set.inter`."""
    if one.complement and other.complement:
        return SetValue(one.members | other.members, True)
    if one.complement:
        return SetValue(other.members - one.members)
    return SetValue(
        one.members - other.members if other.complement else one.members & other.members
    )


def inverse(one: SetValue) -> SetValue:
    """Return the set of everything that is not in a set. The result is canonical over infinite
    sorts only.
    """
    return SetValue(one.members, not one.complement)


def union(one: SetValue, other: SetValue) -> SetValue:
    """`set.union`."""
    return inverse(inter(inverse(one), inverse(other)))


def minus(one: SetValue, other: SetValue) -> SetValue:
    """`set.minus`."""
    return inter(one, inverse(other))


def member(element: Value, one: SetValue) -> bool:
    """`set.member`."""
    return (element in one.members) != one.complement


def subset(one: SetValue, other: SetValue) -> bool:
    """`set.subset`."""
    return minus(one, other) == NOTHING


def members_of(one: SetValue) -> list[Value]:
    """Return the members in a fixed order. Raises CannotSay if the set is not given by its members."""
    if one.complement:
        raise CannotSay("the members of an infinite set")
    return in_order(one.members)


_OPERATIONS: dict[str, Callable[..., Value]] = {
    "OP_SET_UNION": union,
    "OP_SET_INTERSECTION": inter,
    "OP_SET_MINUS": minus,
    "OP_SET_SUBSET": subset,
    "OP_SET_SINGLETON": lambda element: SetValue(frozenset((element,))),
    "OP_SET_INSERT": lambda element, one: union(SetValue(frozenset((element,))), one),
    "OP_SET_DELETE": lambda element, one: minus(one, SetValue(frozenset((element,)))),
    "OP_SET_IS_EMPTY": lambda one: one == NOTHING,
    "OP_FINITE_SET_UNION": union,
    "OP_FINITE_SET_INTERSECTION": inter,
    "OP_FINITE_SET_DIFFERENCE": minus,
    "OP_FINITE_SET_SUBSET": subset,
    "OP_FINITE_SET_SINGLETON": lambda element: SetValue(frozenset((element,))),
    "OP_FINITE_SET_SIZE": lambda one: len(one.members),
}


def _enter(kind: str, function: Callable[..., Value]) -> None:
    prepared(kind)(lambda site: decided(site, function))


for _kind, _function in _OPERATIONS.items():
    _enter(_kind, _function)


@prepared("OP_SET_MEMBER", "OP_FINITE_SET_MEMBER")
def _member(site: Site) -> Callable[[Value, SetValue], Any]:
    if plain(site.sorts[1], site.points):
        return member

    def contains(element: Value, one: SetValue) -> Asking:
        return (
            yield from among(site.points, site.sorts[0], element, in_order(one.members))
        ) != one.complement

    return contains


@prepared("OP_SET_COMPLEMENT")
def _complement(site: Site) -> Callable[[SetValue], SetValue]:
    everything = _universe(site.sort, site.points)
    return decided(site, lambda one: minus(everything, one))


def _universe(sort: Sort, points: Points) -> SetValue:
    if sort not in points.interpretation.universes:
        return make_set(sort, (), True, points)
    known = points.interpretation.universes[sort]
    if not isinstance(known, SetValue):
        raise CannotSay("the universe of the model is not known")
    return known


@special("SORT_FINITE_SET")
def _nothing(sort: Sort, name: str, points: Points) -> SetValue:
    return NOTHING


@special("SORT_SET")
def _special(sort: Sort, name: str, points: Points) -> SetValue:
    return NOTHING if name == "set.empty" else _universe(sort, points)


@prepared("OP_SET_CARD")
def _card(site: Site) -> Callable[[SetValue], int]:
    return decided(site, lambda one: _count(site, one))


@prepared("OP_SET_IS_SINGLETON")
def _is_singleton(site: Site) -> Callable[[SetValue], bool]:
    # a set that is not given by its members has at least half of the elements of a large sort
    return decided(site, lambda one: len(one.members) == 1 and not one.complement)


def _count(site: Site, one: SetValue) -> int:
    if not one.complement:
        return len(one.members)
    size = site.points.size(site.sorts[0].sort(0))
    if size is None:
        raise CannotSay("the cardinality of an infinite set")
    return size - len(one.members)


@prepared("OP_SET_CHOOSE", open="any member; of the empty set any element")
def _choose(site: Site) -> Callable[[SetValue], Value]:
    def choose(one: SetValue) -> Value:
        if one.complement or not one.members:
            return site.open((one,))
        allowed = tuple(members_of(one))
        return allowed[0] if len(allowed) == 1 else site.open((one,), allowed)

    return decided(site, choose)


@meaning("OP_SET_ALL")
def _all(site: Site, function: Value, one: SetValue) -> Asking:
    for element in members_of(one):
        if not (yield from apply(site.points, site.sorts[0], function, (element,))):
            return False
    return True


@meaning("OP_SET_SOME")
def _some(site: Site, function: Value, one: SetValue) -> Asking:
    for element in members_of(one):
        if (yield from apply(site.points, site.sorts[0], function, (element,))):
            return True
    return False


@meaning("OP_SET_FILTER", "OP_FINITE_SET_FILTER")
def _filter(site: Site, function: Value, one: SetValue) -> Asking:
    kept = []
    for element in members_of(one):
        if (yield from apply(site.points, site.sorts[0], function, (element,))):
            kept.append(element)
    return SetValue(frozenset(kept))


@meaning("OP_SET_MAP", "OP_FINITE_SET_MAP")
def _map(site: Site, function: Value, one: SetValue) -> Asking:
    images = []
    for element in members_of(one):
        images.append((yield from apply(site.points, site.sorts[0], function, (element,))))
    return SetValue(frozenset(images))


def integers_between(low: int, high: int) -> range:
    """Return the integers from `low` to `high`, both of which are among them. Raises CannotSay if
    there are too many.
    """
    if high - low >= MAX_RANGE:
        raise CannotSay(f"a set of more than {MAX_RANGE} integers")
    return range(low, high + 1)


@meaning("OP_FINITE_SET_RANGE")
def _range(site: Site, low: int, high: int) -> SetValue:
    return SetValue(frozenset(integers_between(low, high)))


@meaning("OP_SET_FOLD", open="a function for which the order matters: the result of any order")
def _fold(site: Site, function: Value, start: Value, one: SetValue) -> Asking:
    (one,) = yield from unified(site.points, site.sorts[2:], (one,))
    results = yield from fold_any_order(
        site, function, start, [(element, 1) for element in members_of(one)]
    )
    return results[0] if len(results) == 1 else site.open((function, start, one), results)


@binder("OP_SET_COMPREHENSION")
def _comprehension(site: Site, scope: Scope) -> Asking:
    """Return the values of the last term for all assignments under which the term before it is
    true.
    """
    rows = rows_of(tuple(variable.sort for variable in scope.variables), site.points)
    if rows is None:
        raise CannotSay("a comprehension over a large domain")
    condition, term = scope.rest
    found: list[Any] = []
    for row in rows:
        values = {**scope.values, **dict(zip(scope.variables, row, strict=True))}
        if (yield Body(condition, dict(values))):
            found.append((yield Body(term, dict(values))))
    return SetValue(frozenset(found))


@cardinality(*SETS)
def _size(sort: Sort, points: Points) -> int | None:
    elements = points.size(sort.sort(0))
    return 1 << elements if elements is not None and elements <= 64 else None


@enumeration(*SETS)
def _sets(sort: Sort, points: Points) -> tuple[Value, ...] | None:
    elements = points.domain(sort.sort(0))
    if elements is None:
        return None
    every = range(1 << len(elements))
    return tuple(
        SetValue(frozenset(e for k, e in enumerate(elements) if chosen >> k & 1))
        for chosen in every
    )
