"""Actions of the z3 wrapper that need more than an expression: options, checks, copies,
translations, and reading a whole model.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Sequence
from typing import Any

import z3
from z3_helpers import asts
from z3_values import read_value


def setting(solver: Any, name: str, text: str) -> Any:
    """The value of the option `name` as a Python value: true, false, an int, a float or a name.

    Raises Z3Exception for an option that this release does not have, because `set` accepts such an
    option and every later assertion fails.
    """
    if not (name in taken_by_all() or has_parameter(solver, name)):
        raise z3.Z3Exception(f"unknown parameter '{name}'")
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text) if text.lstrip("-").isdigit() else float(text)
    except ValueError:
        return text


def has_parameter(solver: Any, name: str) -> bool:
    """Whether a solver has a parameter."""
    reference, symbol = solver.ctx.ref(), z3.Z3_mk_string_symbol(solver.ctx.ref(), name)
    kind = z3.Z3_param_descrs_get_kind(reference, solver.param_descrs().descr, symbol)
    return bool(kind != z3.Z3_PK_INVALID)


@functools.cache
def taken_by_all() -> frozenset[str]:
    """The parameters that each kind of solver has which runs make. They are read once a process: a
    solver takes half a millisecond to list its parameters.
    """
    context = z3.Context()
    kinds = (z3.SimpleSolver(ctx=context), z3.Solver(ctx=context), z3.SolverFor("ALL", ctx=context))
    lists = [solver.param_descrs() for solver in kinds]
    return frozenset.intersection(
        *(frozenset(one.get_name(i) for i in range(one.size())) for one in lists)
    )


def check_assuming(ctx: Any, solver: Any, *assumptions: Any) -> str:
    """The answer of a check under assumptions, by the C interface."""
    answer = z3.Z3_solver_check_assumptions(
        ctx.ref(), solver.solver, len(assumptions), asts(assumptions)
    )
    return str(z3.CheckSatResult(answer))


def attempt(call: Callable[[], Any]) -> None:
    """Make a call. A documented refusal, because the state has nothing to give, is as good as an
    answer.
    """
    try:
        call()
    except z3.Z3Exception:
        return


def cube(solver: Any) -> None:
    """The first cubes into which the solver would split the problem."""
    for _, _ in zip(range(4), solver.cube(), strict=False):
        pass


def constants(terms: Sequence[Any], limit: int = 200) -> list[Any]:
    """The uninterpreted constants in `terms`, in the order of their first occurrence, among at most
    `limit` nodes.
    """
    found: dict[int, Any] = {}
    seen: dict[int, bool] = {}
    todo = list(reversed(terms))
    while todo and len(seen) < limit:
        term = todo.pop()
        key = term.get_id()
        if key not in seen and z3.is_app(term):
            if term.num_args() == 0 and term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                found[key] = term
            todo.extend(reversed(term.children()))
        seen[key] = True
    return list(found.values())


def translate(solver: Any) -> str | None:
    """Copy the solver to another context, and copy this copy back. The answers of the copies must
    not contradict each other.
    """
    try:
        there = solver.translate(z3.Context())
        back = there.translate(solver.ctx)
        answers = [_limited_check(s) for s in (there, back)]
    except z3.Z3Exception:
        return None
    return (
        "solvers translated to and fro answer sat and unsat"
        if sorted(answers) == ["sat", "unsat"]
        else None
    )


def duplicate(solver: Any, how: Callable[[Any], Any] = copy.copy) -> None:
    """Make a copy in the same context, check it and drop it."""
    attempt(lambda: _limited_check(how(solver)))


def _limited_check(solver: Any) -> str:
    solver.set("rlimit", 20000)
    return str(solver.check())


def parse_back(solver: Any) -> None:
    """A solver of the same context reads what the solver prints."""
    printed = solver.to_smt2()
    attempt(lambda: z3.SimpleSolver(solver.ctx).from_string(printed))


def translate_term(term: Any) -> str | None:
    """A term that is translated to another context and back must be the same node."""
    there = term.translate(z3.Context())
    return (
        None
        if there.translate(term.ctx).eq(term)
        else "a term translated to another context and back is another"
    )


def walk_model(solver: Any) -> str | None:
    """Read everything in a model: declarations, interpretations, sorts and universes."""
    try:
        model = solver.model()
    except z3.Z3Exception:
        return None
    declarations = model.decls()
    if len(declarations) != len(model):
        return f"decls of a model gives {len(declarations)} instead of {len(model)}"
    for declaration in declarations:
        interpretation = model[declaration]
        if isinstance(interpretation, z3.FuncInterp):
            interpretation.as_list()
    for sort in model.sorts():
        model.get_universe(sort)
    model.translate(z3.Context()).sexpr()
    return None


def hint(solver: Any, hint_value: Callable[..., Any]) -> None:
    """Set initial values for the constants of the last model. They guide the search and change no
    answer.
    """
    try:
        model = solver.model()
    except z3.Z3Exception:
        return
    for declaration in model.decls()[:8]:
        value = model[declaration] if declaration.arity() == 0 else None
        if value is not None and read_value(value) is not None:
            attempt(
                functools.partial(
                    hint_value, solver.ctx.ref(), solver.solver, declaration().ast, value.ast
                )
            )


def statistics(solver: Any) -> str | None:
    """Read the statistics by index and by key. Both must agree."""
    values = solver.statistics()
    for key, value in values:
        if values.get_key_value(key) != value and [k for k, _ in values].count(key) == 1:
            return f"statistics: '{key}' has two values"
    return None


def goal(solver: Any) -> str | None:
    """Put the assertions into a goal and simplify it by a tactic."""
    ctx = solver.ctx
    goal_of = z3.Goal(ctx=ctx)
    goal_of.add(solver.assertions())
    attempt(lambda: z3.Tactic("simplify", ctx).apply(goal_of).as_expr())
    return None if z3.is_bool(goal_of.as_expr()) else "a goal as expression is no formula"
