"""Algebraic datatypes: SMT-LIB 2.7, section 3.9. The standard leaves open what a selector gives for
a value of another constructor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod

from murxpy.logic.sorts import Constructor, Sort, SortParam
from murxpy.logic.terms import Term
from murxpy.logic.walks import subterms
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
)
from murxpy.semantics.values import CannotSay, DatatypeValue, Value


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A case of a match: its constructor (None if it fits any), its variables, its body, and the
    values of the free variables of the body.
    """

    constructor: str | None
    variables: tuple[Term, ...]
    body: Term
    values: dict[Term, Value]


@prepared("OP_DT_APPLY_CONS")
def _construct(site: Site) -> Callable[..., Value]:
    name = str(site.indices[0])
    return lambda *fields: DatatypeValue(name, fields)


def _place(site: Site) -> int:
    constructor = site.sorts[0].datatype.constructor(site.indices[0])
    if constructor is None:
        raise CannotSay(f"no constructor {site.indices[0]}")
    return next(
        k for k, (selector, _) in enumerate(constructor.fields) if selector == site.indices[1]
    )


@prepared("OP_DT_APPLY_SEL", open="a value of another constructor: any value of the field's sort")
def _select(site: Site) -> Callable[[DatatypeValue], Value]:
    place, name = _place(site), site.indices[0]
    return lambda value: value.fields[place] if value.constructor == name else site.open((value,))


@prepared("OP_DT_APPLY_TESTER")
def _test(site: Site) -> Callable[[DatatypeValue], bool]:
    name = site.indices[0]
    return lambda value: value.constructor == name


@prepared("OP_DT_APPLY_UPDATER")
def _update(site: Site) -> Callable[[DatatypeValue, Value], Value]:
    place, name = _place(site), site.indices[0]

    def update(value: DatatypeValue, field: Value) -> Value:
        if value.constructor != name:
            return value
        return DatatypeValue(
            value.constructor, (*value.fields[:place], field, *value.fields[place + 1 :])
        )

    return update


@binder("OP_DT_MATCH_CASE", "OP_DT_MATCH_BIND_CASE")
def _case(site: Site, scope: Scope) -> Value:
    constructor = str(site.indices[0]) if site.indices else None
    return Case(constructor, scope.variables, scope.rest[0], scope.values)


@meaning("OP_DT_MATCH")
def _match(site: Site, value: DatatypeValue, *cases: Case) -> Asking:
    for case in cases:
        if case.constructor is None:
            return (yield Body(case.body, {**case.values, case.variables[0]: value}))
        if case.constructor == value.constructor:
            bound = dict(zip(case.variables, value.fields, strict=True))
            return (yield Body(case.body, {**case.values, **bound}))
    raise CannotSay(f"no case for {value.constructor}")


def fields_of(sort: Sort, constructor: Constructor) -> list[Sort]:
    """Return the sorts of a constructor's fields. The parameters of the datatype are replaced by
    those of the sort.
    """
    bound = dict(zip(sort.datatype.params, sort.sorts(), strict=False))
    return [_filled(field, bound) if bound else field for _, field in constructor.fields]


def _filled(sort: Sort, bound: dict[str, Sort]) -> Sort:
    """Return `sort` with its parameters replaced."""
    if sort.kind == "SORT_PARAM":
        return bound.get(str(sort.params[0]), sort)
    filled = tuple(_filled(p, bound) if isinstance(p, Sort) else p for p in sort.params)
    return sort if filled == sort.params else _made(sort.kind, filled)


@lru_cache(maxsize=4096)
def _made(kind: str, params: tuple[SortParam, ...]) -> Sort:
    """Return a sort that is in no table, because the evaluator has none. The object is only looked
    at. Equal parameters give the same object.
    """
    return Sort(kind, params, -1)


@cardinality("SORT_DT")
def _size(sort: Sort, points: Points) -> int | None:
    """Return how many values a datatype has: the sum over its constructors of the product over their
    fields. The size is infinite if the datatype occurs in itself.
    """
    if _recursive(sort):
        return None
    total = 0
    for constructor in sort.datatype.constructors:
        sizes = [points.size(field) for field in fields_of(sort, constructor)]
        if any(size is None for size in sizes):
            return None
        total += prod(size for size in sizes if size is not None)
    return total


def _recursive(sort: Sort) -> bool:
    """Return whether a value of the datatype can contain a value of the same datatype, at any
    depth.
    """
    return any(
        inner.kind == "SORT_DT" and inner.datatype is sort.datatype
        for inner in subterms(_field_sorts(sort), lambda one: [*one.sorts(), *_field_sorts(one)])
    )


def _field_sorts(sort: Sort) -> list[Sort]:
    """Return the sorts of the fields as the datatype of a sort declares them."""
    if sort.kind != "SORT_DT":
        return []
    return [field for cons in sort.datatype.constructors for _, field in cons.fields]


@enumeration("SORT_DT")
def _values(sort: Sort, points: Points) -> tuple[Value, ...] | None:
    found: list[Value] = []
    for constructor in sort.datatype.constructors:
        domains = [points.domain(field) for field in fields_of(sort, constructor)]
        known = [d for d in domains if d is not None]
        if len(known) < len(domains):
            return None
        found.extend(DatatypeValue(constructor.name, fields) for fields in product(*known))
    return tuple(found)
