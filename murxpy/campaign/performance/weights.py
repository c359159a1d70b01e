"""What a script costs the solvers, and how far the targets are behind the references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

DECIDED = ("sat", "unsat")
# A solver went past its limit: in its own units, or by the processor's time where it hardly counts.
EXHAUSTED, LATE = "exhausted", "late"
CRASH = "crash"
_UNSOLVED = 2  # times the limit: the cost of a script that a solver does not decide within it


@dataclass(frozen=True, slots=True)
class Weight:
    """What a script cost a solver: its answer, or why there is none, and the milliseconds of a usual
    machine that its units stand for, at most `limit`.
    """

    answer: str
    ms: float
    limit: float
    message: str = ""

    @property
    def decided(self) -> bool:
        """Whether the solver answered sat or unsat."""
        return self.answer in DECIDED

    @property
    def counts(self) -> bool:
        """Whether the script tells how fast the solver is: errors, refusals, deaths, lack of memory
        and an answer `unknown` before the limit do not.
        """
        return self.decided or self.answer in (EXHAUSTED, LATE)

    @property
    def par2(self) -> float:
        """The cost in milliseconds; twice the limit where the script was not decided."""
        return self.ms if self.decided else _UNSOLVED * self.limit

    def within(self, limit: float) -> Weight:
        """The weight of the same script, which the solver decided, within another limit."""
        if self.ms > limit:
            return Weight(EXHAUSTED, limit, limit)
        return replace(self, limit=limit)


def differ(weights: Sequence[Weight]) -> bool:
    """Whether one solver answers sat and another unsat."""
    return {"sat", "unsat"} <= {weight.answer for weight in weights}


def margin(targets: Sequence[Weight], references: Sequence[Weight]) -> float | None:
    """The least PAR-2 of the targets less the greatest of the references; without references that of
    the targets. None where some solver's answer does not count, or a reference did not decide.
    """
    if not all(weight.counts for weight in (*targets, *references)):
        return None
    if not all(weight.decided for weight in references):
        return None
    behind = max((weight.par2 for weight in references), default=0.0)
    return min(weight.par2 for weight in targets) - behind
