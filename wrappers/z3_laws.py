"""Laws of parts of z3 beside the solver: tactics with their goals, and consequences. Each function gives
None, or a str that says which promise is broken. A broken promise is one that z3 itself contradicts, in
a simple solver with a limit. The file imports only z3 and the standard library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3
from user_loops import looped
from z3_actions import constants
from z3_patience import patience
from z3_values import read_value

_LIMIT = 20000  # the resource limit of each check here
_PATIENCE = 100  # milliseconds of the processor's time for a tactic, which has no such limit
_PARTS = 8  # subgoals that are solved
_BOTH = ("sat", "unsat")


def _solver(ctx: Any, formulas: Sequence[Any]) -> Any:
    made = z3.SimpleSolver(ctx=ctx)
    made.set("rlimit", _LIMIT)
    made.add(list(formulas))
    return made


def _of_part(part: Any) -> Any:
    """A solver for a subgoal. Its models are not compact, as z3 advises for those that are converted;
    a simple solver has no such option.
    """
    made = z3.Solver(ctx=part.ctx)
    made.set("rlimit", _LIMIT)
    made.set("compact", False)
    made.add([part.get(at) for at in range(len(part))])
    return made


def tactic(solver: Any, name: str) -> str | None:
    """Apply a tactic by its name to the assertions as a goal."""
    return _applied(solver, lambda ctx: z3.Tactic(name, ctx), f"tactic {name}")


def combined(solver: Any, name: str) -> str | None:
    """Apply tactics that a combinator joins to the assertions as a goal."""
    return _applied(solver, COMBINED[name], name)


def _size(ctx: Any) -> Any:
    """Whether a goal has more than two formulas."""
    return z3.Probe("size", ctx) > 2


# Combinators by their names, with tactics for which it matters in which order they are applied, or
# which may fail. Left out are those that use threads (ParOr, ParThen) or read the clock (TryFor).
COMBINED: dict[str, Callable[[Any], Any]] = {
    "then": lambda ctx: z3.Then("simplify", "propagate-values", "solve-eqs", ctx=ctx),
    "and-then": lambda ctx: z3.AndThen("elim-uncnstr", "simplify", ctx=ctx),
    "or-else": lambda ctx: z3.OrElse("split-clause", "ctx-simplify", ctx=ctx),
    "repeat": lambda ctx: z3.Repeat(z3.OrElse("split-clause", "skip", ctx=ctx), 3, ctx=ctx),
    "with": lambda ctx: z3.With(z3.Tactic("simplify", ctx), som=True, elim_and=True),
    "cond": lambda ctx: z3.Cond(_size(ctx), "propagate-values", "solve-eqs", ctx),
    "when": lambda ctx: z3.When(_size(ctx), "solve-eqs", ctx),
    "fail-if": lambda ctx: z3.OrElse(z3.FailIf(_size(ctx), ctx), "simplify", ctx=ctx),
}


def _applied(solver: Any, made: Callable[[Any], Any], what: str) -> str | None:
    """Apply a tactic to the assertions as a goal. The goal has a model if a subgoal has one, unless the
    subgoal is an over-approximation; it has none if no subgoal has one, unless one of them is an
    under-approximation. A model of a subgoal is converted "to a model of an original goal".
    """
    ctx, asserted = solver.ctx, list(solver.assertions())
    goal = z3.Goal(ctx=ctx)
    goal.add(asserted)
    try:
        with patience(ctx, _PATIENCE):
            parts = list(made(ctx).apply(goal))
        answers = []
        for part in parts[:_PARTS]:
            there = _of_part(part)
            answers.append(str(there.check()))
            if answers[-1] == "sat" and part.prec() in (z3.Z3_GOAL_PRECISE, z3.Z3_GOAL_UNDER):
                broken = _converted(part, there.model(), asserted)
                if broken:
                    return f"convert_model of {what} gives {broken}"
        plain = str(_solver(ctx, asserted).check())
    except z3.Z3Exception:
        return None
    return _compared(plain, _joined(parts, answers), what)


def _joined(parts: Sequence[Any], answers: Sequence[str]) -> str:
    """What the answers to subgoals say of the goal."""
    sure = [
        answer
        for part, answer in zip(parts, answers, strict=False)
        if answer == "sat" and part.prec() in (z3.Z3_GOAL_PRECISE, z3.Z3_GOAL_UNDER)
    ]
    if sure:
        return "sat"
    precise = all(part.prec() in (z3.Z3_GOAL_PRECISE, z3.Z3_GOAL_OVER) for part in parts)
    none = len(answers) == len(parts) and all(answer == "unsat" for answer in answers)
    return "unsat" if none and precise else "unknown"


def _compared(plain: str, other: str, what: str) -> str | None:
    if sorted([plain, other]) != [*_BOTH]:
        return None
    return f"{what} gives subgoals that are {other} together instead of {plain}"


def _converted(part: Any, model: Any, asserted: Sequence[Any]) -> str | None:
    """Convert a model of a subgoal. With the values of the constants in it, the goal must have a
    model; a constant without one may have any.
    """
    converted = part.convert_model(model)
    fixed = []
    for constant in constants(asserted):
        value = converted.eval(constant, model_completion=True)
        if read_value(value) is not None:
            equal = z3.Z3_mk_eq(constant.ctx_ref(), constant.as_ast(), value.as_ast())
            fixed.append(z3.BoolRef(equal, constant.ctx))
    answer = str(_solver(part.ctx, [*asserted, *fixed]).check())
    return "other values instead of a model of the goal" if answer == "unsat" else None


def consequences(solver: Any) -> str | None:
    """The fixed values of some constants of the assertions: "Determine fixed values for the variables
    based on the solver state and assumptions". Each consequence is a formula that the assertions
    imply.
    """
    asserted = list(solver.assertions())
    found = constants(asserted[:8])
    try:
        answer, implied = solver.consequences([], found[:4])
        if answer != z3.sat:
            return None
        for formula in implied:
            if not z3.is_bool(formula):
                return f"consequences gives {formula.sexpr()[:80]} instead of a formula"
            if _refuted(asserted, formula):
                return f"consequences gives {formula.sexpr()[:80]} instead of what the assertions imply"
    except z3.Z3Exception:
        return None
    return None


def _refuted(asserted: Sequence[Any], formula: Any) -> bool:
    """Whether the assertions have a model in which the formula is false, and in which each of them is
    true by z3's own evaluation.
    """
    wanted = [*asserted, z3.Not(formula)]
    there = _solver(formula.ctx, wanted)
    if there.check() != z3.sat:
        return False
    model = there.model()
    return all(z3.is_true(model.eval(one, model_completion=True)) for one in wanted)


class _Kept:
    """A simple solver of z3 for a loop over models, scopes or cores."""

    def __init__(self, ctx: Any, formulas: Sequence[Any]) -> None:
        self.solver = _solver(ctx, formulas)
        self.add, self.push, self.pop = self.solver.add, self.solver.push, self.solver.pop
        self.core, self.either = self.solver.unsat_core, z3.Or

    def check(self, *names: Any) -> str:
        return str(self.solver.check(*names))

    def value(self, term: Any) -> bool | None:
        found = self.solver.model().eval(term, model_completion=True)
        return z3.is_true(found) if z3.is_true(found) or z3.is_false(found) else None

    def literal(self, term: Any, value: bool) -> Any:
        return term if value else z3.Not(term)

    def name(self, at: int, term: Any) -> Any:
        made = z3.Bool(f"murxpy-name{at}", term.ctx)
        self.add(z3.Implies(made, term))
        return made

    def constants(self, terms: Sequence[Any]) -> list[Any]:
        return [one for one in constants(terms) if z3.is_bool(one)]

    def put(self, term: Any, constants: Sequence[Any], by: Sequence[Any]) -> Any:
        terms = [z3.BoolVal(one, term.ctx) if isinstance(one, bool) else one for one in by]
        return z3.substitute(term, *zip(constants, terms, strict=True))

    def every(self, constants: Sequence[Any], formula: Any) -> Any:
        return z3.ForAll(list(constants), formula)

    def fresh(self, at: int) -> Any:
        return z3.Bool(f"murxpy-fresh{at}", self.solver.ctx)


def user_loop(solver: Any, how: str, *terms: Any) -> str | None:
    """A loop over the values of terms, as programs make one, with what a solver asserts."""
    asserted = list(solver.assertions())
    return looped(how, lambda: _Kept(solver.ctx, asserted), terms)
