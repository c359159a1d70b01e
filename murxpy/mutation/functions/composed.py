"""Fusion functions made at random: z = f(u(x), v(y)), where u and v are chains of fusion functions
with a literal for the other term.

The laws of each link hold for all terms, so those of the whole do.
"""

from __future__ import annotations

from collections.abc import Callable

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.mutation.functions.inversions import RULES, Fusion, Maker, Rule

LITERALS: dict[str, Callable[[Maker, Sort], Term]] = {
    "SORT_BOOL": lambda m, sort: m.tables.true if m.stream.chance(0.5) else m.tables.false,
    "SORT_INT": lambda m, sort: m.number(sort),
    "SORT_REAL": lambda m, sort: m.number(sort),
    "SORT_STRING": lambda m, sort: m.text(),
    "SORT_BV": lambda m, sort: m.tables.value(sort, m.stream.bits(sort.width)),
    "SORT_RM": lambda m, sort: m.tables.special(
        sort, m.stream.choose(m.tables.catalogue.sorts[sort.kind].special)
    ),
}


def composed(links: int) -> Rule:
    """A rule for the sorts of `LITERALS` that have fusion functions: up to so many links on each
    side, others each time.
    """

    def rule(m: Maker, x: Term, y: Term) -> Fusion:
        u, to_x = _chain(m, x, m.stream.below(links + 1))
        v, to_y = _chain(m, y, m.stream.below(links + 1))
        outer = m.stream.choose(list(RULES[x.sort.kind].values()))(m, u, v)
        return Fusion(
            outer.value, lambda z: to_x(outer.first(z)), lambda z: to_y(outer.second(z)), outer.also
        )

    return rule


def _chain(m: Maker, start: Term, links: int) -> tuple[Term, Callable[[Term], Term]]:
    """A term made of `start`, and the way back from what it is equal to."""
    term, ways = start, []
    for _ in range(links):
        fusion = m.stream.choose(list(RULES[start.sort.kind].values()))(
            m, term, LITERALS[start.sort.kind](m, start.sort)
        )
        if fusion.value.sort is start.sort:  # else it is no link
            term = fusion.value
            ways.append(fusion.first)

    def back(value: Term) -> Term:
        for way in reversed(ways):
            value = way(value)
        return value

    return term, back
