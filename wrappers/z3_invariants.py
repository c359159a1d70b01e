"""Other ways to give the same assertions to z3. The file imports only z3 and the standard library."""

from __future__ import annotations

from typing import Any

import z3


def _answer(solver: Any, limit: int, terms: list[Any]) -> str:
    if limit:
        solver.set("rlimit", 4 * limit)
    solver.add(terms)
    return str(solver.check())


def solve_translated(ctx: Any, limit: int, *terms: Any) -> str:
    """The answer in a new context, into which the terms are translated."""
    other = z3.Context()
    return _answer(z3.Solver(ctx=other), limit, [term.translate(other) for term in terms])


def solve_printed(ctx: Any, limit: int, *terms: Any) -> str:
    """The answer to the text that z3 prints for the terms and parses again. Unknown if z3 cannot
    read its own text.
    """
    solver = z3.Solver(ctx=ctx)
    solver.add(list(terms))
    try:
        read = list(z3.parse_smt2_string(solver.to_smt2(), ctx=ctx))
    except z3.Z3Exception:
        return "unknown"
    return _answer(z3.Solver(ctx=ctx), limit, read)


def solve_for_logic(ctx: Any, limit: int, logic: str, *terms: Any) -> str:
    """The answer of the solver for a logic."""
    return _answer(z3.SolverFor(logic, ctx), limit, list(terms))


def solve_by_tactics(ctx: Any, limit: int, *terms: Any) -> str:
    """The answer of a solver of tactics."""
    names = ("simplify", "propagate-values", "solve-eqs", "smt")
    return _answer(z3.Then(*(z3.Tactic(name, ctx) for name in names)).solver(), limit, list(terms))
