"""The triage of a campaign's folder: which solver is wrong in each disagreement and in each invalid
model. Solvers are asked again where the triage is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from murxpy.data import importable_names, is_same_solver
from murxpy.errors import InputError, MurxpyError
from murxpy.findings.bucket_names import is_bucket
from murxpy.findings.buckets import Bucket
from murxpy.findings.folder import Folder
from murxpy.findings.origin import origin
from murxpy.findings.store import Changes, Store
from murxpy.judging.disagreement import (
    evaluated,
    header_judges,
    operators,
    options,
    small_trace_data,
)
from murxpy.judging.judged_solver import JudgedSolver
from murxpy.judging.operators import judge_plans
from murxpy.judging.solvers import Solvers
from murxpy.machine.trace.grammar import parse_trace, read_trace
from murxpy.oracles.disagreement import (
    KIND,
    GivenAnswer,
    ModelEvaluation,
    Triage,
    answers_of,
    last_answer,
    triage_model,
)
from murxpy.processes.inquiries import Ask, Questions
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request, make_plans, usable_request
from murxpy.solvers.exceptions import INVALID_MODEL

KINDS = (KIND, INVALID_MODEL)


@dataclass(frozen=True, slots=True)
class TriagedBucket:
    """A bucket with its triage. `why` says why there is no triage. `same` is another bucket that is
    probably the same defect.
    """

    bucket: Bucket
    triage: dict[str, Any] = field(default_factory=dict)
    why: str = ""
    same: str = ""


def triaged(
    out: Path, judges: Sequence[str] = (), again: bool = False, limits: Limits | None = None
) -> list[TriagedBucket]:
    """The disagreements and invalid models of the campaign in `out`, or those of one of its buckets
    in the folder `out`, with their triage. A missing triage is made and stored.

    If a trace names no judges, `judges` are asked; by default, these are all other solvers that
    have a wrapper and can be loaded. `again` repeats every triage. Raises InputError where there
    is no campaign.
    """
    limits = limits or Limits()
    only = out.absolute().name if is_bucket(out) else ""
    out = out.absolute().parent.parent if only else out
    with closing(Store(out, read_only=True)) as store:
        buckets = [b for b in store.buckets() if b.kind in KINDS and only in ("", b.key)]
    judged = [
        TriagedBucket(b, b.triage) if b.triage and not again else _ask(out, b, judges, limits)
        for b in buckets
    ]
    fresh = [entry for entry in judged if entry.triage and entry.triage is not entry.bucket.triage]
    for entry in fresh:
        entry.bucket.triage = entry.triage
    if fresh:
        _save(out, [entry.bucket for entry in fresh])
    return [replace(entry, same=_same(entry, judged)) for entry in judged]


def _save(out: Path, buckets: list[Bucket]) -> None:
    """Store the triage, unless a campaign writes to the folder: it would overwrite the triage."""
    try:
        folder = Folder(out)
    except InputError:
        return
    with closing(folder), closing(Store(out)) as store:
        store.save(Changes(buckets=buckets))


def _same(entry: TriagedBucket, others: Sequence[TriagedBucket]) -> str:
    """A bucket in which the same solver is wrong, and whose operators and options are some of those
    of this bucket.
    """
    for other in others:
        alike = all(entry.triage.get(key) == other.triage.get(key) for key in ("said", "culprit"))
        if (
            other is not entry
            and entry.triage
            and alike
            and _parts(other) < _parts(entry)
            and _parts(other)
        ):
            return other.bucket.key
    return ""


def _parts(entry: TriagedBucket) -> set[str]:
    return {*entry.triage.get("operators", ()), *entry.triage.get("options", ())}


def _ask(out: Path, bucket: Bucket, judges: Sequence[str], limits: Limits) -> TriagedBucket:
    kept = bucket.smallest()
    if kept is None:
        return TriagedBucket(bucket, bucket.triage, "the bucket keeps no trace")
    file = out / kept.file
    try:
        text = read_trace(file)
        trace = parse_trace(text, str(file))
        source = origin(file)
        request = source.of_traces() if source is not None else Request((trace.solver,))
        (plan,) = make_plans(usable_request(request, file))
        names = header_judges(trace) or tuple(judges) or other_solvers(plan.target.family)
        with closing(JudgedSolver(plan, judge_plans(names), limits)) as solver:
            return TriagedBucket(
                bucket,
                _disagreement(solver, text)
                if bucket.kind == KIND
                else solver.answer(_model(solver.solvers, text)),
            )
    except MurxpyError as error:
        return TriagedBucket(bucket, bucket.triage, str(error))


def other_solvers(family: str) -> tuple[str, ...]:
    """The solvers with a wrapper, without the one of `family`."""
    return tuple(name for name in importable_names() if not is_same_solver(name, family))


def _disagreement(solver: JudgedSolver, text: str) -> dict[str, Any]:
    _, case = solver.cross_checked(text)
    if case is None:
        raise InputError(
            f"the disagreement does not show again: {' and '.join(solver.solvers.releases)} agree"
        )
    solved = solver.investigated(case)
    if not solved.shown:
        raise InputError(f"the disagreement does not show each time: {solved.note}")
    return {**solved.triage.data(), "said": solved.triage.culprit, **small_trace_data(solved)}


def _model(solvers: Solvers, text: str) -> Questions[dict[str, Any]]:
    """See whether a solver whose model makes an assertion false is also wrong about its
    answer sat.
    """
    outcome = yield Ask(0, text)
    line, answer = last_answer(outcome.trace)
    side = GivenAnswer(solvers.name(0), solvers.releases[0], "main", answer)
    counted = evaluated(outcome)
    models = [ModelEvaluation(solvers.name(0), solvers.releases[0], *counted)] if counted else []
    answers: list[GivenAnswer] = []
    for at in range(1, len(solvers.plans)):
        judged = yield Ask(at, outcome.trace, solvers.settings(0, at))
        there = [now for number, _, now in answers_of(judged.report) if number == line]
        answers += [
            GivenAnswer(solvers.name(at), solvers.releases[at], "judge", now) for now in there
        ]
    verdict: Triage = triage_model(side, models, answers)
    script = tuple(parse_trace(text, "trace").lines)
    left = {
        "operators": list(operators(script)),
        "options": list(options(script)),
        "whole": text.count("\n"),
    }
    return {**verdict.data(), "said": verdict.culprit, **left}
