"""Stress for contract mode: definitions that do not fit their declarations, printed text that is
read back, and interrupts.

Each function gives None, or a str that says which promise is broken. It uses solvers of its own, so
the run stays as it was. The file imports only z3 and the standard library.
"""

from __future__ import annotations

import threading
from typing import Any

import z3
from z3_actions import attempt
from z3_stress import STRESS_LIMIT, _fresh, _stressed

INTERRUPT_AFTER = 0.005  # in seconds; the check takes a few hundred times as long
# The resource limit of this check, which is about a second, in case nothing interrupts it.
LONG_LIMIT = 2_000_000


def misfit(how: str) -> str | None:
    """A definition of a recursive function whose operands or body do not fit its declaration must
    be refused. If it is not refused, a check follows. The function uses a context of its own,
    because a context keeps its definitions.
    """
    ctx = z3.Context()
    whole = z3.IntSort(ctx)
    x, y, p = z3.Int("murxpy-x", ctx), z3.Int("murxpy-y", ctx), z3.Bool("murxpy-p", ctx)
    operands, body = {
        "few": ([x], x + 1),
        "many": ([x, y, p], x + y),
        "doubled": ([x, x], x + 1),
        "no-constant": ([x + 1, y], x + y),
        "value": ([z3.IntVal(1, ctx), y], y),
        "other-sort": ([x, p], x),
        "other-result": ([x, y], p),
    }[how]
    function = z3.RecFunction("murxpy-recursive", whole, whole, whole)
    try:
        z3.RecAddDefinition(function, operands, body)
    except z3.Z3Exception:
        return None
    made = z3.SimpleSolver(ctx=ctx)
    made.set("rlimit", STRESS_LIMIT)
    made.add(function(x, y) != y)
    attempt(made.check)
    return f"RecAddDefinition takes a definition that does not fit its declaration ({how})"


def read_back(solver: Any, how: str) -> str | None:
    """An object of the same class reads what a solver or an optimizer prints of its assertions.
    Their answers must not be opposite.
    """
    plain = _stressed(_fresh(solver), solver)
    printed, reader = _printed(solver, how)
    try:
        reader.from_string(printed)
    except z3.Z3Exception:  # z3 is known not to read much of its own output
        return None
    attempt(lambda: reader.set("rlimit", STRESS_LIMIT))
    answers: list[str] = []
    attempt(lambda: answers.append(str(reader.check())))
    found = answers[0] if answers else "unknown"
    return (
        f"what {how} prints reads back as {found}, but is {plain}"
        if {found, plain} == {"sat", "unsat"}
        else None
    )


def _printed(solver: Any, how: str) -> tuple[str, Any]:
    """The assertions as one class prints them, and an empty object that reads the text."""
    ctx, formulas = solver.ctx, list(solver.assertions())
    if how == "optimize":
        made = z3.Optimize(ctx=ctx)
        made.add(formulas)
        return made.sexpr(), z3.Optimize(ctx=ctx)
    made = z3.Solver(ctx=ctx)
    made.add(formulas)
    return (made.sexpr() if how == "sexpr" else made.to_smt2()), z3.Solver(ctx=ctx)


def _long(ctx: Any) -> Any:
    """A solver with a check that takes long: to find two factors of the product of two primes."""
    made = z3.SimpleSolver(ctx=ctx)
    made.set("rlimit", LONG_LIMIT)
    one, other = z3.BitVecs("murxpy-one murxpy-other", 64, ctx)
    made.add(
        one * other == 1_000_003 * 999_983,
        z3.ULT(1, one),
        z3.ULT(one, other),
        z3.ULT(other, 1 << 31),
    )
    return made


def interrupt(solver: Any) -> str | None:
    """A thread interrupts a check, as `Context` allows. The check may end in any way; the next
    check must not be affected.
    """
    before = _told(solver)  # z3 also says `canceled` for a check that reaches its resource limit
    made = _long(solver.ctx)
    thread = threading.Timer(INTERRUPT_AFTER, solver.ctx.interrupt)
    thread.start()
    attempt(made.check)
    thread.join()
    answer = _told(solver)
    if answer == "canceled" != before:
        return "a check that nobody interrupts is cancelled after an interrupt"
    again = _told(solver)
    return (
        f"after an interrupt it answers {answer}, then {again}"
        if {"sat", "unsat"} <= {before, answer, again}
        else None
    )


def _told(solver: Any) -> str:
    """The answer of a solver of its own, or the message that something cancelled it."""
    made, answers = _fresh(solver), [""]
    attempt(lambda: answers.append(_stressed(made, solver)))
    return (
        "canceled"
        if answers[-1] == "unknown" and made.reason_unknown() in ("canceled", "interrupted")
        else answers[-1]
    )
