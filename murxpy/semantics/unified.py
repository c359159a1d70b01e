"""Lets operators compare the parts of their arguments by `==`. If the sorts are not plain, equal
parts are first replaced by the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.semantics.datatypes import fields_of
from murxpy.semantics.equality import same
from murxpy.semantics.plain import all_plain, more_than, plain
from murxpy.semantics.registry import Asking, Points, Site
from murxpy.semantics.values import BagValue, CannotSay, DatatypeValue, SetValue, Value, in_order


def decided(site: Site, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function`, which compares its arguments and their parts by `==`, for the sorts of a
    site's arguments.
    """
    if all_plain(site.sorts, site.points):
        return function

    def careful(*values: Value) -> Asking:
        return function(*(yield from unified(site.points, site.sorts, values)))

    return careful


def unified(points: Points, sorts: Sequence[Sort], values: Sequence[Value]) -> Asking:
    """Return a tuple of values that are equal to the given ones. `==` decides equality among them,
    and among their parts.

    Raises CannotSay if it is not known whether two parts are equal.
    """
    work = _Unifier(points)
    found = []
    for sort, value in zip(sorts, values, strict=True):
        found.append((yield from work.form(sort, value)))
    return tuple(found)


def add_counts(counts: Sequence[tuple[Value, int]]) -> BagValue:
    """Return the bag in which the count of each element is the sum of its counts in the pairs. An
    element whose sum is not positive is left out.
    """
    total: dict[Value, int] = {}
    for element, count in counts:
        total[element] = total.get(element, 0) + count
    return BagValue(frozenset((element, count) for element, count in total.items() if count > 0))


class _Unifier:
    """The objects chosen so far. Of each sort these are functions that are known to be different."""

    def __init__(self, points: Points) -> None:
        self._points = points
        self._forms: dict[Sort, list[Value]] = {}

    def form(self, sort: Sort, value: Any) -> Asking:
        """Return the chosen object for a value. This is a generator."""
        if plain(sort, self._points):
            return value
        if isinstance(value, SetValue):
            element = sort.sort(0)
            if value.complement and not more_than(
                2 * len(value.members) + 1, element, self._points
            ):
                raise CannotSay(
                    "the complement of a set in a sort of which not all elements are known"
                )
            members = yield from self._forms_of(
                [element] * len(value.members), in_order(value.members)
            )
            return SetValue(frozenset(members), value.complement)
        if isinstance(value, BagValue):
            pairs: Any = in_order(value.counts)
            elements = yield from self._forms_of(
                [sort.sort(0)] * len(pairs), [element for element, _ in pairs]
            )
            return add_counts(
                [(element, count) for element, (_, count) in zip(elements, pairs, strict=True)]
            )
        if isinstance(value, tuple):
            return (yield from self._forms_of([sort.sort(0)] * len(value), value))
        if isinstance(value, DatatypeValue):
            return DatatypeValue(
                value.constructor, (yield from self._forms_of(_fields(sort, value), value.fields))
            )
        return (yield from self._chosen(sort, value))

    def _forms_of(self, sorts: Sequence[Sort], values: Sequence[Value]) -> Asking:
        found = []
        for sort, value in zip(sorts, values, strict=True):
            found.append((yield from self.form(sort, value)))
        return tuple(found)

    def _chosen(self, sort: Sort, value: Value) -> Asking:
        known = self._forms.setdefault(sort, [])
        for other in known:
            if (yield from same(self._points, sort, value, other)):
                return other
        known.append(value)
        return value


def _fields(sort: Sort, value: DatatypeValue) -> Sequence[Sort]:
    if sort.kind == "SORT_TUPLE":
        return sort.sorts()
    if sort.kind == "SORT_NULLABLE":
        return sort.sorts() if value.fields else ()
    constructor = sort.datatype.constructor(value.constructor)
    if constructor is None:
        raise CannotSay(f"no constructor {value.constructor}")
    return fields_of(sort, constructor)
