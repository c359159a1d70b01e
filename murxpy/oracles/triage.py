"""Triage: two solvers disagree on one check. Who is wrong, by which evidence? Values in, verdict
out.

The notions are those of the literature on solver fuzzing: a *refutation unsoundness* is an answer
unsat where there is a model, a *solution unsoundness* an answer sat where there is none. A *wrong
model* is one under which an assertion is false, whatever the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from murxpy.oracles.disagreement import OPPOSITE

Evidence = Literal["refutation-unsoundness", "solution-unsoundness", "wrong-model", "undecided"]
Way = Literal["main", "judge", "plain", "variant", "without", "core"]
UNDECIDED: Evidence = "undecided"


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer to the check in question.

    `solver` is the target as the user names it, `release` the family and version. `way`: how it was
    asked: as the trace's solver (`main`), as a judge, with none of the trace's options (`plain`),
    with other ones (`variant`), without one thing that the check does not ask about (`without`;
    `options` says which), on the core alone (`core`).
    """

    solver: str
    release: str
    way: Way
    answer: str
    options: str = ""

    def line(self) -> str:
        """The evidence in words."""
        how = {
            "main": "",
            "judge": "",
            "plain": " without the options of the run",
            "variant": f" with {self.options}",
            "without": f" without {self.options}",
            "core": " on the core alone",
        }[self.way]
        return f"{self.release} answers {self.answer}{how}"


@dataclass(frozen=True, slots=True)
class ModelEvaluation:
    """What our evaluator says of the model of a solver that answered sat: how many assertions are
    true, false, not known.
    """

    solver: str
    release: str
    true: int
    false: int
    unknown: int

    @property
    def confirms(self) -> bool:
        """Every assertion is true under the model."""
        return self.true > 0 and not self.false and not self.unknown

    def line(self) -> str:
        """The evidence in words."""
        if self.confirms:
            return f"all {self.true} assertions are true under the model of {self.release}, by our evaluator"
        if self.false:
            total = self.true + self.false + self.unknown
            return f"{self.false} of {total} assertions are false under the model of {self.release}, by our evaluator"
        return f"our evaluator cannot say whether the model of {self.release} is one ({self.true} of {self.true + self.unknown} true)"


@dataclass(frozen=True, slots=True)
class Triage:
    """Who is wrong: `verdict`, the solver's name and release that it is of (empty: not known), and
    the evidence in lines.
    """

    verdict: Evidence
    culprit: str = ""
    release: str = ""
    evidence: tuple[str, ...] = ()
    by: str = ""  # `model`, `itself`, `vote`; empty where undecided

    def data(self) -> dict[str, Any]:
        """The triage as plain data."""
        return {
            "verdict": self.verdict,
            "culprit": self.culprit,
            "release": self.release,
            "by": self.by,
            "evidence": list(self.evidence),
        }


def triage(
    sides: tuple[GivenAnswer, GivenAnswer],
    models: Sequence[ModelEvaluation],
    answers: Sequence[GivenAnswer],
) -> Triage:
    """The verdict on `sides`, which answered opposite things.

    The strongest evidence decides: a model under which every assertion is true refutes an unsat; a
    model under which one is false, a sat. Then a side that answers otherwise itself, with other
    options, while the other side does not. Then the vote of the other solvers and releases, where
    it is unanimous.
    """
    said: list[GivenAnswer | ModelEvaluation] = [*sides, *models, *answers]
    lines = tuple(answer.line() for answer in said)
    sat = next(side for side in sides if side.answer == "sat")
    unsat = next(side for side in sides if side.answer == "unsat")
    if any(model.confirms for model in models):
        return _wrong(unsat, lines, "model")
    if any(model.false and model.solver == sat.solver for model in models):
        return _wrong(sat, lines, "model")
    wavering = [side for side in sides if _wavers(side, answers)]
    if len(wavering) == 1:
        return _wrong(wavering[0], lines, "itself")
    others = {v.solver: v.answer for v in answers if v.way == "judge" and v.answer in OPPOSITE}
    if len(set(others.values())) == 1:
        return _wrong(unsat if "sat" in others.values() else sat, lines, "vote")
    return Triage(UNDECIDED, evidence=lines)


def triage_model(
    side: GivenAnswer, models: Sequence[ModelEvaluation], answers: Sequence[GivenAnswer]
) -> Triage:
    """The verdict on `side`, which answered sat and gave a model under which an assertion is false.

    Where the others, unanimous, answer unsat, the answer is wrong; else the model is.
    """
    said: list[GivenAnswer | ModelEvaluation] = [side, *models, *answers]
    lines = tuple(answer.line() for answer in said)
    others = {v.answer for v in answers if v.answer in OPPOSITE}
    if others == {"unsat"}:
        return _wrong(side, lines, "vote")
    if any(model.false for model in models):
        return Triage("wrong-model", side.solver, side.release, lines, "model")
    return Triage(UNDECIDED, evidence=lines)


def _wavers(side: GivenAnswer, answers: Sequence[GivenAnswer]) -> bool:
    """Whether the same solver answers the opposite when asked in another way."""
    return any(v.solver == side.solver and v.answer == OPPOSITE[side.answer] for v in answers)


def _wrong(side: GivenAnswer, evidence: tuple[str, ...], by: str) -> Triage:
    verdict: Evidence = (
        "refutation-unsoundness" if side.answer == "unsat" else "solution-unsoundness"
    )
    return Triage(verdict, side.solver, side.release, evidence, by)
