"""Disagreement: one solver answers sat and another one unsat to the same check. The answer unknown
disagrees with nothing. The functions take values and give values; they ask no solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from murxpy.machine.outcomes import DISAGREEMENT
from murxpy.machine.replaying.judging import CHECKS
from murxpy.machine.trace.finished import last_row, read_rows

KIND = DISAGREEMENT
OPPOSITE = {"sat": "unsat", "unsat": "sat"}

# For each check: its line, the answer that the trace records, and the answer of the judge.
Answers = Sequence[tuple[int, str, str]]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The trace's solver answered `ours` to the check on line `line`, and judge number `judge` gave
    the opposite answer. `others` has the decided answers of all judges there, by their numbers.
    """

    line: int
    ours: str
    judge: int
    others: Mapping[int, str]


def answers_of(report: Mapping[str, Any] | None) -> list[tuple[int, str, str]]:
    """The answers in the report of a replay."""
    return [
        (int(line), str(before), str(now))
        for line, before, now in (report or {}).get("answers", ())
    ]


def spent_of(report: Mapping[str, Any] | None) -> dict[int, int]:
    """The costs of scripts in the report of a run: by their places in the block of an enumeration, or
    in that of a judge by their lines.
    """
    return {int(place): int(cost) for place, cost in (report or {}).get("spent", ())}


def confirmed_of(report: Mapping[str, Any] | None) -> set[int]:
    """The scripts in the report of a run whose answers need no other solver, by their places in the
    block of an enumeration.
    """
    return {int(place) for place in (report or {}).get("confirmed", ())}


def first_disagreement(judged: Mapping[int, Answers]) -> Disagreement | None:
    """The first check to which some judge gave the opposite of the recorded answer; None where there
    is none.

    `judged` has the answers of each judge, by its number. If several judges disagree at that check,
    the one with the smallest number is named.
    """
    lines = sorted({line for answers in judged.values() for line, _, _ in answers})
    for line in lines:
        there = {
            judge: pair for judge, answers in sorted(judged.items()) for pair in _at(answers, line)
        }
        against = [judge for judge, (before, now) in there.items() if OPPOSITE.get(before) == now]
        if against:
            others = {judge: now for judge, (_, now) in there.items() if now in OPPOSITE}
            return Disagreement(line, there[against[0]][0], against[0], others)
    return None


def _at(answers: Answers, line: int) -> Iterable[tuple[str, str]]:
    return [(before, now) for number, before, now in answers if number == line][:1]


def confirmed(judged: Mapping[int, Answers]) -> frozenset[int]:
    """The lines of the decided checks to which some judge gave the recorded answer, and no judge the
    opposite one.
    """
    pairs = [
        (line, before, now)
        for answers in judged.values()
        for line, before, now in answers
        if before in OPPOSITE
    ]
    against = {line for line, before, now in pairs if now == OPPOSITE[before]}
    return frozenset(line for line, before, now in pairs if now == before and line not in against)


def decided_lines(trace: str) -> list[int]:
    """The lines of the checks that the text of a trace records as sat or unsat."""
    checks = (row for row in read_rows(trace) if row.action in CHECKS)
    return [row.number for row in checks if any(answer in OPPOSITE for answer in row.answers)]


def last_answer(trace: str) -> tuple[int, str]:
    """Line and answer of the last check in the text of a trace. The answer is empty where the check
    did not return, and the line is 0 where there is no check.
    """
    last = last_row(trace, CHECKS)
    return (0, "") if last is None else (last.number, (last.answers or [""])[-1])


# ----------------------------------------------------------------------
# Triage: two solvers disagree on one check. Finding out which solver is wrong, and by which
# evidence. The notions are those of the literature on solver fuzzing. A *refutation unsoundness* is
# an answer unsat to assertions that have a model; a *solution unsoundness* is an answer sat to
# assertions that have none. A *wrong model* makes an assertion false, whether the answer sat is
# right or not.


Unsoundness = Literal["refutation-unsoundness", "solution-unsoundness", "wrong-model", "undecided"]
Way = Literal["main", "judge", "plain", "variant", "without", "core"]
UNDECIDED: Unsoundness = "undecided"


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer to the check in question, which serves as evidence.

    `solver` is the target as the user names it, `release` its family and version. `way` says how
    the solver was asked: as the trace's solver (`main`), as a judge, with none of the trace's
    options (`plain`), with other options (`variant`), without one thing that the check does not ask
    about (`without`; `options` says which), or on the core alone (`core`).
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
    """The verdict of murxpy's evaluator on the model of a solver that answered sat: how many
    assertions are true, false, and not known under the model.
    """

    solver: str
    release: str
    true: int
    false: int
    unknown: int

    @property
    def confirms(self) -> bool:
        """Whether every assertion is true under the model."""
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
    """The result of triage: the verdict, the name and the release of the wrong solver (empty if it is
    not known), and the evidence, a line each. `by` is the kind of evidence that decided.
    """

    verdict: Unsoundness
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
    """The verdict on two sides that gave opposite answers.

    The strongest evidence decides. A model under which every assertion is true refutes the answer
    unsat; a model under which an assertion is false refutes the answer sat. Next comes a side that
    contradicts itself when it is asked in another way, while the other side does not. Last comes
    the vote of the other solvers and releases, if it is unanimous.
    """
    evidence: list[GivenAnswer | ModelEvaluation] = [*sides, *models, *answers]
    lines = tuple(answer.line() for answer in evidence)
    sat = next(side for side in sides if side.answer == "sat")
    unsat = next(side for side in sides if side.answer == "unsat")
    if any(model.confirms for model in models):
        return _wrong(unsat, lines, "model")
    if any(model.false and model.solver == sat.solver for model in models):
        return _wrong(sat, lines, "model")
    contradicting = [side for side in sides if _contradicts_itself(side, answers)]
    if len(contradicting) == 1:
        return _wrong(contradicting[0], lines, "itself")
    others = {v.solver: v.answer for v in answers if v.way == "judge" and v.answer in OPPOSITE}
    if len(set(others.values())) == 1:
        return _wrong(unsat if "sat" in others.values() else sat, lines, "vote")
    return Triage(UNDECIDED, evidence=lines)


def triage_model(
    side: GivenAnswer, models: Sequence[ModelEvaluation], answers: Sequence[GivenAnswer]
) -> Triage:
    """The verdict on a side that answered sat and gave a model under which an assertion is false.

    The answer is wrong if all the other solvers answer unsat; otherwise only the model is.
    """
    evidence: list[GivenAnswer | ModelEvaluation] = [side, *models, *answers]
    lines = tuple(answer.line() for answer in evidence)
    others = {v.answer for v in answers if v.answer in OPPOSITE}
    if others == {"unsat"}:
        return _wrong(side, lines, "vote")
    if any(model.false for model in models):
        return Triage("wrong-model", side.solver, side.release, lines, "model")
    return Triage(UNDECIDED, evidence=lines)


def _contradicts_itself(side: GivenAnswer, answers: Sequence[GivenAnswer]) -> bool:
    """Whether the solver of this side gives the opposite answer when it is asked in another way."""
    return any(v.solver == side.solver and v.answer == OPPOSITE[side.answer] for v in answers)


def _wrong(side: GivenAnswer, evidence: tuple[str, ...], by: str) -> Triage:
    verdict: Unsoundness = (
        "refutation-unsoundness" if side.answer == "unsat" else "solution-unsoundness"
    )
    return Triage(verdict, side.solver, side.release, evidence, by)
