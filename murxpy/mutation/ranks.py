"""Filling in a rank backwards: argument sorts and indices with which an operator gives a wanted sort, from sorts that have terms."""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.logic.catalogue import Operator
from murxpy.logic.signature import Binding, Index, Pattern
from murxpy.logic.sorts import Sort
from murxpy.logic.typing import Checker, IllSorted
from murxpy.machine.random import Stream

LARGEST_INDEX = 16  # of those whose range has no end
MOST_ARGUMENTS = 4

Arguments = tuple[tuple[Sort, ...], tuple[int, ...]]


def fill(operator: Operator, wanted: Sort, there: Sequence[Sort], stream: Stream, checker: Checker) -> Arguments | None:
    """Argument sorts among `there`, and indices, with which `operator` gives `wanted`; None where the draw found none."""
    signature = operator.signature
    env: Binding = {}
    if not signature.result.match(wanted, env):
        return None
    patterns = list(signature.args)
    if operator.variadic and stream.chance(0.3):
        patterns += [patterns[-1]] * stream.between(1, MOST_ARGUMENTS - 1)
    sorts: list[Sort] = []
    for pattern in patterns:
        sort = None if pattern.star else _sort(pattern, env, there, stream)
        if sort is None:
            return None
        sorts.append(sort)
    indices = _indices(signature.indices, env, len(sorts), stream)
    if indices is None:
        return None
    try:
        given = checker.result(operator, tuple(sorts), indices, wanted if signature.as_sort else None)
    except IllSorted:
        return None
    return (tuple(sorts), indices) if given is wanted else None


def _sort(pattern: Pattern, env: Binding, there: Sequence[Sort], stream: Stream) -> Sort | None:
    fitting = [sort for sort in there if pattern.match(sort, dict(env))]
    if not fitting:
        return None
    sort = stream.choose(fitting)
    pattern.match(sort, env)
    return sort


def _indices(specs: Sequence[Index], env: Binding, arity: int, stream: Stream) -> tuple[int, ...] | None:
    found: list[int] = []
    for spec in specs:
        for _ in range(arity if spec.each else 1):
            value = _index(spec, env, stream)
            if value is None:
                return None
            found.append(value)
    return tuple(found)


def _index(spec: Index, env: Binding, stream: Stream) -> int | None:
    """An index in its range; one that the sorts determine is what they say."""
    known = env.get(spec.name)
    if isinstance(known, int):
        return known
    low = 0 if spec.low is None else spec.low.value(env)
    high = LARGEST_INDEX if spec.high is None else spec.high.value(env)
    if low is None or spec.low is None:
        return None
    high = low + LARGEST_INDEX if high is None else min(high, low + LARGEST_INDEX)
    if low > high:
        return None
    env[spec.name] = value = stream.between(low, high)
    return value
