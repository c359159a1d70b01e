"""Folds a function over a set or bag. Their elements have no order, so the result may depend on the
order that is chosen.
"""

from __future__ import annotations

from math import prod

from murxpy.semantics.equality import apply
from murxpy.semantics.registry import Asking, Site
from murxpy.semantics.values import CannotSay, Value

MAX_PARTS = 256  # most sub-bags that are looked at
MAX_RESULTS = 64


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
