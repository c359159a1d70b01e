"""Quantifiers: SMT-LIB 2.7, section 5.3. All values are tried if the sorts are finite and small.
Else a few values are tried, and if none of them decides the formula, its value cannot be said.

Patterns have no meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, product
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.semantics.meanings.core import unknown_of
from murxpy.semantics.registry import Asking, Body, OpenPoint, Points, Scope, Site, Unknown, binder
from murxpy.semantics.samples import samples
from murxpy.semantics.values import CannotSay, Value

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
