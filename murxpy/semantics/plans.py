"""In which order terms are evaluated, and how an operator of two arguments is applied to more."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import combinations, pairwise
from operator import attrgetter
from typing import Any

from murxpy.logic.terms import VARIABLE, Term
from murxpy.semantics.registry import BINDERS


def pending(roots: Any, known: dict[Term, Any]) -> list[Term]:
    """Return the terms that have to be evaluated for closed `roots`, arguments first."""
    found: dict[Term, None] = dict.fromkeys(roots)
    work = list(found)
    while work:
        term = work.pop()
        if term.op in BINDERS:
            continue
        for part in term.args:
            if part not in found and part not in known:
                found[part] = None
                work.append(part)
    return sorted(found, key=_serial)


def plan_of(body: Term) -> tuple[tuple[Term, ...], list[Term]]:
    """Return the closed terms that a body with free variables uses, and its open parts, arguments
    first.
    """
    found: dict[Term, None] = {body: None}
    needs: dict[Term, None] = {}
    work = [body]
    while work:
        term = work.pop()
        if term.op in BINDERS:
            continue
        for part in term.args:
            if not part.free:
                needs[part] = None
            elif part not in found:
                found[part] = None
                work.append(part)
    return tuple(needs), sorted((t for t in found if t.op != VARIABLE), key=_serial)


_serial = attrgetter("serial")


def _left(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: reduce(function, values)


def _right(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: reduce(lambda right, left: function(left, right), reversed(values))


def _chain(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: all(function(a, b) for a, b in pairwise(values))


def _pairs(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: all(function(a, b) for a, b in combinations(values, 2))


FOLDS = {"left-assoc": _left, "right-assoc": _right, "chainable": _chain, "pairwise": _pairs}
