"""What cvc5 gives besides answers: interpolants, abducts, formulas without quantifiers, further
models and proofs. Each comes from a solver of its own.

The run's solver rarely has the options for these, and some of the options exclude each other. The
file imports only cvc5 and the standard library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import cvc5
from cvc5 import Kind
from cvc5_helpers import _subterms
from cvc5_model import Shapes, shape
from cvc5_values import SKOLEM

PROOF_STEPS = 2000  # the largest number of steps of a proof that is checked
SIZE = "3"  # the size of the formula that is searched for; larger formulas take minutes
# the time of the search, which no resource limit ends; a search that takes longer gives nothing
MILLISECONDS = "300"
_ALWAYS = {"arrays-exp": "true", "fp-exp": "true", "sets-exp": "true", "strings-exp": "true"}
_SEARCH = {"incremental": "true", "sygus-abort-size": SIZE, "tlimit-per": MILLISECONDS}


def _solver(ctx: Any, limit: int, options: dict[str, str], formulas: Sequence[Any]) -> Any:
    """A solver to which the formulas are asserted."""
    solver = cvc5.Solver(ctx)
    for name, value in {**_ALWAYS, **options}.items():
        solver.setOption(name, value)
    if limit:
        solver.setOption("reproducible-resource-limit", str(4 * limit))
    for formula in formulas:
        solver.assertFormula(formula)
    return solver


def _last(first: Any, another: Callable[[], Any], count: int) -> Any:
    """The last one of `count` further terms after a first one; None if there are fewer."""
    found = first
    for _ in range(count):
        following = another() if not found.isNull() else found
        found = found if following.isNull() else following
    return None if found.isNull() else found


def interpolant(ctx: Any, limit: int, more: int, goal: Any, *formulas: Any) -> Any:
    """A formula that follows from the formulas and implies the goal; None if none is found."""
    solver = _solver(ctx, limit, {"produce-interpolants": "true", **_SEARCH}, formulas)
    return _last(solver.getInterpolant(goal), solver.getInterpolantNext, more)


def abduct(ctx: Any, limit: int, more: int, goal: Any, *formulas: Any) -> Any:
    """A formula that agrees with the formulas and, together with them, implies the goal; None if
    none is found.
    """
    solver = _solver(ctx, limit, {"produce-abducts": "true", **_SEARCH}, formulas)
    return _last(solver.getAbduct(goal), solver.getAbductNext, more)


def eliminated(ctx: Any, limit: int, formula: Any) -> Any:
    """A quantified formula without its quantifiers; None unless it is of linear arithmetic or of
    bit-vectors, as documented.
    """
    if formula.getKind() not in (Kind.FORALL, Kind.EXISTS) or not _eliminable(formula):
        return None
    solver = cvc5.Solver(ctx)
    if limit:
        solver.setOption("reproducible-resource-limit", str(4 * limit))
    found = solver.getQuantifierElimination(formula)
    return None if found.isNull() else found


def _eliminable(formula: Any) -> bool:
    """Whether all terms are Boolean or linear arithmetic, or all are Boolean or bit-vectors."""
    terms = [term for term in _subterms(formula) if term.getKind() != Kind.VARIABLE_LIST]
    sorts = [term.getSort() for term in terms if not term.getSort().isBoolean()]
    if all(sort.isBitVector() for sort in sorts):
        return True
    return all(sort.isInteger() or sort.isReal() for sort in sorts) and all(map(_linear, terms))


def _linear(term: Any) -> bool:
    if term.getKind() == Kind.MULT:
        return sum(not (factor.isIntegerValue() or factor.isRealValue()) for factor in term) <= 1
    return term.getKind() in _LINEAR


_LINEAR = (
    Kind.FORALL,
    Kind.EXISTS,
    Kind.VARIABLE,
    Kind.CONSTANT,
    Kind.CONST_BOOLEAN,
    Kind.CONST_INTEGER,
    Kind.CONST_RATIONAL,
    Kind.NOT,
    Kind.AND,
    Kind.OR,
    Kind.XOR,
    Kind.IMPLIES,
    Kind.EQUAL,
    Kind.DISTINCT,
    Kind.ITE,
    Kind.LT,
    Kind.LEQ,
    Kind.GT,
    Kind.GEQ,
    Kind.ADD,
    Kind.SUB,
    Kind.NEG,
    Kind.TO_REAL,
)


def read_symbols(term: Any, constants: Sequence[Any]) -> list[int | str | None]:
    """The free symbols of a term: the positions of those among the constants, the texts of others,
    and None for a symbol of cvc5's own.
    """
    places = {constant.getId(): place for place, constant in enumerate(constants)}
    seen: dict[int, None] = {}
    found: list[int | str | None] = []
    stack = [term]
    while stack:
        inner = stack.pop()
        if inner.getId() not in seen:
            seen[inner.getId()] = None
            stack.extend(inner)
            if inner.getKind() == Kind.CONSTANT:
                found.append(places.get(inner.getId(), str(inner)))
            elif inner.getKind() == SKOLEM:
                found.append(None)
    return found


def read_proof(ctx: Any, limit: int, checked: bool, *formulas: Any) -> str | None:
    """What is wrong with the proof that formulas are unsatisfiable. None if nothing is wrong, or
    cvc5 does not answer unsat.
    """
    options = {"produce-proofs": "true"} | ({"check-proofs": "true"} if checked else {})
    solver = _solver(ctx, limit, options, formulas)
    if not solver.checkSat().isUnsat():
        return None
    proofs = solver.getProof()
    if len(proofs) != 1:
        return f"there are {len(proofs)} proofs"
    solver.proofToString(proofs[0])
    return _fault(proofs[0], formulas)


def _fault(proof: Any, formulas: Sequence[Any]) -> str | None:
    """What is wrong with a proof. The scopes at its top may assume only assertions; inside, the
    proof must end in false without further assumptions.
    """
    assumed: list[Any] = []
    while proof.getRule() == cvc5.ProofRule.SCOPE:
        assumed += proof.getArguments()
        (proof,) = proof.getChildren()
    if str(proof.getResult()) != "false":
        return "the proof does not end in false"
    shapes: Shapes = {}
    known = [shape(formula, shapes) for formula in formulas]
    if any(shape(formula, shapes) not in known for formula in assumed):
        return "the proof assumes what was not asserted"
    free = _free(proof)
    texts = {str(formula) for formula in assumed}
    return (
        "the proof has an open assumption"
        if free is not None and any(text not in texts for text in free)
        else None
    )


def _free(proof: Any) -> frozenset[str] | None:
    """The texts of the assumptions that no scope of a proof closes; None for a proof of too many
    steps.
    """
    known: dict[Any, frozenset[str]] = {}
    stack = [proof]
    while stack:
        step = stack[-1]
        if step not in known:
            children = step.getChildren()
            missing = [child for child in children if child not in known]
            if missing and len(known) + len(stack) < PROOF_STEPS:
                stack.extend(missing)
                continue
            if missing:
                return None
            known[step] = _open(step, [known[child] for child in children])
        stack.pop()
    return known[proof]


def _open(step: Any, below: list[frozenset[str]]) -> frozenset[str]:
    if step.getRule() == cvc5.ProofRule.ASSUME:
        return frozenset([str(step.getResult())])
    found = frozenset().union(*below)
    return (
        found - frozenset(map(str, step.getArguments()))
        if step.getRule() == cvc5.ProofRule.SCOPE
        else found
    )
