"""The check of seeds: each script is read, lifted and run on solvers, whose answers are compared
with the labels of the script.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from murxpy.errors import InputError
from murxpy.fuzzers.seeds import folder_label, new_seed_file, script_text, with_status
from murxpy.judging.disagreement import evaluated
from murxpy.judging.judged_solver import JudgedSolver
from murxpy.judging.limits import own_limit
from murxpy.logic.catalogue import Catalogue
from murxpy.machine.outcomes import DISAGREEMENT
from murxpy.machine.trace.lift import for_judges, lift
from murxpy.oracles.disagreement import answers_of
from murxpy.processes.inquiries import Ask, Questions
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import (
    Assert,
    CheckSat,
    Command,
    DeclareDatatypes,
    DeclareSort,
    DefineFunsRec,
    Script,
    SetInfo,
    SetLogic,
)
from murxpy.sources.mutation.preparing import View, views

DECIDED = ("sat", "unsat")
_WITNESSES = 2  # answers, or an answer and a label, that must agree
# From good to bad. The verdicts that count as faults stand in FAULTS.
VERDICTS = (
    "right",
    "unlabelled",
    "undecided",
    "doubted",
    "mislabelled",
    DISAGREEMENT,
    "unreadable",
)
FAULTS = ("doubted", "mislabelled", DISAGREEMENT, "unreadable")


@dataclass(frozen=True, slots=True)
class Checked:
    """The result for one seed: a verdict of VERDICTS, the seed's labels, the answers of each solver
    in order, and the reason why the seed is no good. A label that one solver alone contradicts is
    `doubted`, by the solver that is named.
    """

    path: str
    verdict: str
    labels: list[str | None] = field(default_factory=list)
    answers: dict[str, list[str]] = field(default_factory=dict)
    reason: str = ""
    doubted_by: str = ""


def check_seeds(
    paths: Sequence[Path], solver: JudgedSolver, catalogue: Catalogue, limit: int, jobs: int = 1
) -> Iterator[Checked]:
    """Check each script, `jobs` of them at a time, and yield the results in order. `limit` is the
    limit of each check in milliseconds, given to the solvers as their own limits.
    """
    texts = ((str(path), partial(script_text, path)) for path in paths)
    return solver.answers((_check(*one, solver, catalogue, limit) for one in texts), jobs)


def labels_of(
    texts: Sequence[tuple[str, str]], solver: JudgedSolver, catalogue: Catalogue, limit: int
) -> Iterator[str]:
    """For each script, given by its name and text, the labels `sat`, `unsat` or `sat unsat` of its checks;
    empty where a check has none on which two solvers agree. `limit` is as in `check_seeds`.
    """
    asked = (_check(name, partial(str, text), solver, catalogue, limit) for name, text in texts)
    for checked in solver.answers(asked, jobs=2):
        agreed = [_agreed(checked, at) for at in range(len(checked.labels))]
        yield " ".join(label for label in DECIDED if label in agreed) if all(agreed) else ""


def _check(
    name: str, read: Callable[[], str], solver: JudgedSolver, catalogue: Catalogue, limit: int
) -> Questions[Checked]:
    try:
        script = read_script(read(), name, catalogue)
        trace = for_judges(lift(script))
    except InputError as error:
        return Checked(name, "unreadable", reason=str(error))
    answers = yield from ask(solver, trace.text(), limit)
    checked = judge(name, _labels(script, Path(name)), answers)
    if checked.verdict != "doubted" or checked.labels[-1] != "unsat":
        return checked
    return (yield from _with_model(checked, solver, trace.text(), limit))


def _with_model(
    checked: Checked, solver: JudgedSolver, trace: str, limit: int
) -> Questions[Checked]:
    """Let our evaluator decide about a label `unsat` that one solver doubts, by the model that the
    solver has at the last check.
    """
    plans = solver.solvers.plans
    number = next(at for at, p in enumerate(plans) if p.target.name == checked.doubted_by)
    options = {"limit": own_limit(plans[number], limit), "model": True}
    true, false, unknown = evaluated((yield Ask(number, trace, options))) or (0, 0, 0)
    if not true or false or unknown:
        return checked
    model = f"whose model makes all {true} assertions true, by our evaluator"
    return replace(
        checked, verdict="mislabelled", doubted_by="", reason=f"{checked.reason}, {model}"
    )


def _labels(script: Script, path: Path) -> list[str | None]:
    """The labels of the checks of a script. A script with one check and no label gets the label of
    its folder.
    """
    statuses = script.statuses()
    return [folder_label(path) or None] if statuses == [None] else statuses


def ask(solver: JudgedSolver, trace: str, limit: int) -> Questions[dict[str, list[str]]]:
    """The answers of all solvers to the checks of a lifted script."""
    answers = {}
    for number, plan in enumerate(solver.solvers.plans):
        outcome = yield Ask(number, trace, {"limit": own_limit(plan, limit)})
        answers[plan.target.name] = [now for _, _, now in answers_of(outcome.report)]
    return answers


def judge(path: str, labels: list[str | None], answers: dict[str, list[str]]) -> Checked:
    """Compare the answers with the labels. Opposite answers of two solvers are worse than a label
    that all solvers contradict.
    """
    verdict, reason, doubting = "right", "", ""
    for at, label in enumerate(labels):
        decided = {
            name: given[at]
            for name, given in answers.items()
            if at < len(given) and given[at] in DECIDED
        }
        found = _verdict(label, list(decided.values()))
        if VERDICTS.index(found) > VERDICTS.index(verdict):
            verdict = found
            doubting = next(iter(decided)) if found == "doubted" else ""
            answered = (
                ", ".join(f"{name} {answer}" for name, answer in decided.items())
                or "nobody decides it"
            )
            reason = f"check {at + 1} of {len(labels)}: labelled {label or 'nothing'}, {answered}"
    return Checked(path, verdict, labels, answers, reason, doubting)


def _verdict(label: str | None, answers: list[str]) -> str:
    if len(set(answers)) > 1:
        return DISAGREEMENT
    if not answers:
        return "undecided"
    if label not in DECIDED:
        return "unlabelled"
    if answers[0] == label:
        return "right"
    return "mislabelled" if len(answers) >= _WITNESSES else "doubted"


# ----------------------------------------------------------------------
# Seeds of one check each, from scripts that solvers have answered: a script with several checks
# is split, and a check without a label gets the answer of two solvers.


_KEPT = (DeclareSort, DeclareDatatypes, DefineFunsRec)


@dataclass(frozen=True, slots=True)
class LabelledSeed:
    """A script with one check: its logic, its label, its text, and the number of the check in the
    script from which it was taken, which has `checks` checks.
    """

    logic: str
    label: str
    text: str
    number: int = 1
    checks: int = 1


def split(checked: Checked, catalogue: Catalogue, dialect: str) -> Iterator[LabelledSeed]:
    """The seeds that come of a script: one for each check whose label and answers agree, if there
    are two of them. A script with one check stays as it is, apart from its label.

    A seed is printed in the standard, or in `dialect` if the standard cannot say it; it is left out
    if neither can.
    """
    agreed = [_agreed(checked, at) for at in range(len(checked.labels))]
    if not any(agreed):
        return
    path = Path(checked.path)
    script = read_script(script_text(path), str(path), catalogue)
    logic = script.logic or "ALL"
    if not script.incremental and agreed[0]:
        yield LabelledSeed(logic, agreed[0], with_status(script_text(path), agreed[0]))
        return
    for number, (view, label) in enumerate(zip(views(script), agreed, strict=False), 1):
        text = alone(script, view, label, dialect) if label else None
        if text is not None:
            yield LabelledSeed(logic, label, text, number, len(agreed))


def _agreed(checked: Checked, at: int) -> str:
    """Combine the label and the answers to a check; empty if they do not agree, or if there are too
    few of them.
    """
    given = [checked.labels[at], *(a[at] for a in checked.answers.values() if at < len(a))]
    decided = [word for word in given if word in DECIDED]
    return str(decided[0]) if len(decided) >= _WITNESSES and len(set(decided)) == 1 else ""


def alone(script: Script, view: View, label: str, dialect: str) -> str | None:
    """The script of one check alone, with its label if it has one, in the standard or else in `dialect`;
    None where neither can say it.
    """
    commands: list[Command] = [
        *([SetInfo("status", label)] if label else []),
        SetLogic(script.logic or "ALL"),
        *(c for c in script.commands if isinstance(c, _KEPT)),
        *map(Assert, view.asserted),
        CheckSat(),
    ]
    single = Script(script.name, script.tables, commands)
    for one in ("standard", dialect):
        try:
            return print_script(single, one)
        except Unsayable:
            continue
    return None


def write_seeds(folder: Path, source: Path, seeds: Sequence[LabelledSeed]) -> None:
    """Write the seeds of one script: `LOGIC/LABEL/NAME.smt2`, with the number of the check behind
    the name of a script with several checks.
    """
    for seed in seeds:
        stem = source.stem + (f"-{seed.number}" if seed.checks > 1 else "")
        new_seed_file(folder, seed.logic, seed.label, stem).write_text(seed.text, encoding="utf-8")
