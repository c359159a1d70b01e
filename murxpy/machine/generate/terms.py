"""Choosing a term: theory by weight, operator by weight, then its arguments."""

from __future__ import annotations

from murxpy.logic.catalogue import Operator
from murxpy.machine.database import Entry
from murxpy.machine.generate.apply import apply
from murxpy.machine.generate.base import Generator
from murxpy.machine.generate.binders import datatype_term, quantify

ATTEMPTS = 6
DAMPED = 0.1  # of what would be drawn otherwise


def random_term(gen: Generator) -> bool:
    """One `mk-term` (with what it needs); False where a few tries gave none."""
    swarm = gen.swarm
    if not swarm.theory_choice.items:
        return False
    for _ in range(ATTEMPTS):
        theory = gen.stream.weighted(swarm.theory_choice)
        operator = gen.stream.weighted(swarm.operators[theory])
        if application(gen, operator) is not None:
            return True
    return False


def application(gen: Generator, operator: Operator, fixed: Entry | None = None) -> Entry | None:
    """An application of `operator`, by the way its rank asks for; None where it cannot be made."""
    if operator.kind in gen.damped and gen.stream.random() >= DAMPED:
        return None
    if operator.typing is not None:
        return datatype_term(gen, operator, fixed)
    if operator.signature.binder:
        return quantify(gen, operator)
    if operator.kind == "OP_ARRAY_STORE" and fixed is None:
        return _stores(gen, operator)
    return apply(gen, operator, fixed)


def _stores(gen: Generator, operator: Operator) -> Entry | None:
    """A store, often at the end of a chain of stores."""
    entry = apply(gen, operator)
    for _ in range(gen.settings.number("store-chain", gen.stream)):
        if entry is None:
            break
        entry = apply(gen, operator, entry) or entry
    return entry


def random_binder(gen: Generator) -> bool:
    """One application of a binder (quantifier, lambda, comprehension) over new variables; False
    where the run has none.
    """
    binders = [
        op
        for choice in gen.swarm.operators.values()
        for op in choice.items
        if op.signature.binder and not op.typing
    ]
    return bool(binders) and application(gen, gen.stream.choose(binders)) is not None
