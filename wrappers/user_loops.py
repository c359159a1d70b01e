"""Loops that programs make around a solver, each with the check that it promises: an enumeration of models, a search with push
and pop, and a core that is made smaller. A solver is an object with the methods of `Loop`. Each function gives None, or a
str that says which promise is broken. The file imports only the standard library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, Protocol

_LOOPED = 3  # terms of a loop, which have eight combinations of values


class Loop(Protocol):
    """A solver that keeps what is asserted between checks."""

    def add(self, formula: Any) -> None:
        """Assert a formula."""

    def push(self) -> None:
        """Begin a scope."""

    def pop(self) -> None:
        """End a scope."""

    def check(self, *names: Any) -> str:
        """The answer sat, unsat or unknown, with assumptions."""

    def core(self) -> list[Any]:
        """The assumptions that exclude each other."""

    def value(self, term: Any) -> bool | None:
        """The value of a term in the model, None if it has none."""

    def either(self, formulas: Sequence[Any]) -> Any:
        """A disjunction."""

    def literal(self, term: Any, value: bool) -> Any:
        """A formula that says that a term has a value."""

    def name(self, at: int, term: Any) -> Any:
        """A new constant that implies a term, for an assumption."""


def looped(how: str, made: Callable[[], Loop], terms: Sequence[Any]) -> str | None:
    """A loop over the values of Boolean terms. `made` gives a solver with what is asserted."""
    several = list(dict.fromkeys(terms))[:_LOOPED]
    if how == "models":
        return _enumerated(made, several)
    if how == "scopes":
        return _searched(made, several)
    return _shrunk(made, several)


def _enumerated(made: Callable[[], Loop], terms: list[Any]) -> str | None:
    """Block each model that is found. What is found has a model, and nothing else has one."""
    solver, found = made(), set[tuple[bool, ...]]()
    while (answer := solver.check()) == "sat":
        values = [solver.value(term) for term in terms]
        known = tuple(value for value in values if value is not None)
        if len(known) < len(terms):
            return None
        if known in found:
            return "a clause of an enumeration gives false in the model instead of true"
        found.add(known)
        pairs = zip(terms, known, strict=True)
        solver.add(solver.either([solver.literal(term, not value) for term, value in pairs]))
    if answer == "unknown":
        return None
    for combination in product([False, True], repeat=len(terms)):
        told, right = "sat" if combination in found else "unsat", _alone(made, terms, combination)
        if {told, right} == {"sat", "unsat"}:
            return f"an enumeration of models answers {told} for one instead of {right}"
    return None


def _alone(made: Callable[[], Loop], terms: Sequence[Any], values: Sequence[bool]) -> str:
    """The answer of a new solver, with values of the first terms."""
    solver = made()
    for term, value in zip(terms, values, strict=False):
        solver.add(solver.literal(term, value))
    return solver.check()


def _searched(made: Callable[[], Loop], terms: list[Any]) -> str | None:
    """Go through all values in one solver, in a scope for each term. It answers as a new one does."""
    solver = made()

    def deeper(values: list[bool]) -> str | None:
        for value in (True, False) if len(values) < len(terms) else ():
            solver.push()
            solver.add(solver.literal(terms[len(values)], value))
            answer, right = solver.check(), _alone(made, terms, [*values, value])
            if {answer, right} == {"sat", "unsat"}:
                return f"a check behind push and pop answers {answer} instead of {right}"
            wrong = deeper([*values, value]) if answer == "sat" else None
            if wrong:
                return wrong
            solver.pop()
        return None

    return deeper([])


def _shrunk(made: Callable[[], Loop], terms: list[Any]) -> str | None:
    """Leave assumptions out of a core as long as the rest exclude each other."""
    solver = made()
    names = {solver.name(at, term): term for at, term in enumerate(terms)}
    if solver.check(*names) != "unsat":
        return None
    core = solver.core()
    for name in list(core):
        if name not in names:
            return "an unsat core gives another formula instead of an assumption"
        rest = [one for one in core if one is not name]
        answer = solver.check(*rest)
        right = _alone(made, [names[one] for one in rest], [True] * len(rest))
        if {answer, right} == {"sat", "unsat"}:
            return f"a check in a loop of cores answers {answer} instead of {right}"
        if answer == "unsat":
            core = rest
    if _alone(made, [names[one] for one in core], [True] * len(core)) == "sat":
        return "an unsat core gives formulas with a model instead of some without one"
    return None
