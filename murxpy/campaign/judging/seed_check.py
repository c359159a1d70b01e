"""The check of seeds: each script is read, lifted and run on solvers, whose answers are compared
with the labels of the script.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from murxpy.campaign.judging.judge_limits import own_limit
from murxpy.campaign.judging.judged_solver import JudgedSolver
from murxpy.campaign.replays.inquiries import Ask, Questions
from murxpy.errors import InputError
from murxpy.fuzzers.seeds import folder_label
from murxpy.logic.catalogue import Catalogue
from murxpy.oracles.disagreement import answers_of
from murxpy.smtlib.reading.scripts import read_file
from murxpy.smtlib.script import Script
from murxpy.trace.lift import for_judges, lift

DECIDED = ("sat", "unsat")
# From good to bad. The verdicts that count as faults stand in FAULTS.
VERDICTS = ("right", "unlabelled", "undecided", "mislabelled", "disagreement", "unreadable")
FAULTS = ("mislabelled", "disagreement", "unreadable")


@dataclass(frozen=True, slots=True)
class Checked:
    """The result for one seed: a verdict of VERDICTS, the seed's labels, the answers of each solver
    in order, and the reason why the seed is no good.
    """

    path: str
    verdict: str
    labels: list[str | None] = field(default_factory=list)
    answers: dict[str, list[str]] = field(default_factory=dict)
    reason: str = ""


def check_seeds(
    paths: Sequence[Path], solver: JudgedSolver, catalogue: Catalogue, limit: int, jobs: int = 1
) -> Iterator[Checked]:
    """Check each script, `jobs` of them at a time, and yield the results in order. `limit` is the
    limit of each check in milliseconds, given to the solvers as their own limits.
    """
    return solver.answers((_check(path, solver, catalogue, limit) for path in paths), jobs)


def _check(
    path: Path, solver: JudgedSolver, catalogue: Catalogue, limit: int
) -> Questions[Checked]:
    try:
        script = read_file(path, catalogue)
        trace = for_judges(lift(script))
    except InputError as error:
        return Checked(str(path), "unreadable", reason=str(error))
    return judge(str(path), _labels(script, path), (yield from _ask(solver, trace.text(), limit)))


def _labels(script: Script, path: Path) -> list[str | None]:
    """The labels of the checks of a script. A script with one check and no label gets the label of
    its folder.
    """
    statuses = script.statuses()
    return [folder_label(path) or None] if statuses == [None] else statuses


def _ask(solver: JudgedSolver, trace: str, limit: int) -> Questions[dict[str, list[str]]]:
    """The answers of all solvers to the checks of a lifted script."""
    answers = {}
    for number, plan in enumerate(solver.solvers.plans):
        outcome = yield Ask(number, trace, {"limit": own_limit(plan, limit)})
        answers[plan.target.name] = [now for _, _, now in answers_of(outcome.report)]
    return answers


def judge(path: str, labels: list[str | None], answers: dict[str, list[str]]) -> Checked:
    """Compare the answers with the labels. It is worse when solvers contradict each other than when
    all solvers contradict a label.
    """
    verdict, reason = "right", ""
    for at, label in enumerate(labels):
        decided = {
            name: given[at]
            for name, given in answers.items()
            if at < len(given) and given[at] in DECIDED
        }
        found = _verdict(label, list(decided.values()))
        if VERDICTS.index(found) > VERDICTS.index(verdict):
            verdict = found
            said = (
                ", ".join(f"{name} {answer}" for name, answer in decided.items())
                or "nobody decides it"
            )
            reason = f"check {at + 1} of {len(labels)}: labelled {label or 'nothing'}, {said}"
    return Checked(path, verdict, labels, answers, reason)


def _verdict(label: str | None, answers: list[str]) -> str:
    if len(set(answers)) > 1:
        return "disagreement"
    if not answers:
        return "undecided"
    if label not in DECIDED:
        return "unlabelled"
    return "right" if answers[0] == label else "mislabelled"
