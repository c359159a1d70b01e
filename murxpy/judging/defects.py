"""Decides whether a release shows a defect: compares the outcome of a trace on the release with the
outcome where the defect was found.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from murxpy.errors import InputError, TargetError
from murxpy.findings.bucket_names import is_bucket, kept_trace
from murxpy.findings.origin import origin
from murxpy.findings.replayed import replay_trace
from murxpy.findings.scripted import Scripted, trace_of
from murxpy.foreign import read_text
from murxpy.fuzzers.seeds import SUFFIX, statuses_of
from murxpy.judging.bisection import Answer
from murxpy.judging.disagreement import HEADER
from murxpy.machine.outcomes import EXCEPTION, STATE
from murxpy.machine.replaying.untracer import COMPARED as COMPARED
from murxpy.machine.trace.finished import header_value, read_rows
from murxpy.machine.trace.grammar import parse_trace, read_trace
from murxpy.machine.witnesses.unknowns import AT_LIMIT, BASELINE
from murxpy.oracles.crash import DEATHS, HANG, Outcome, judge
from murxpy.oracles.disagreement import KIND as DISAGREEMENT
from murxpy.oracles.disagreement import OPPOSITE
from murxpy.oracles.regression import COSTS, FACTOR, OF_ANSWERS, SHOWS, SLOWER, VANISHED
from murxpy.processes.environments import Notice
from murxpy.processes.plans import Request, make_plans, usable_request
from murxpy.processes.releases import release_in
from murxpy.processes.targets import (
    Plan,
    TargetName,
    parse_target,
    solver_of,
    split_names,
    version_of,
)
from murxpy.smtlib.reading.scripts import MAX_SCRIPT

# How the name of a counter begins that tells of a refused parameter; the replay went on without it.
_LACKING = "replay-refused:set-parameter:"


@dataclass(frozen=True, slots=True)
class Sign:
    """The sign by which a defect is recognised on any release: the kind of the finding, the action
    that shows it (empty for any), the class of an exception, the answer that judges or another
    release contradict, and the least `cost` of a slow check.
    """

    kind: str
    action: str = ""
    error: str = ""
    answer: str = ""
    cost: int = 0

    def shown_by(self, outcome: Outcome) -> bool:
        """Whether a replay shows the defect."""
        report = outcome.report or {}
        if self.cost:
            return sum(cost or 0 for _, cost, _ in report.get("costs", ())) >= self.cost
        if self.kind == VANISHED:
            refused = [sort for _, sort, _ in report.get("refused", ())]
            return any(sort not in (STATE, "resources") for sort in refused)
        if self.answer:
            return last_answer(outcome) == self.answer
        if self.kind == HANG:
            return outcome.cause == "wall"
        verdict = judge(outcome)
        if verdict is None:
            return False
        if self.kind in DEATHS:
            return verdict.kind in DEATHS
        return (
            verdict.kind == self.kind
            and self.action in ("", verdict.call.action)
            and self.error in ("", _error(verdict.message))
        )


def sign_of(outcome: Outcome) -> Sign | None:
    """Return the sign by which the defect that a replay shows is recognised; None if the replay shows
    none.
    """
    if outcome.cause == "wall":
        return Sign(HANG)
    verdict = judge(outcome)
    if verdict is None:
        return None
    error = _error(verdict.message) if verdict.kind == EXCEPTION else ""
    return Sign(verdict.kind, verdict.call.action, error)


def kept_sign(text: str, name: str) -> Sign | None:
    """Return the sign of the defect of a kept trace, by the text of the trace: the kind in its
    header, or the answer that the judges in its header contradict. The result is None if neither
    stands in the header. Raises InputError.
    """
    trace = parse_trace(text, name)
    if COMPARED in trace.header:
        return _sign_of_regression(trace.header, text)
    kind = trace.header.get("finds", "")
    if kind and kind != DISAGREEMENT:
        return Sign(kind)
    if HEADER in trace.header:
        answer = last_answer(Outcome("report", trace=text))
        return Sign(DISAGREEMENT, answer=answer) if answer in OPPOSITE else None
    return None


def _sign_of_regression(header: Mapping[str, str], text: str) -> Sign | None:
    """Return the sign of a regression that a newer release introduced; None if the trace cannot tell."""
    kind = header.get(SHOWS, "")
    if kind == SLOWER:
        older, _, _ = header.get(COSTS, "").partition(" ")
        return Sign(SLOWER, cost=FACTOR * int(older)) if older.isdigit() else None
    if kind == VANISHED:
        return Sign(VANISHED)
    answer = last_answer(Outcome("report", trace=text)) if kind in OF_ANSWERS else ""
    return Sign(kind, answer=answer) if answer else None


def last_answer(outcome: Outcome) -> str:
    """The answer to the last check of a replay, which may have died; empty where there is none."""
    answers = [answer for row in read_rows(outcome.trace) for answer in row.answers]
    return answers[-1] if answers else ""


class Asked:
    """Asks releases of one solver whether they show the defect of a trace.

    `text` is the trace, `sign` how the defect is known again, and `tries` how often a release is
    asked at most, for `wall` seconds each time. `request` says with which wrapper and options. `replays` counts the replays, and
    `version` is the version of the solver that was asked last, empty where it could not be loaded.
    """

    def __init__(
        self, request: Request, text: str, sign: Sign, tries: int, wall: float, notice: Notice
    ) -> None:
        self._request = request
        self._text = text
        self._sign = sign
        self._tries = tries
        self._wall = wall
        self._notice = notice
        self.replays = 0
        self.version = ""

    def release(self, solver: str, release: str) -> Answer:
        """The answer of a release of a solver; a release that cannot be installed or loaded gives
        none.
        """
        try:
            return self.target(str(TargetName(solver, release)))
        except (TargetError, InputError) as error:
            return Answer("untestable", str(error))

    def target(self, name: str) -> Answer:
        """The answer of the target called `name`. Raises TargetError if the target cannot be loaded,
        InputError if it does not take an option of the request.
        """
        self.version = ""
        (plan,) = make_plans(replace(self._request, targets=(name,)), self._notice)
        return self._answer(plan)

    def _answer(self, plan: Plan) -> Answer:
        answer = Answer("untestable", "it was not replayed")
        for _ in range(self._tries):
            self.replays += 1
            replayed = replay_trace(plan, self._text, "trace", wall=self._wall)
            self.version = version_of(replayed.about)
            if self._sign.shown_by(replayed.outcome):
                return Answer("shows", _words(replayed.outcome))
            why = obstacle(replayed.outcome)
            answer = Answer("untestable", why) if why else Answer("gone")
        return answer


def obstacle(outcome: Outcome) -> str:
    """Why a replay that does not show the defect says nothing about it; empty where it does."""
    if outcome.cause in ("wall", "cpu"):
        return "the replay has no end within the limit of time"
    verdict = judge(outcome)
    if verdict is not None:
        return f"it shows something else: {verdict.kind} in {verdict.call.action}: {verdict.message[:120]}"
    report = outcome.report or {}
    if report.get("status") == "malformed":
        return str(report["message"])
    counts = report.get("counts", {})
    refused = [text for text in report.get("differences", ()) if "is refused now" in text]
    if refused:
        return str(refused[0])
    lacking = [name for name in counts if name.startswith(_LACKING)]
    if lacking:
        return str(lacking[0]).removeprefix(_LACKING)
    if counts.get(AT_LIMIT):
        return "a check whose answer is known reached its limit"
    if counts.get("replay:skipped"):
        return f"{counts['replay:skipped']} lines were skipped"
    return ""


def _words(outcome: Outcome) -> str:
    verdict = judge(outcome)
    return "" if verdict is None else f"{verdict.kind}: {verdict.message.splitlines()[0][:120]}"


def _error(message: str) -> str:
    """The class of an exception, by its message."""
    return message.partition(":")[0]


# ----------------------------------------------------------------------
# Defects as they are kept: a trace, a script, or the bucket of a campaign.


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect as a trace shows it. `file` is where it was read, `solver` the solver it is of, and
    `release` the one that it was found on, empty where that is not known. `sign` says how it is known
    again, None where only a replay can tell. `request` is how it is replayed. `without` is a release
    that does not show the defect, empty if none is known.
    """

    file: Path
    text: str
    solver: str
    release: str
    sign: Sign | None
    request: Request
    without: str = ""


def read_defect(file: Path, solver: str = "", wrapper: str | None = None) -> Defect:
    """The defect in a trace, a script, or the folder of a bucket. `solver` is the one of a script, and
    of a trace that names none. Raises InputError.
    """
    path = kept_trace(file) if file.is_dir() else file
    text = _script(path, solver) if path.suffix == SUFFIX else read_trace(path)
    named, _, version = header_value(text, "solver").partition(" ")
    family = named or solver_of(solver)
    if not family:
        raise InputError("the trace does not say its solver: name it with --solver", file=str(path))
    kept = None if wrapper else origin(path)
    request = Request(wrapper=wrapper)
    if kept is not None:
        request = usable_request(replace(kept.of_traces(), targets=()), path)
        version = version or parse_target(kept.target).release
    return Defect(
        path, text, family, release_in(version), kept_sign(text, str(path)), request, _without(text)
    )


def files_in(paths: Sequence[Path], table: Path | None = None) -> list[tuple[str, Path]]:
    """The files of defects: those given, the folders of buckets, and the traces and scripts in other
    folders. Each has a name: its path as seen from the folder of `table`, without a table as it is
    given. Raises InputError.
    """
    base = None if table is None else table.absolute().parent
    found = []
    for path in paths:
        files = [path] if not path.is_dir() or is_bucket(path) else _kept(path)
        if not files:
            raise InputError("no trace or script is in this folder", file=str(path))
        for file in files:
            name = str(file) if base is None else os.path.relpath(file.absolute(), base)
            found.append((name, file))
    return found


def defects_of(
    files: Sequence[tuple[str, Path]], solver: str, wrapper: str | None
) -> tuple[list[tuple[str, Defect]], list[InputError]]:
    """The defects in the named files, and what is wrong with files that cannot be read. Defects of
    other solvers than `solver` are left out where that is not empty. Raises InputError where all
    files could be read and none is of the solver.
    """
    found, errors = [], []
    for name, file in files:
        try:
            defect = read_defect(file, solver, wrapper)
        except InputError as error:
            errors.append(error)
            continue
        if not solver or defect.solver == solver_of(solver):
            found.append((name, defect))
    if not found and not errors:
        raise InputError(f"no finding of {solver_of(solver)} is here", file=str(files[0][1]))
    return found, errors


def _kept(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.suffix in (".trace", SUFFIX))


def _without(text: str) -> str:
    """The older of the two releases that a trace compares, or the one that decides what the trace's
    solver does not; empty where it names neither.
    """
    names = header_value(text, COMPARED) or header_value(text, BASELINE)
    place = parse_target(split_names(names)[0]).release if names else ""
    return release_in(place)


def _script(path: Path, solver: str) -> str:
    if not solver:
        raise InputError("name the solver that the script is run on with --solver", file=str(path))
    text = read_text(path, "script", MAX_SCRIPT)
    return trace_of(Scripted(text, statuses_of(text)), solver_of(solver))
