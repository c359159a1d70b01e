"""What z3 gives besides answers: formulas without quantifiers, and proofs. The file imports only z3
and the standard library.
"""

from __future__ import annotations

from typing import Any

import z3

PROOF_STEPS = 3000  # the largest number of steps of a proof that is checked
# the time of a tactic, which no resource limit ends; a tactic that takes longer gives nothing
MILLISECONDS = 1000


def eliminated(ctx: Any, tactic: str, formula: Any) -> Any:
    """A quantified formula as a tactic rewrites it, without quantifiers; None for any other
    formula, and if the tactic gives up.
    """
    if not z3.is_quantifier(formula) or formula.is_lambda():
        return None
    goal = z3.Goal(ctx=ctx)
    goal.add(formula)
    try:
        return z3.TryFor(z3.Tactic(tactic, ctx), MILLISECONDS, ctx).apply(goal).as_expr()
    except z3.Z3Exception:
        return None


def read_proof(limit: int, *formulas: Any) -> str | None:
    """What is wrong with the proof that formulas are unsatisfiable. None if nothing is wrong, or z3
    does not answer unsat.

    The proof is made in a context of its own, because only a context that was made for proofs has
    proofs.
    """
    ctx = z3.Context(proof=True)
    solver = z3.SimpleSolver(ctx)
    if limit:
        solver.set("rlimit", 4 * limit)
    asserted = [formula.translate(ctx) for formula in formulas]
    solver.add(asserted)
    if solver.check() != z3.unsat:
        return None
    return _fault(solver.proof(), asserted)


def _fault(proof: Any, asserted: list[Any]) -> str | None:
    """What is wrong with a proof. It must end in false, use only assertions, and discharge each
    hypothesis by a lemma.
    """
    if not z3.is_false(_fact(proof)):
        return "the proof does not end in false"
    steps = _steps(proof)
    if steps is None:
        return None
    known = {formula.get_id() for formula in asserted}
    for step in steps:
        if step.decl().kind() == z3.Z3_OP_PR_ASSERTED and _fact(step).get_id() not in known:
            return "the proof asserts what was not asserted"
    return "the proof has an open hypothesis" if _open(steps)[proof.get_id()] else None


def _fact(step: Any) -> Any:
    """The conclusion of a step, which is its last argument."""
    return step.arg(step.num_args() - 1)


def _proves(term: Any) -> bool:
    return (
        z3.is_app(term)
        and term.num_args() > 0
        and z3.Z3_OP_PR_UNDEF <= term.decl().kind() <= z3.Z3_OP_PR_HYPER_RESOLVE
    )


def _steps(proof: Any) -> list[Any] | None:
    """The steps of a proof, premises first; None if there are too many. Steps below bound variables
    are left out.
    """
    order: list[Any] = []
    seen: dict[int, bool] = {}
    stack = [proof]
    while stack:
        step = stack.pop()
        if step.get_id() in seen:
            if not seen[step.get_id()]:
                seen[step.get_id()] = True
                order.append(step)
            continue
        seen[step.get_id()] = False
        stack.append(step)
        stack += [
            premise
            for premise in step.children()
            if _proves(premise) and premise.get_id() not in seen
        ]
        if len(seen) > PROOF_STEPS:
            return None
    return order


def _open(steps: list[Any]) -> dict[int, frozenset[int]]:
    """The hypotheses on which each step rests, by its number. A lemma concludes a clause of the
    negations of the hypotheses that it discharges.
    """
    found: dict[int, frozenset[int]] = {}
    for step in steps:
        if step.decl().kind() == z3.Z3_OP_PR_HYPOTHESIS:
            found[step.get_id()] = frozenset([_fact(step).get_id()])
            continue
        resting = frozenset().union(
            *(found.get(premise.get_id(), frozenset()) for premise in step.children())
        )
        discharged = (
            _negated(_fact(step)) if step.decl().kind() == z3.Z3_OP_PR_LEMMA else frozenset()
        )
        found[step.get_id()] = resting - discharged
    return found


def _negated(clause: Any) -> frozenset[int]:
    """The numbers of the terms that a lemma's clause negates: its literals, or the clause itself if
    the literal is a disjunction.
    """
    literals = [clause, *(clause.children() if z3.is_or(clause) else ())]
    opposite = [z3.Not(literal) for literal in literals] + [
        literal.arg(0) for literal in literals if z3.is_not(literal)
    ]
    return frozenset(literal.get_id() for literal in opposite)
