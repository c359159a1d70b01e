"""Fusion functions that are composed at random: z = f(u(x), v(y)), where u and v are chains of
fusion functions whose other term is a literal.

The laws of each link hold for all terms, so the laws of the whole function hold, too.
"""

from __future__ import annotations

from collections.abc import Callable

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.sources.mutation.functions.inversions import RULES, Fusion, Maker, Rule

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
    """A fusion function for the sorts of `LITERALS` that have fusion functions. Each use composes
    up to `links` links on each side, at random.
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
    """A term made from `start`, and the function that gets `start` back from a term of its value."""
    term, ways = start, []
    for _ in range(links):
        fusion = m.stream.choose(list(RULES[start.sort.kind].values()))(
            m, term, LITERALS[start.sort.kind](m, start.sort)
        )
        if fusion.value.sort is start.sort:  # a function with a result of another sort is no link
            term = fusion.value
            ways.append(fusion.first)

    def back(value: Term) -> Term:
        for way in reversed(ways):
            value = way(value)
        return value

    return term, back
