"""Whether solvers refuse malformed texts cleanly: with an error, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from murxpy.campaign.performance.solvers import Solvers
from murxpy.campaign.performance.weights import CRASH, LATE

ACCEPTED = "accepted"
_LIMIT = 500.0  # milliseconds of a usual machine
_ERROR = "error"
_ANSWERS = ("sat", "unsat", "unknown", "exhausted")


@dataclass(frozen=True, slots=True)
class Unclean:
    """A solver that does not refuse a text cleanly: it dies, throws what no rule of its wrapper knows or
    does not end, or accepts what all others refuse.
    """

    solver: str
    kind: str
    answers: Mapping[str, str]
    message: str = ""


def unclean(solvers: Solvers, text: str) -> list[Unclean]:
    """Which of the solvers do not refuse a malformed text cleanly."""
    weights = {one.name: solvers.weigh(one.number, text, _LIMIT) for one in solvers.known}
    answers = {name: weight.answer for name, weight in weights.items()}
    found = []
    for name, weight in weights.items():
        others = [answer for other, answer in answers.items() if other != name]
        if weight.answer in (CRASH, LATE):
            found.append(Unclean(name, CRASH, answers, weight.message))
        elif weight.answer in _ANSWERS and _all_refuse(others):
            found.append(Unclean(name, ACCEPTED, answers))
    return found


def _all_refuse(answers: Sequence[str]) -> bool:
    return bool(answers) and all(answer == _ERROR for answer in answers)
