"""Laws of z3's user propagators: a propagator that encodes a constraint gives the answer of the constraint itself.
Each function gives None, or a str that says which promise is broken. The file imports only z3 and the standard
library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import z3
from z3_actions import constants

_WATCHED = 6  # terms of a constraint; at-most needs a clause for each set of some of them
_PROPAGATED_LIMIT = 20000  # the resource limit of each check
_UNREACHABLE = "unreachable"  # what z3 says of code that it has for unreachable
_SEARCHED = 300  # nodes of what is asserted


class Watcher:
    """What a propagator knows of its terms: their fixed values, which end with the scope in which they
    were told. `conflicts` says of the known values which of them exclude each other, if any.
    """

    def __init__(
        self, terms: Sequence[Any], conflicts: Callable[[dict[int, Any]], list[int]]
    ) -> None:
        self.terms, self.conflicts = list(terms), conflicts
        self.values: dict[int, Any] = {}
        self.scopes: list[int] = []
        self.unfixed = False  # a check ended without the values of all terms

    def pop(self, count: int) -> None:
        """Forget what the last scopes told."""
        kept = self.scopes[-count]
        del self.scopes[-count:]
        for at in list(self.values)[kept:]:
            del self.values[at]

    def fix(self, term: Any, value: Any) -> list[Any]:
        """Note a value, and give the terms whose values exclude each other."""
        for at, one in enumerate(self.terms):
            if one.eq(term) and at not in self.values:
                self.values[at] = value.as_long() if z3.is_bv(value) else z3.is_true(value)
        return [self.terms[at] for at in self.conflicts(self.values)]

    def end(self) -> list[Any]:
        """The terms that exclude each other at the end of a check."""
        self.unfixed |= len(self.values) < len(self.terms)
        return [self.terms[at] for at in self.conflicts(self.values)]


def _propagator(solver: Any, watcher: Watcher, how: str) -> Any:
    """A propagator of z3 for a watcher, which registers its terms."""

    class Encoded(z3.UserPropagateBase):  # type: ignore[misc]
        """Reports conflicts of a watcher."""

        def push(self) -> None:
            watcher.scopes.append(len(watcher.values))

        def pop(self, count: int) -> None:
            watcher.pop(count)

        def fresh(self, ctx: Any) -> Any:
            return self

        def on_fixed(self, term: Any, value: Any) -> None:
            self.refute(watcher.fix(term, value))

        def on_final(self) -> None:
            self.refute(watcher.end())

        def refute(self, terms: list[Any]) -> None:
            if terms and how != "propagated":
                self.conflict(terms)
            elif terms:  # the last value follows from the others
                last = terms[-1]
                follows = z3.Not(last) if watcher.values[watcher.terms.index(last)] else last
                self.propagate(follows, terms[:-1])

    made = Encoded(solver)
    made.add_fixed(made.on_fixed)
    made.add_final(made.on_final)
    if how == "decided":

        def decide(term: Any, index: int, phase: int) -> None:
            for at, one in enumerate(watcher.terms):
                if at not in watcher.values and z3.is_bool(one):
                    made.next_split(one, 0, -1)  # the value false first
                    return

        made.add_decide(decide)
    if how == "created":
        made.add_created(watcher.terms.append)
    for term in watcher.terms:
        made.add(term)
    return made


# ----------------------------------------------------------------------
# Constraints: which known values break them, and the formula that says the same.


def _more_than(most: int) -> Callable[[dict[int, Any]], list[int]]:
    def broken(values: dict[int, Any]) -> list[int]:
        true = [at for at, value in values.items() if value]
        return true[: most + 1] if len(true) > most else []

    return broken


def _at_most(terms: Sequence[Any], most: int) -> Any:
    ctx = terms[0].ctx
    clauses = [z3.Or(*map(z3.Not, some)) for some in combinations(terms, most + 1)]
    return z3.And(*clauses, z3.BoolVal(True, ctx))


def _even(count: int) -> Callable[[dict[int, Any]], list[int]]:
    """An odd number of terms must be true."""

    def broken(values: dict[int, Any]) -> list[int]:
        return list(values) if len(values) == count and sum(values.values()) % 2 == 0 else []

    return broken


def _odd(terms: Sequence[Any]) -> Any:
    found = z3.BoolVal(False, terms[0].ctx)
    for term in terms:
        found = z3.Xor(found, term)
    return found


def _equal(values: dict[int, Any]) -> list[int]:
    seen: dict[int, int] = {}
    for at, value in values.items():
        if value in seen:
            return [seen[value], at]
        seen[value] = at
    return []


def _bits(asserted: Sequence[Any], terms: Sequence[Any]) -> list[Any]:
    """Bit-vectors to tell apart: constants of one sort in what is asserted, or values that the terms
    choose.
    """
    found = [one for one in constants(asserted) if z3.is_bv(one)]
    alike = [one for one in found if one.sort() == found[0].sort()]
    if len(alike) > 1:
        return alike[:_WATCHED]
    two = z3.BitVecSort(2, terms[0].ctx)
    return [
        z3.If(term, z3.BitVecVal(at % 3, two), z3.BitVecVal((at + 1) % 3, two))
        for at, term in enumerate(terms[:4])
    ]


def _constraint(how: str, asserted: Sequence[Any], terms: list[Any]) -> tuple[Watcher, Any]:
    """The watcher of a constraint, and the formula that says the same."""
    if how == "distinct":
        values = _bits(asserted, terms)
        apart = [one != other for one, other in combinations(values, 2)]
        return Watcher(values, _equal), z3.And(*apart, z3.BoolVal(True, values[0].ctx))
    if how == "parity":
        return Watcher(terms, _even(len(terms))), _odd(terms)
    most = len(terms) // 2
    return Watcher(terms, _more_than(most)), _at_most(terms, most)


def propagated(solver: Any, how: str, *terms: Any) -> str | None:
    """A propagator for a constraint over terms, with what a solver asserts. Its answer is that of the
    constraint itself: "register a callback when an expression is bound to a fixed value", and a conflict or
    consequence is "based on fixed values".
    """
    asserted = list(solver.assertions())
    kept = list({term.get_id(): term for term in terms}.values())[:_WATCHED]
    if not _without_binders([*asserted, *kept]):
        return None
    watcher, formula = _constraint(how, asserted, kept)
    made = _limited(solver.ctx, asserted)
    if how == "created":
        _track(made, watcher, kept)
    propagator = _propagator(made, watcher, how)
    asked = _used(how)
    try:
        answer = str(made.check())
        model = made.model() if answer == "sat" else None
    except z3.Z3Exception as error:
        if _UNREACHABLE not in str(error):
            raise
        return f"a check with {asked} raises '{_UNREACHABLE}' instead of an answer"
    finally:
        propagator.solver = None  # z3py keeps each propagator for ever, and with it the solver
    plain = str(_limited(solver.ctx, [*asserted, formula]).check())
    if answer == "sat" and watcher.unfixed:
        return None
    if {answer, plain} == {"sat", "unsat"}:
        return f"a check with {asked} answers {answer} instead of {plain}"
    if model is not None and z3.is_false(model.eval(formula, model_completion=True)):
        return f"a propagator for {how} gives another model instead of one of its constraint"
    return None


def _used(how: str) -> str:
    """What a check uses."""
    if how == "decided":
        return "next_split in a decide callback"
    if how == "propagated":
        return "a consequence of a propagator"
    if how == "created":
        return "a function that a propagator tracks"
    return f"a propagator for {how}"


def _limited(ctx: Any, formulas: Sequence[Any]) -> Any:
    made = z3.SimpleSolver(ctx=ctx)
    made.set("rlimit", _PROPAGATED_LIMIT)
    made.add(list(formulas))
    return made


def _track(made: Any, watcher: Watcher, terms: Sequence[Any]) -> None:
    """Let a function that is tracked stand for the terms: "Every term headed by this function symbol is
    tracked". Each of its terms is registered when it is created.
    """
    tracked = z3.PropagateFunction("murxpy-tracked", z3.IntSort(made.ctx), z3.BoolSort(made.ctx))
    watcher.terms.clear()
    made.add([tracked(z3.IntVal(at, made.ctx)) == term for at, term in enumerate(terms)])


def _without_binders(terms: Sequence[Any]) -> bool:
    """Whether terms have no binders, which have solvers of their own, and few nodes."""
    seen: set[int] = set()
    todo = list(terms)
    while todo and len(seen) < _SEARCHED:
        term = todo.pop()
        if term.get_id() not in seen:
            seen.add(term.get_id())
            if not z3.is_app(term):
                return False
            todo.extend(term.children())
    return not todo
