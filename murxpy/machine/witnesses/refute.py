"""Looking for a model that refutes a promise of the solver about a formula. A model counts only if
our evaluation confirms it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from murxpy.logic.terms import Term
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import Refused
from murxpy.machine.run import Run
from murxpy.machine.witnesses.anew import applied, call_first, fresh_solver
from murxpy.machine.witnesses.blame import solver_value
from murxpy.machine.witnesses.model import TOO_LARGE, Model, solvable_anew, unjudged
from murxpy.machine.witnesses.rows import Unreadable
from murxpy.semantics.values import CannotSay

REFUTED, HOLDS, CANNOT_SAY = "refuted", "holds", "cannot-say"
UNDECIDED = (Refused, CannotSay, Unreadable, *TOO_LARGE)


@dataclass(frozen=True)
class Claim:
    """A Boolean object and the truth value that a refuting model must give it. A claim without
    `term` is about an object that the solver made, and the solver gives its value.
    """

    obj: Any
    term: Term | None
    value: bool = True


def claims(entries: Sequence[Entry], value: bool = True) -> list[Claim]:
    """The claims that formulas of the run all have the truth value `value`."""
    return [Claim(entry.obj, entry.term, value) for entry in entries]


def refute(run: Run, wanted: Sequence[Claim], entries: Sequence[Entry]) -> str:
    """Whether the claims can hold together: `refuted` if a model shows it by our evaluation,
    `holds` if the solver answers unsat. The claims are made of `entries`.

    Only formulas that the solver made have the solver's own value in the model, because nobody else
    knows them. A model that leaves anything open does not count.
    """
    if not solvable_anew(entries):
        return CANNOT_SAY
    with suppress(*UNDECIDED), fresh_solver(run):
        answer = solve_claims(run, wanted)
        if answer == "unsat":
            return HOLDS
        if answer == "sat" and confirmed(run, wanted):
            return REFUTED
    return CANNOT_SAY


def decided(run: Run, wanted: Sequence[Claim], entries: Sequence[Entry]) -> str:
    """The answer of a fresh solver to the claims; `unknown` if it cannot be asked."""
    if solvable_anew(entries):
        with suppress(Refused), fresh_solver(run):
            return solve_claims(run, wanted)
    return "unknown"


def solve_claims(run: Run, wanted: Sequence[Claim]) -> str:
    """The answer to the claims. Call it inside `fresh_solver`. Raises Refused, Stopped."""
    for claim in wanted:
        call_first(run, "assert-formula", (claimed(run, claim),))
    return str(call_first(run, "check-sat", ()))


def claimed(run: Run, claim: Claim) -> Any:
    """The formula that a claim states."""
    if claim.value:
        return claim.obj
    shape = (
        run.terms.leaf("OP_CONSTANT", ("formula",), run.sorts.get("SORT_BOOL"))
        if claim.term is None
        else claim.term
    )
    return applied(run, "OP_NOT", [claim.obj], (shape,))


def confirmed(run: Run, wanted: Sequence[Claim]) -> bool:
    """Whether the current model gives each claim its truth value. Raises CannotSay, Unreadable,
    Refused.
    """
    reader = run.wrapper.set("readers", "model")
    if reader is None:
        return False
    known = [claim.term for claim in wanted if claim.term is not None]
    model = Model(run, known, reader.spellings[0])
    if any(unjudged(run, term) for term in known):
        return False
    if any(
        claim.term is not None and model.evaluator.value(claim.term) is not claim.value
        for claim in wanted
    ):
        return False
    boolean = run.sorts.get("SORT_BOOL")
    return all(
        solver_value(run, model.evaluator, claim.obj, boolean) is claim.value
        for claim in wanted
        if claim.term is None
    )
