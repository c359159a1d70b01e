"""Choosing argument sorts and indices with which an operator gives a wanted sort, or any sort. The
sorts are those that have terms.

A sort without terms is allowed if the other sorts determine it and it has literals: the 8 bits of
an exponent in `fp`, for example, or a rounding mode.
"""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.logic.catalogue import Operator
from murxpy.logic.signature import Binding, Index, Linear, Pattern
from murxpy.logic.sorts import IllSorted, Sort
from murxpy.logic.typing import Checker
from murxpy.machine.random import Stream

# kinds of sorts for which a literal can stand in, if the other sorts leave only one such sort
SERVED = ("SORT_BV", "SORT_RM")
LARGEST_INDEX = 16  # the largest index that is drawn from a range without an upper end
MOST_ARGUMENTS = 4

Arguments = tuple[tuple[Sort, ...], tuple[int, ...]]


def fill(
    operator: Operator, wanted: Sort, there: Sequence[Sort], stream: Stream, checker: Checker
) -> Arguments | None:
    """Argument sorts from `there`, and indices, with which `operator` gives `wanted`; None if the
    draw finds none.
    """
    env: Binding = {}
    if not operator.signature.result.match(wanted, env):
        return None
    found = _draw(operator, env, there, stream, checker)
    given = found and _result(
        operator, found, checker, wanted if operator.signature.as_sort else None
    )
    return found if given is wanted else None


def apply_any(
    operator: Operator, there: Sequence[Sort], stream: Stream, checker: Checker
) -> tuple[Arguments, Sort] | None:
    """Argument sorts from `there` and indices for `operator`, and the sort of its result; None if
    the draw finds none.
    """
    result, indices = operator.signature.result, operator.signature.indices
    # the result then determines the rest
    if operator.signature.as_sort or any(index.low is None for index in indices):
        giving = [sort for sort in there if result.kind in (None, sort.kind)]
        wanted = stream.choose(giving) if giving else None
        found = wanted and fill(operator, wanted, there, stream, checker)
        return (found, wanted) if found and wanted else None
    found = _draw(operator, {}, there, stream, checker)
    given = found and _result(operator, found, checker, None)
    return (found, given) if found and given else None


def _result(
    operator: Operator, arguments: Arguments, checker: Checker, wanted: Sort | None
) -> Sort | None:
    try:
        return checker.result(operator, *arguments, wanted)
    except IllSorted:
        return None


def _draw(
    operator: Operator, env: Binding, there: Sequence[Sort], stream: Stream, checker: Checker
) -> Arguments | None:
    signature = operator.signature
    patterns = list(signature.args)
    if operator.variadic and stream.chance(0.3):
        patterns += [patterns[-1]] * stream.between(1, MOST_ARGUMENTS - 1)
    sorts: list[Sort] = []
    for pattern in patterns:
        sort = None if pattern.star else _sort(pattern, env, there, stream, checker)
        if sort is None:
            return None
        sorts.append(sort)
    indices = _indices(signature.indices, env, len(sorts), stream)
    return None if indices is None else (tuple(sorts), indices)


def _sort(
    pattern: Pattern, env: Binding, there: Sequence[Sort], stream: Stream, checker: Checker
) -> Sort | None:
    fitting = [sort for sort in there if pattern.match(sort, dict(env))]
    if not fitting:
        numbers = [param.value(env) for param in pattern.params if isinstance(param, Linear)]
        if pattern.kind not in SERVED or any(number is None or number < 1 for number in numbers):
            return None
        return pattern.build(env, checker.sorts)
    sort = stream.choose(fitting)
    pattern.match(sort, env)
    return sort


def _indices(
    specs: Sequence[Index], env: Binding, arity: int, stream: Stream
) -> tuple[int, ...] | None:
    found: list[int] = []
    for spec in specs:
        for _ in range(arity if spec.each else 1):
            value = _index(spec, env, stream)
            if value is None:
                return None
            found.append(value)
    return tuple(found)


def _index(spec: Index, env: Binding, stream: Stream) -> int | None:
    """An index in its range; an index that the sorts determine has that value."""
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
