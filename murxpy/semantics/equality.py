"""Compares functions that are no tables by their form. Functions of the same form are equal."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import islice, product
from typing import Any

from murxpy.logic.sorts import SETS, Sort
from murxpy.logic.terms import VARIABLE, Term
from murxpy.semantics.closures import Built, Closure, Stored, opaque
from murxpy.semantics.datatypes import fields_of
from murxpy.semantics.domains import rows_of, samples
from murxpy.semantics.exact.regex import Regex
from murxpy.semantics.plain_sorts import all_plain, more_than, plain, signature
from murxpy.semantics.registry import Asking, Body, Points, Site, every, given, graver
from murxpy.semantics.values import (
    BagValue,
    CannotSay,
    DatatypeValue,
    SetValue,
    Table,
    Value,
    in_order,
)

Same = Callable[..., Asking]  # of the points, a sort and two values of this sort


def alike(points: Points, left: Any, right: Any, same: Same) -> Asking:
    """Return whether two functions that are no tables have the same form, which makes them equal.
    False means nothing. `same` compares values.
    """
    try:
        if isinstance(left, Closure) and isinstance(right, Closure):
            return (yield from _alike_closures(points, left, right, same))
        if isinstance(left, Built) and isinstance(right, Built):
            if (
                not left.head
                or left.head != right.head
                or [s for s, _ in left.parts] != [s for s, _ in right.parts]
            ):
                return False
            return (
                yield from every(
                    same(points, s, a, b)
                    for (s, a), (_, b) in zip(left.parts, right.parts, strict=True)
                )
            )
    except CannotSay:
        pass
    return False


def _alike_closures(points: Points, left: Closure, right: Closure, same: Same) -> Asking:
    """Return whether two bodies are the same, except for the names of bound variables and for parts
    that do not depend on these and have equal values.
    """
    if len(left.variables) != len(right.variables):
        return False
    here, there = left.values, right.values
    renamed = _Renaming(here, there)
    renamed.bind(left.variables, right.variables)
    pairs, known = [(left.body, right.body)], dict[tuple[Term, Term], None]()
    while pairs:
        pair = one, other = pairs.pop()
        if pair in known or renamed.names.get(one) is other:
            continue
        known[pair] = None
        if one.sort is not other.sort:
            return False
        if all(v in here for v in one.free) and all(v in there for v in other.free):
            if one is other and not one.free:
                continue
            values = (yield Body(one, dict(here))), (yield Body(other, dict(there)))
            if not (yield from same(points, one.sort, *values)):
                return False
            continue
        if not one.args or (one.op, one.indices, len(one.args)) != (
            other.op,
            other.indices,
            len(other.args),
        ):
            return False
        renamed.bind_more(one.args, other.args)
        pairs.extend(zip(one.args, other.args, strict=True))
    return not renamed.broken


class _Renaming:
    """Which bound variable of one body stands for which variable of the other. Each stands for one
    only, and none for a variable that has a value outside.
    """

    def __init__(self, here: Container[Term], there: Container[Term]) -> None:
        self.names: dict[Term, Term] = {}
        self._back: dict[Term, Term] = {}
        self._outside = here, there
        self.broken = False

    def bind(self, ours: Iterable[Term], theirs: Iterable[Term]) -> None:
        """Let variables stand for each other."""
        for one, other in zip(ours, theirs, strict=True):
            other_name = (
                self.names.get(one, other) is not other or self._back.get(other, one) is not one
            )
            if (
                one.sort is not other.sort
                or other_name
                or one in self._outside[0]
                or other in self._outside[1]
            ):
                self.broken = True
            self.names[one], self._back[other] = other, one

    def bind_more(self, ours: tuple[Term, ...], theirs: tuple[Term, ...]) -> None:
        """Let those arguments of two applications stand for each other that are new variables. A
        binder has the variables that it binds among its arguments.
        """
        for one, other in zip(ours, theirs, strict=True):
            if (
                one.op == other.op == VARIABLE
                and one not in self.names
                and one not in self._outside[0]
            ):
                self.bind((one,), (other,))


# ----------------------------------------------------------------------
# Compares values. Whether two values of a sort are equal (SMT-LIB's `=`) is decided here only;
# the answer is true, false, or CannotSay. Values of a plain sort (see `plain`) are compared by
# `==`. Values of other sorts contain functions that may be no tables. Such functions are
# compared - at every point of their domain, if there are few points; - else by their form: they
# are equal if they are the same object, if they apply the same operator to equal parts, or if
# their bodies are the same under renamed variables; - else at some points: if they differ at
# one, they are not equal, and if they differ at none, CannotSay is raised. Each comparison is a
# generator, as a meaning may be, because it may have to apply functions.


EVERY = 1 << 10  # two functions are compared at all points if there are at most so many
SAMPLES = 12  # else they are compared at so many points
_INNER = 4  # if they have several arguments, this many values of each are tried

Row = tuple[Any, ...]


# -- applying functions and arrays of any form


def apply(points: Points, sort: Sort, function: Any, args: Row) -> Asking:
    """Return the value of a function or array of `sort` at the values of its arguments."""
    if isinstance(function, Table):
        return (yield from look_up(points, sort, function, args))
    if isinstance(function, Closure):
        return (yield Body(function.body, function.environment(args)))
    if isinstance(function, Built):
        return (yield from function.ask(*args))
    if isinstance(function, Stored):
        return (yield from _stored_at(points, sort, function, args[0]))
    raise CannotSay(f"no function: {function!r}")


def look_up(points: Points, sort: Sort, table: Table, args: Row) -> Asking:
    """Return the value of a table at a point. `same` compares the point with those of the table."""
    key: Any = args[0] if sort.kind == "SORT_ARRAY" else args
    domain, result = signature(sort)
    if table.names(key) or all_plain(domain, points):
        return table.at(key)
    entries = [
        ((point,) if sort.kind == "SORT_ARRAY" else point, value) for point, value in table.items()
    ]
    return (yield from _found(points, domain, result, entries, args, lambda: given(table.default)))


def _stored_at(points: Points, sort: Sort, array: Stored, index: Value) -> Asking:
    domain, result = signature(sort)
    entries = [((point,), value) for point, value in array.stores]
    return (
        yield from _found(
            points,
            domain,
            result,
            entries,
            (index,),
            lambda: apply(points, sort, array.base, (index,)),
        )
    )


def _found(
    points: Points,
    domain: Row,
    result: Sort,
    entries: Iterable[tuple[Any, Value]],
    args: Row,
    otherwise: Any,
) -> Asking:
    """Return the value of the first entry whose point is `args`, or else what `otherwise` returns.

    If it is unknown which entry that is, all entries that it may be must have the same value.
    """
    possible: list[Value] = []
    unsaid: CannotSay | None = None
    for point, value in entries:
        try:
            if (yield from same_rows(points, domain, point, args)):
                possible.append(value)
                break
        except CannotSay as reason:
            possible.append(value)
            unsaid = graver(unsaid, reason)
    else:
        possible.append((yield from otherwise()))
    if unsaid is not None and not (yield from _agreed(points, result, possible)):
        raise unsaid
    return possible[-1]


def _agreed(points: Points, sort: Sort, values: list[Value]) -> Asking:
    try:
        return (yield from every(same(points, sort, values[-1], value) for value in values[:-1]))
    except CannotSay:
        return False


# -- equality


def same(points: Points, sort: Sort | None, left: Any, right: Any) -> Asking:
    """Return whether two values of `sort` are equal. A sort that is unknown is None. Raises
    CannotSay.
    """
    if left is right or left == right:
        return True
    if sort is None:
        return (yield from _same_anyhow(left, right))
    if plain(sort, points) and not (opaque(left) or opaque(right)):
        return False
    if points.size(sort) == 1:
        return True
    compare = _COMPARED.get(sort.kind)
    if compare is None:
        raise CannotSay(f"equality of values of {sort}")
    return (yield from compare(points, sort, left, right))


def _same_anyhow(left: Any, right: Any) -> Asking:
    """Compare two values whose sort is unknown by their parts. A difference is no proof of inequality
    if a function or set is among them.
    """
    if left == right:
        return True
    if isinstance(left, DatatypeValue) and isinstance(right, DatatypeValue):
        if left.constructor != right.constructor:
            return False
        left, right = left.fields, right.fields
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and (
            yield from every(_same_anyhow(a, b) for a, b in zip(left, right, strict=True))
        )
    if isinstance(left, (Table, SetValue, BagValue, Regex)) or opaque(left) or opaque(right):
        raise CannotSay("equality of values whose sort is not known")
    return False


def same_rows(points: Points, sorts: Row, left: Row, right: Row) -> Asking:
    """Return whether two tuples of values of `sorts` are equal in each place."""
    return (
        yield from every(same(points, s, a, b) for s, a, b in zip(sorts, left, right, strict=True))
    )


def differ(points: Points, sort: Sort, left: Any, right: Any) -> Asking:
    """Return the opposite of `same`."""
    return not (yield from same(points, sort, left, right))


def _same_languages(points: Points, sort: Sort, left: Any, right: Any) -> Asking:
    yield from ()
    return bool(left.same(right))


def _same_sequences(points: Points, sort: Sort, left: Row, right: Row) -> Asking:
    return len(left) == len(right) and (
        yield from same_rows(points, (sort.sort(0),) * len(left), left, right)
    )


def _same_fields(points: Points, sort: Sort, left: DatatypeValue, right: DatatypeValue) -> Asking:
    if left.constructor != right.constructor or len(left.fields) != len(right.fields):
        return False
    # a tuple has as many sorts as its constructor has fields, but `nullable.null` has none
    sorts: Iterable[Sort | None] = sort.sorts()[: len(left.fields)]
    if sort.kind == "SORT_DT":
        constructor = sort.datatype.constructor(left.constructor)
        sorts = (
            fields_of(sort, constructor) if constructor is not None else [None] * len(left.fields)
        )
    return (yield from same_rows(points, tuple(sorts), left.fields, right.fields))


def _same_sets(points: Points, sort: Sort, left: SetValue, right: SetValue) -> Asking:
    element = sort.sort(0)
    if left.complement != right.complement:
        if more_than(len(left.members) + len(right.members), element, points):
            return False
        raise CannotSay(
            "equality of a set and of a complement in a sort of which not all elements are known"
        )
    one, other = list(left.members), list(right.members)
    inside = [among(points, element, member, other) for member in one]
    return (yield from every([*inside, *(among(points, element, member, one) for member in other)]))


def among(points: Points, sort: Sort, value: Value, others: Iterable[Value]) -> Asking:
    """Return whether a value is one of `others`. Raises CannotSay."""
    return not (yield from every(differ(points, sort, value, other) for other in others))


def _same_bags(points: Points, sort: Sort, left: BagValue, right: BagValue) -> Asking:
    if sum(n for _, n in left.counts) != sum(n for _, n in right.counts):
        return False
    element = sort.sort(0)
    pairs = [(e, n) for e, n in left.counts] + [(e, -n) for e, n in right.counts]
    # for each different element, how much more often it occurs in the left bag
    excess: list[list[Any]] = []
    for value, count in pairs:
        for known in excess:
            if (yield from same(points, element, known[0], value)):
                known[1] += count
                break
        else:
            excess.append([value, count])
    return not any(count for _, count in excess)


# -- equality of functions


def _same_functions(points: Points, sort: Sort, left: Any, right: Any) -> Asking:
    rows = rows_of(signature(sort)[0], points, EVERY)
    if rows is not None:
        return (yield from every(same_at(points, sort, left, right, row) for row in rows))
    if isinstance(left, Table) and isinstance(right, Table):
        return (yield from _same_tables(points, sort, left, right))
    decided = yield from _same_stores(points, sort, left, right)
    if decided is not None or (yield from alike(points, left, right, same)):
        return decided is not False
    for row in _rows_to_try(points, sort, left, right):
        try:
            if not (yield from same_at(points, sort, left, right, row)):
                return False
        except CannotSay:
            continue
    raise CannotSay("equality of functions over a large domain")


def same_at(points: Points, sort: Sort, left: Any, right: Any, row: Row) -> Asking:
    """Return whether two functions have equal values at a point. Raises CannotSay."""
    _, result = signature(sort)
    one = yield from apply(points, sort, left, row)
    return (yield from same(points, result, one, (yield from apply(points, sort, right, row))))


def _same_tables(points: Points, sort: Sort, left: Table, right: Table) -> Asking:
    """Return whether two tables are equal at all points. The defaults of the tables have to be equal
    only if some point is in neither table.
    """
    domain, result = signature(sort)
    keys = _keys(sort, left) + _keys(sort, right)
    if not (yield from every(same_at(points, sort, left, right, key) for key in keys)):
        return False
    if (yield from same(points, result, left.default, right.default)):
        return True
    if any(more_than(len(keys), s, points) for s in domain):
        return False
    raise CannotSay("equality of tables over a sort whose elements are not known")


def _keys(sort: Sort, function: Any) -> list[Row]:
    if isinstance(function, Stored):
        return [(point,) for point, _ in function.stores] + _keys(sort, function.base)
    if not isinstance(function, Table):
        return []
    found: list[Any] = [point for point, _ in function.items()]
    return [(point,) for point in found] if sort.kind == "SORT_ARRAY" else found


def _same_stores(points: Points, sort: Sort, left: Any, right: Any) -> Asking:
    """Compare arrays that stores made of arrays with the same form. The arrays can differ only at the
    points of the stores. Return None if the forms do not decide it.
    """
    if not (isinstance(left, Stored) or isinstance(right, Stored)):
        return None
    one, other = (value.base if isinstance(value, Stored) else value for value in (left, right))
    if not (one == other or (yield from alike(points, one, other, same))):
        return None
    keys = [
        (point,)
        for value in (left, right)
        if isinstance(value, Stored)
        for point, _ in value.stores
    ]
    return (yield from every(same_at(points, sort, left, right, key) for key in keys))


def _rows_to_try(points: Points, sort: Sort, left: Any, right: Any) -> Iterator[Row]:
    domain, _ = signature(sort)
    yield from islice([*_keys(sort, left), *_keys(sort, right)], SAMPLES)
    each = SAMPLES if len(domain) == 1 else _INNER
    yield from islice(product(*(samples(s, points)[:each] for s in domain)), SAMPLES)


_COMPARED = {
    "SORT_ARRAY": _same_functions,
    "SORT_FUN": _same_functions,
    "SORT_REGLAN": _same_languages,
    "SORT_SEQ": _same_sequences,
    "SORT_DT": _same_fields,
    "SORT_TUPLE": _same_fields,
    "SORT_NULLABLE": _same_fields,
    **dict.fromkeys(SETS, _same_sets),
    "SORT_BAG": _same_bags,
}


# ----------------------------------------------------------------------
# Lets operators compare the parts of their arguments by `==`. If the sorts are not plain, equal
# parts are first replaced by the same object.


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
        """Return the chosen object for a value. The function is a generator."""
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
