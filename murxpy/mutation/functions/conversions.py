"""Fusion functions between two sorts: integers with reals, and bit-vectors of different widths.

Their laws hold for all terms, as those of `inversions`.
"""

from __future__ import annotations

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.mutation.functions.inversions import Fusion, Maker, Rule, concatenation, rules_of


def _real_sum(m: Maker, x: Term, y: Term) -> Fusion:
    """The sum of an integer x and a real y."""
    real = m.apply("OP_INT_TO_REAL", x)
    return Fusion(
        m.apply("OP_REAL_ADD", real, y),
        lambda z: m.apply("OP_REAL_TO_INT", m.apply("OP_REAL_SUB", z, y)),
        lambda z: m.apply("OP_REAL_SUB", z, real),
    )


def _real_linear(m: Maker, x: Term, y: Term) -> Fusion:
    """The sum of a multiple of an integer x and a real y."""
    a = m.number(y.sort)
    part = m.apply("OP_REAL_MUL", a, m.apply("OP_INT_TO_REAL", x))
    return Fusion(
        m.apply("OP_REAL_ADD", part, y),
        lambda z: m.apply(
            "OP_REAL_TO_INT", m.apply("OP_REAL_DIV", m.apply("OP_REAL_SUB", z, y), a)
        ),
        lambda z: m.apply("OP_REAL_SUB", z, part),
    )


def _real_product(m: Maker, x: Term, y: Term) -> Fusion:
    """The product of an integer x and a real y."""
    real = m.apply("OP_INT_TO_REAL", x)
    return Fusion(
        m.apply("OP_REAL_MUL", real, y),
        lambda z: m.unless_zero(y, x, m.apply("OP_REAL_TO_INT", m.apply("OP_REAL_DIV", z, y))),
        lambda z: m.unless_zero(real, y, m.apply("OP_REAL_DIV", z, real)),
    )


def _extended_sum(m: Maker, x: Term, y: Term) -> Fusion:
    """The sum of a bit-vector x, extended by zeros, and a wider bit-vector y."""
    width = x.sort.width
    wide = m.apply("OP_BV_ZERO_EXTEND", x, indices=(y.sort.width - width,))
    return Fusion(
        m.apply("OP_BV_ADD", wide, y),
        lambda z: m.apply("OP_BV_EXTRACT", m.apply("OP_BV_SUB", z, y), indices=(width - 1, 0)),
        lambda z: m.apply("OP_BV_SUB", z, wide),
    )


NUMBERS: dict[str, Rule] = {
    "int-real-add": _real_sum,
    "int-real-linear": _real_linear,
    "int-real-mul": _real_product,
}
WIDTHS: dict[str, Rule] = {"bv-concat": concatenation, "bv-extend": _extended_sum}


def rules_between(first: Sort, second: Sort) -> dict[str, Rule]:
    """The fusion functions for a term of each of two sorts, by name; none if the sorts cannot be
    converted.
    """
    if first is second:
        return rules_of(first)
    if (first.kind, second.kind) == ("SORT_INT", "SORT_REAL"):
        return NUMBERS
    if first.kind == second.kind == "SORT_BV" and first.width < second.width:
        return WIDTHS
    if (first.kind, second.kind) == ("SORT_REAL", "SORT_INT") or (
        first.kind == second.kind == "SORT_BV"
    ):
        return {name: swapped(rule) for name, rule in rules_between(second, first).items()}
    return {}


def swapped(rule: Rule) -> Rule:
    """A fusion function whose two terms have changed places."""

    def rule_of_both(m: Maker, x: Term, y: Term) -> Fusion:
        made = rule(m, y, x)
        return Fusion(made.value, made.second, made.first, made.also)

    return rule_of_both
