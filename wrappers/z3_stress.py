"""Stress for contract mode: callbacks that raise, and results of Optimize and Fixedpoint that are
used after these are gone or have changed.

Each function gives None, an object that contract mode may keep, or a str that says which promise is
broken. It uses a solver of its own with the assertions of the run's solver, so the run stays as it
was. The file imports only z3 and the standard library.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from typing import Any

import z3
from z3_actions import attempt, constants

STRESS_LIMIT = 20000  # the resource limit of each check here


class Once:
    """Counts its calls, and raises at call number `at`. The exception is of a class that Python
    uses for wrong values.
    """

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, *args: Any) -> None:
        self.left -= 1
        if self.left == 0:
            raise ValueError("planned")


def _untold(once: Once, check: Callable[[], Any], what: str) -> str | None:
    """A broken promise if `once` raises while `check` runs, and neither the caller nor
    `sys.unraisablehook` hears of it.
    """
    heard: list[str] = []
    before = sys.unraisablehook
    sys.unraisablehook = lambda raised: heard.append(str(raised.exc_value)) or before(raised)  # type: ignore[func-returns-value]
    raises = once.left > 0
    try:
        check()
    except (z3.Z3Exception, ValueError):
        heard.append("planned")
    finally:
        sys.unraisablehook = before
    silent = raises and once.left <= 0 and "planned" not in " ".join(heard)
    return f"what {what} raises is told to nobody" if silent else None


def _fresh(solver: Any) -> Any:
    """A simple solver with the assertions of another solver, and without callbacks."""
    made = z3.SimpleSolver(ctx=solver.ctx)
    made.set("rlimit", STRESS_LIMIT)
    return made


def _stressed(made: Any, solver: Any) -> str:
    made.add(list(solver.assertions()))
    return str(made.check())


def _agree(solver: Any, answer: str, what: str) -> str | None:
    """None, unless a solver without callbacks gives the opposite answer."""
    plain = _stressed(_fresh(solver), solver)
    return (
        f"with {what} that raises it answers {answer}, without {plain}"
        if {answer, plain} == {"sat", "unsat"}
        else None
    )


def on_clause(solver: Any, at: int) -> str | None:
    """A listener to clauses that raises at one call. It does not influence the search."""
    made, once, answers = _fresh(solver), Once(at), [""]
    listener = z3.OnClause(made, once)
    silent = _untold(once, lambda: answers.append(_stressed(made, solver)), "a listener to clauses")
    del listener
    gc.collect()
    attempt(made.check)
    return silent or _agree(solver, answers[-1], "a listener to clauses")


def propagator(solver: Any, raising: str) -> str | None:
    """A propagator that watches Boolean and bit-vector constants, adds nothing, and raises in one
    of its callbacks.
    """

    class Watching(z3.UserPropagateBase):  # type: ignore[misc]
        """Watches constants; its exceptions come from `Once`."""

        def __init__(self, of: Any) -> None:
            super().__init__(of)
            self.once = Once(2 if raising in ("push", "pop") else 1)

        def push(self) -> None:
            self.met("push")

        def pop(self, count: int) -> None:
            self.met("pop")

        def fresh(self, ctx: Any) -> Any:
            return self

        def met(self, name: str, *args: Any) -> None:
            if name == raising:
                self.once()

    made = _fresh(solver)
    watching = Watching(made)
    _watch(watching, constants(list(solver.assertions())))
    if raising == "created":  # z3 tells of the terms of such functions only
        truth = z3.BoolSort(made.ctx)
        watched = z3.PropagateFunction("murxpy-watched", truth, truth)
        made.add(watched(z3.BoolVal(True, made.ctx)))
    answers = [""]
    silent = _untold(
        watching.once, lambda: answers.append(_stressed(made, solver)), f"a propagator's {raising}"
    )
    return silent or _agree(solver, answers[-1], f"a propagator's {raising}")


def _watch(watching: Any, found: Sequence[Any]) -> None:
    """Register the callbacks of a propagator, and those of the constants that it can watch."""
    for name in ("fixed", "final", "eq", "diseq", "created"):
        getattr(watching, f"add_{name}")(_calling(watching, name))
    for constant in found:
        if z3.is_bool(constant) or z3.is_bv(constant):
            attempt(_calling_add(watching, constant))


def _calling(watching: Any, name: str) -> Callable[..., None]:
    return lambda *args: watching.met(name, *args)


def _calling_add(watching: Any, constant: Any) -> Callable[[], None]:
    return lambda: watching.add(constant)


# -- optimization


def _optimizer(solver: Any) -> tuple[Any, list[Any]]:
    """An optimizer with the assertions and a few objectives, and their handles."""
    made = z3.Optimize(ctx=solver.ctx)
    attempt(lambda: made.set("rlimit", STRESS_LIMIT))
    made.add(list(solver.assertions()))
    handles: list[Any] = []
    for at, constant in enumerate(constants(list(solver.assertions()))):
        if z3.is_bool(constant):
            handles.append(made.add_soft(constant, 1 + at % 2))
        elif z3.is_arith(constant) or z3.is_bv(constant):
            handles.append(made.maximize(constant) if at % 2 else made.minimize(constant))
    return made, handles[:4]


def _asked(handle: Any) -> None:
    """Everything that a handle of an objective tells."""
    for question in (
        handle.value,
        handle.lower,
        handle.upper,
        handle.lower_values,
        handle.upper_values,
    ):
        attempt(lambda question=question: str(question()))  # type: ignore[misc]


def optimize(solver: Any, how: str) -> list[Any] | str | None:
    """Handles of objectives, which are used before a check, after one, after a pop, after their
    optimizer was dropped, or together with its answers.
    """
    made, handles = _optimizer(solver)
    if how == "early":
        for handle in handles:
            _asked(handle)
        return None
    if how == "popped":
        made.push()
        handles += [
            made.maximize(c) for c in constants(list(solver.assertions())) if z3.is_arith(c)
        ][:1]
    answer = str(made.check())
    kept: list[Any] = [made.objectives(), made.assertions(), made.statistics()]
    if answer == "sat":
        attempt(lambda: kept.append(made.model()))
    if how == "popped":
        made.pop()
        attempt(made.check)
    if how == "printed":
        attempt(lambda: z3.Optimize(ctx=solver.ctx).from_string(made.sexpr()))
    if how == "dropped":
        del made
        gc.collect()
    for handle in handles:
        _asked(handle)
    plain = _stressed(_fresh(solver), solver)
    if how != "popped" and {answer, plain} == {"sat", "unsat"}:
        return f"an optimizer answers {answer}, a solver {plain}"
    return [*kept, *handles]


# -- fixed points


def on_model(solver: Any, at: int) -> str | None:
    """A listener to the models of an optimizer that raises at one call. It does not influence the
    search.
    """
    made, _ = _optimizer(solver)
    once, answers = Once(at), [""]
    made.set_on_model(once)
    silent = _untold(once, lambda: answers.append(str(made.check())), "a listener to models")
    return silent or _agree(solver, answers[-1], "a listener to models")


def fixedpoint(solver: Any, how: str) -> list[Any]:
    """A relation with two rules is queried. The results are used after another query, or after the
    fixed point is gone.
    """
    kept = _given(solver, how)
    gc.collect()
    for obj in kept:
        attempt(lambda obj=obj: str(obj))  # type: ignore[misc]
    return kept


def _given(solver: Any, how: str) -> list[Any]:
    """Results of a fixed point that is gone when this function returns."""
    ctx = solver.ctx
    made = z3.Fixedpoint(ctx=ctx)
    bits = z3.BitVecSort(3, ctx)
    relation = z3.Function("murxpy-reached", bits, z3.BoolSort(ctx))
    x, y = z3.Const("murxpy-x", bits), z3.Const("murxpy-y", bits)
    attempt(lambda: made.set(engine="datalog" if how == "datalog" else "spacer", timeout=200))
    made.register_relation(relation)
    made.declare_var(x, y)
    made.fact(relation(z3.BitVecVal(0, 3, ctx)))
    made.rule(relation(x + 1), [relation(x), z3.ULT(x, z3.BitVecVal(3, 3, ctx))])
    kept: list[Any] = []
    if how == "asserted":
        attempt(lambda: made.add(list(solver.assertions())))
    attempt(lambda: kept.append(made.query(relation(z3.BitVecVal(2, 3, ctx)))))
    for question in (
        made.get_answer,
        made.get_rules,
        made.get_assertions,
        made.statistics,
        made.sexpr,
    ):
        attempt(lambda question=question: kept.append(question()))  # type: ignore[misc]
    if how == "again":
        attempt(lambda: made.query(relation(y)))
        attempt(lambda: made.update_rule(relation(x), [z3.BoolVal(False, ctx)], "murxpy-rule"))
        attempt(lambda: kept.append(made.get_answer()))
    return kept
