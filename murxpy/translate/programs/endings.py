"""The ways in which a program can end, by the kind of the finding, the plainest first."""

from __future__ import annotations

from collections.abc import Callable

from murxpy.translate.programs.arrays import unequal_arrays
from murxpy.translate.programs.between import abduct, interpolant
from murxpy.translate.programs.broken import contract, raised
from murxpy.translate.programs.calls import Calls
from murxpy.translate.programs.claim import Claim
from murxpy.translate.programs.models import (
    no_value,
    own_value,
    repeated,
    simplified,
    solved_anew,
    step_anew,
    step_simplified,
    value_anew,
    value_simplified,
)
from murxpy.translate.programs.other_model import satisfied_alone, satisfied_by_values
from murxpy.translate.programs.promises import (
    broken_proof,
    core,
    foreign_core,
    inconsistent,
    other_answer,
    other_result,
)
from murxpy.translate.programs.undecided import at_limit, given_up

Ending = Callable[[Calls, Claim], None]

ENDINGS: dict[str, tuple[Ending, ...]] = {
    "invalid-model": (
        own_value,
        simplified,
        solved_anew,
        step_simplified,
        step_anew,
        unequal_arrays,
    ),
    "model-value": (own_value, simplified, solved_anew, no_value),
    "invalid-value": (value_simplified, value_anew, step_simplified, step_anew),
    "repeated-model": (repeated,),
    "invalid-core": (core, foreign_core),
    "invalid-assumptions": (core, foreign_core),
    "invalid-simplify": (other_result,),
    "invalid-substitute": (other_result,),
    "invalid-elimination": (other_result,),
    "invalid-proof": (broken_proof,),
    "invalid-interpolant": (interpolant,),
    "invalid-abduct": (abduct,),
    "inconsistent": (inconsistent,),
    "disagreement": (satisfied_by_values, satisfied_alone, other_answer),
    "wrong-answer": (satisfied_by_values, satisfied_alone, other_answer),
    "wrong-unsat": (satisfied_by_values, satisfied_alone, other_answer),
    "slow": (at_limit,),
    "incompleteness": (given_up,),
    "exception": (raised,),
    "contract": (contract,),
}
