"""Constants that are not 0 in any model of some formulas, as far as single formulas show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from murxpy.logic.terms import CONSTANT, VALUE, Term

_KINDS = ("SORT_INT", "SORT_REAL")
_MIRRORED = {"LT": "GT", "LTE": "GTE", "GT": "LT", "GTE": "LTE"}
_OPPOSITE = {"LT": "GTE", "LTE": "GT", "GT": "LTE", "GTE": "LT"}


def nonzero(formulas: Iterable[Term]) -> frozenset[Term]:
    """The numeric constants that some conjunct compares with a literal in a way that 0 does not
    meet, such as `(> x 0)`, `(<= x (- 1))`, `(= x 5)` or `(not (= x 0))`.
    """
    return frozenset(found for formula in _conjuncts(formulas) for found in _excluding(formula))


def _conjuncts(formulas: Iterable[Term]) -> Iterator[Term]:
    stack = list(formulas)
    while stack:
        formula = stack.pop()
        if formula.op == "OP_AND":
            stack.extend(formula.args)
        else:
            yield formula


def _excluding(formula: Term) -> Iterator[Term]:
    """The constant that is not 0 where a formula holds, if there is one."""
    positive = formula.op != "OP_NOT"
    if not positive:
        (formula,) = formula.args
    if len(formula.args) != 2:
        return
    left, right = formula.args
    for term, other, mirrored in ((left, right, False), (right, left, True)):
        numeric = term.op == CONSTANT and term.sort.kind in _KINDS
        compared = numeric and other.op == VALUE
        if compared and _excludes(formula.op, other.indices[0], mirrored, positive):
            yield term


def _excludes(operator: str, bound: int, mirrored: bool, positive: bool) -> bool:
    """Whether 0 does not meet a comparison with `bound`."""
    if operator in ("OP_EQUAL", "OP_DISTINCT"):
        return (bound != 0) == (positive == (operator == "OP_EQUAL"))
    relation = operator.rpartition("_")[2]
    if relation not in _MIRRORED or not operator.startswith(("OP_INT_", "OP_REAL_")):
        return False
    relation = _MIRRORED[relation] if mirrored else relation
    relation = relation if positive else _OPPOSITE[relation]
    return {"GT": bound >= 0, "GTE": bound > 0, "LT": bound <= 0, "LTE": bound < 0}[relation]
