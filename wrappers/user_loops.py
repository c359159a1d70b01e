"""Loops that programs make around a solver, each with the check that it promises: an enumeration of models, a search with push
and pop, a core that is made smaller, an optimum by bisection, soft constraints by cores, instances of a quantifier, and steps of
a system. A solver is an object with the methods of `Loop`. Each function gives None, or a str that says which promise is broken.
The file imports only the standard library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, Protocol

_LOOPED = 3  # terms of a loop, which have eight combinations of values
_INSTANCED = 2  # constants under a quantifier, which has four instances
_FOLLOWED = 3  # of a system


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

    def constants(self, terms: Sequence[Any]) -> list[Any]:
        """The Boolean constants in terms."""

    def put(self, term: Any, constants: Sequence[Any], by: Sequence[Any]) -> Any:
        """A term with other terms, or bools, in the place of constants."""

    def every(self, constants: Sequence[Any], formula: Any) -> Any:
        """That a formula holds for all values of constants."""

    def fresh(self, at: int) -> Any:
        """A new Boolean constant."""


def looped(how: str, made: Callable[[], Loop], terms: Sequence[Any]) -> str | None:
    """A loop over the values of Boolean terms. `made` gives a solver with what is asserted."""
    several = list(dict.fromkeys(terms))[:_LOOPED]
    if how == "models":
        return _enumerated(made, several)
    if how == "scopes":
        return _searched(made, several)
    if how == "optimum":
        return _bisected(made, several)
    if how == "soft":
        return _softened(made, several)
    if how == "instances":
        return _instanced(made, several)
    if how == "steps":
        return _unrolled(made, several)
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


def _bisected(made: Callable[[], Loop], terms: list[Any]) -> str | None:
    """Look for the greatest number whose binary digits are values of the terms, by halves. A new solver has no
    greater one.
    """
    solver, digits = made(), list(product([False, True], repeat=len(terms)))
    low, high = -1, len(digits) - 1
    while low < high:
        middle = (low + high + 1) // 2
        solver.push()
        for excluded in digits[:middle]:
            pairs = zip(terms, excluded, strict=True)
            solver.add(solver.either([solver.literal(term, not value) for term, value in pairs]))
        answer = solver.check()
        values = tuple(solver.value(term) for term in terms) if answer == "sat" else ()
        solver.pop()
        if answer == "unsat":
            high = middle - 1
        elif None in values or answer != "sat":
            return None
        elif digits.index(values) < middle:
            return f"a model gives {digits.index(values)} instead of a number from {middle} that was asserted"
        else:
            low = digits.index(values)
    for number in range(len(digits) - 1, low, -1):
        if _alone(made, terms, digits[number]) == "sat":
            return f"a bisection gives {low} as the optimum instead of {number}"
    if low >= 0 and _alone(made, terms, digits[low]) == "unsat":
        return f"a bisection gives {low} as the optimum instead of a number that has a model"
    return None


def _softened(made: Callable[[], Loop], terms: list[Any]) -> str | None:
    """Look for the most terms that are true together: sets of assumptions, large ones first, without those
    that have a known core. New solvers try all sets.
    """
    solver = made()
    names = [solver.name(at, term) for at, term in enumerate(terms)]
    sets = sorted(product([True, False], repeat=len(terms)), key=sum, reverse=True)
    cores: list[list[Any]] = []
    most = -1
    for taken in sets:
        assumed = [name for name, there in zip(names, taken, strict=True) if there]
        if any(all(name in assumed for name in core) for core in cores):
            continue
        answer = solver.check(*assumed)
        if answer == "unknown":
            return None
        if answer == "sat":
            most = sum(taken)
            break
        cores.append(solver.core() if assumed else [])
    for taken in sets:
        if sum(taken) > most and _alone(made, *_chosen(terms, taken)) == "sat":
            told = "no" if most < 0 else most
            return f"soft constraints by cores give {told} true terms instead of {sum(taken)}"
    if most < 0 or any(_alone(made, *_chosen(terms, t)) != "unsat" for t in sets if sum(t) == most):
        return None
    return f"soft constraints by cores give {most} true terms instead of fewer"


def _chosen(terms: list[Any], taken: Sequence[bool]) -> tuple[list[Any], list[bool]]:
    """Some of the terms, with the value that they are to have."""
    some = [term for term, there in zip(terms, taken, strict=True) if there]
    return some, [True] * len(some)


def _instanced(made: Callable[[], Loop], terms: list[Any]) -> str | None:
    """Add those instances of a formula that the model makes false, until none is. The formula under a
    quantifier gets no other answer.
    """
    solver = made()
    bound = solver.constants(terms[:1])[:_INSTANCED]
    if not bound:
        return None
    values = product([False, True], repeat=len(bound))
    left = [solver.put(terms[0], bound, by) for by in values]
    answer = solver.check()
    while answer == "sat":
        told = [solver.value(one) for one in left]
        if None in told:
            return None
        if all(told):
            break
        solver.add(left.pop(told.index(False)))
        answer = solver.check()
    right = _alone(made, [solver.every(bound, terms[0])], [True])
    if {answer, right} == {"sat", "unsat"}:
        return (
            f"instances of a formula give {answer} instead of {right}, the answer to its quantifier"
        )
    return None


def _unrolled(made: Callable[[], Loop], terms: list[Any]) -> str | None:
    """Follow a system over steps. Its state are Boolean constants, which begin as false, and of which each takes
    the value of a term. In one solver each step has constants of its own; in new solvers each state is
    put into the terms.
    """
    solver = made()
    state = solver.constants(terms)[: len(terms)]
    if not state:
        return None
    here: list[Any] = [False] * len(state)  # as constants of the last step
    whole: list[Any] = [False] * len(state)  # as terms
    for step in range(_FOLLOWED):
        following = [solver.put(term, state, here) for term in terms[: len(state)]]
        whole = [solver.put(term, state, whole) for term in terms[: len(state)]]
        here = [solver.fresh(step * len(state) + at) for at in range(len(state))]
        for constant, term in zip(here, following, strict=True):
            solver.add(solver.either([solver.literal(constant, False), term]))
            solver.add(solver.either([solver.literal(constant, True), solver.literal(term, False)]))
        solver.push()
        solver.add(here[0])
        answer = solver.check()
        right = _alone(made, whole[:1], [True])
        if {answer, right} == {"sat", "unsat"}:
            return f"step {step + 1} of a system gives {answer} instead of {right}"
        solver.pop()
    return None
