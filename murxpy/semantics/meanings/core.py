"""Booleans, equality and if-then-else: SMT-LIB 2.7, theory Core. Also the cardinality and
pseudo-Boolean constraints of z3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, islice, pairwise, product
from operator import eq, ge, le
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.semantics.domains import samples
from murxpy.semantics.equality import differ, same
from murxpy.semantics.plain_sorts import plain
from murxpy.semantics.registry import (
    Asking,
    Body,
    OpenPoint,
    Points,
    Scope,
    Site,
    Unknown,
    binder,
    every,
    in_doubt,
    meaning,
    prepared,
)
from murxpy.semantics.values import CannotSay, Value


def unknown_of(values: Iterable[Any]) -> Unknown | None:
    """Return an Unknown among `values`; None if all values are known. An Unknown that depends on an
    open point, such as the value of a division by zero, comes first.
    """
    found = [v for v in values if type(v) is Unknown]
    return next((u for u in found if u.key is not None), found[0]).nameless() if found else None


@prepared("OP_EQUAL", "OP_IFF", whole=True)
def _equal(site: Site) -> Callable[..., Any]:
    sort, points = site.sorts[0], site.points
    if not plain(sort, points):
        return lambda *values: every(same(points, sort, a, b) for a, b in pairwise(values))
    return eq if len(site.sorts) == 2 else lambda *values: all(a == b for a, b in pairwise(values))


@prepared("OP_DISTINCT", whole=True)
def _distinct(site: Site) -> Callable[..., Any]:
    sort, points = site.sorts[0], site.points
    if not plain(sort, points):
        return lambda *values: every(differ(points, sort, a, b) for a, b in combinations(values, 2))
    return lambda *values: len(set(values)) == len(values)


def _one_value(left: Any, right: Any) -> bool:
    """Return whether two arguments are known to be equal, although their value may be unknown."""
    if type(left) is Unknown or type(right) is Unknown:
        return type(left) is type(right) and left.name is not None and left.name == right.name
    return bool(left == right)


@in_doubt("OP_EQUAL", "OP_IFF")
def _equal_in_doubt(*values: Any) -> bool | None:
    return True if all(_one_value(a, b) for a, b in pairwise(values)) else None


@in_doubt("OP_DISTINCT")
def _distinct_in_doubt(*values: Any) -> bool | None:
    return False if any(_one_value(a, b) for a, b in combinations(values, 2)) else None


@in_doubt("OP_XOR")
def _xor_in_doubt(*values: Any) -> bool | None:
    return False if len(values) == 2 and _one_value(*values) else None


@prepared("OP_NOT")
def _not(site: Site) -> Callable[[bool], bool]:
    return lambda value: not value


@prepared("OP_XOR")
def _xor(site: Site) -> Callable[[bool, bool], bool]:
    return lambda left, right: left != right


@meaning("OP_AND", whole=True, lazy=True)
def _and(site: Site, *values: Any) -> Any:
    if False in values:
        return False
    return unknown_of(values) or True


@meaning("OP_OR", whole=True, lazy=True)
def _or(site: Site, *values: Any) -> Any:
    if True in values:
        return True
    return unknown_of(values) or False


@meaning("OP_IMPLIES", whole=True, lazy=True)
def _implies(site: Site, *values: Any) -> Any:
    if False in values[:-1] or values[-1] is True:
        return True
    return unknown_of(values) or False


@meaning("OP_ITE", lazy=True)
def _ite(site: Site, condition: Any, yes: Any, no: Any) -> Any:
    if type(condition) is not Unknown:
        return yes if condition else no
    if _one_value(yes, no):
        return yes
    return unknown_of((condition, yes, no))


def _counting(kind: str, compare: Callable[[int, int], bool], weighted: bool) -> None:
    @prepared(kind, whole=True)
    def prepare(site: Site) -> Callable[..., bool]:
        bound = site.indices[0]
        if not weighted:
            return lambda *values: compare(sum(values), bound)
        weights = site.indices[1:]
        return lambda *values: compare(
            sum(w for w, v in zip(weights, values, strict=True) if v), bound
        )


_counting("OP_AT_MOST", le, False)
_counting("OP_AT_LEAST", ge, False)
_counting("OP_PB_LE", le, True)
_counting("OP_PB_GE", ge, True)
_counting("OP_PB_EQ", eq, True)


# ----------------------------------------------------------------------
# Quantifiers: SMT-LIB 2.7, section 5.3. All values are tried if the sorts are finite and small.
# Else a few values are tried, and if none of them decides the formula, its value cannot be
# said. Patterns have no meaning.


ASSIGNMENTS = 1 << 12  # most assignments to the variables of one quantifier
SAMPLES = 64  # assignments that are tried if there are too many


def _assignments(sorts: list[Sort], points: Points) -> tuple[Iterator[tuple[Value, ...]], bool]:
    """Return assignments of values to variables, and whether these are all."""
    total = 1
    for sort in sorts:
        size = points.size(sort)
        total = 0 if size is None or not total or points.domain(sort) is None else total * size
    if 0 < total <= ASSIGNMENTS:
        return product(*[points.domain(sort) or () for sort in sorts]), True
    return islice(product(*[samples(sort, points) for sort in sorts]), SAMPLES), False


def _quantifier(decisive: bool) -> Callable[[Site, Scope], Asking]:
    def expand(site: Site, scope: Scope) -> Asking:
        assignments, complete = _assignments([v.sort for v in scope.variables], site.points)
        unknown: list[Any] = []
        for values in assignments:
            try:
                value = yield Body(
                    scope.rest[0],
                    {**scope.values, **dict(zip(scope.variables, values, strict=True))},
                )
            except CannotSay as reason:
                unknown.append(
                    reason.unknown if isinstance(reason, OpenPoint) else Unknown(str(reason))
                )
                continue
            if value is decisive:
                return decisive
        if unknown:
            found = unknown_of(unknown)
            raise OpenPoint(found) if found is not None else CannotSay("a body that cannot be said")
        if not complete:
            raise CannotSay(f"a quantifier over {', '.join(str(v.sort) for v in scope.variables)}")
        return not decisive

    return expand


binder("OP_FORALL", "OP_FORALL_PATTERN")(_quantifier(False))
binder("OP_EXISTS", "OP_EXISTS_PATTERN")(_quantifier(True))
