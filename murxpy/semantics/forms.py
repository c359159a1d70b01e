"""Compares functions that are no tables by their form. Functions of the same form are equal."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any

from murxpy.logic.terms import VARIABLE, Term
from murxpy.semantics.asking import every
from murxpy.semantics.closures import Built, Closure
from murxpy.semantics.registry import Asking, Body, Points
from murxpy.semantics.values import CannotSay

Same = Callable[..., Asking]  # of the points, a sort and two values of this sort


def alike(points: Points, left: Any, right: Any, same: Same) -> Asking:
    """Return whether two functions that are no tables have the same form, which makes them equal.
    False means nothing. `same` compares values.
    """
    try:
        if isinstance(left, Closure) and isinstance(right, Closure):
            return (yield from _alike_closures(points, left, right, same))
        if isinstance(left, Built) and isinstance(right, Built):
            if (
                not left.head
                or left.head != right.head
                or [s for s, _ in left.parts] != [s for s, _ in right.parts]
            ):
                return False
            return (
                yield from every(
                    same(points, s, a, b)
                    for (s, a), (_, b) in zip(left.parts, right.parts, strict=True)
                )
            )
    except CannotSay:
        pass
    return False


def _alike_closures(points: Points, left: Closure, right: Closure, same: Same) -> Asking:
    """Return whether two bodies are the same, except for the names of bound variables and for parts
    that do not depend on these and have equal values.
    """
    if len(left.variables) != len(right.variables) or len(left.bound) != len(right.bound):
        return False
    taken = len(left.bound)
    here = {**left.values, **dict(zip(left.variables, left.bound, strict=False))}
    there = {**right.values, **dict(zip(right.variables, right.bound, strict=False))}
    renamed = _Renaming(here, there)
    renamed.bind(left.variables[taken:], right.variables[taken:])
    pairs, known = [(left.body, right.body)], dict[tuple[Term, Term], None]()
    while pairs:
        pair = one, other = pairs.pop()
        if pair in known or renamed.names.get(one) is other:
            continue
        known[pair] = None
        if one.sort is not other.sort:
            return False
        if all(v in here for v in one.free) and all(v in there for v in other.free):
            if one is other and not one.free:
                continue
            values = (yield Body(one, dict(here))), (yield Body(other, dict(there)))
            if not (yield from same(points, one.sort, *values)):
                return False
            continue
        if not one.args or (one.op, one.indices, len(one.args)) != (
            other.op,
            other.indices,
            len(other.args),
        ):
            return False
        renamed.bind_more(one.args, other.args)
        pairs.extend(zip(one.args, other.args, strict=True))
    return not renamed.broken


class _Renaming:
    """Which bound variable of one body stands for which variable of the other. Each stands for one
    only, and none for a variable that has a value outside.
    """

    def __init__(self, here: Container[Term], there: Container[Term]) -> None:
        self.names: dict[Term, Term] = {}
        self._back: dict[Term, Term] = {}
        self._outside = here, there
        self.broken = False

    def bind(self, ours: Iterable[Term], theirs: Iterable[Term]) -> None:
        """Let variables stand for each other."""
        for one, other in zip(ours, theirs, strict=True):
            other_name = (
                self.names.get(one, other) is not other or self._back.get(other, one) is not one
            )
            if (
                one.sort is not other.sort
                or other_name
                or one in self._outside[0]
                or other in self._outside[1]
            ):
                self.broken = True
            self.names[one], self._back[other] = other, one

    def bind_more(self, ours: tuple[Term, ...], theirs: tuple[Term, ...]) -> None:
        """Let those arguments of two applications stand for each other that are new variables. A
        binder has the variables that it binds among its arguments.
        """
        for one, other in zip(ours, theirs, strict=True):
            if (
                one.op == other.op == VARIABLE
                and one not in self.names
                and one not in self._outside[0]
            ):
                self.bind((one,), (other,))
