"""The other side of a disagreement: a model of assertions that the trace's solver calls unsat, from
a solver that answers sat to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

from murxpy.campaign.judging.common_operators import judge_plans
from murxpy.campaign.judging.disagreement import header_judges
from murxpy.campaign.judging.judged_solver import JudgedSolver
from murxpy.campaign.judging.triage import other_solvers
from murxpy.campaign.replays.inquiries import Ask, Questions
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.targets import Plan
from murxpy.errors import InputError, MurxpyError
from murxpy.logic.catalogue import Catalogue
from murxpy.oracles.disagreement import KIND, answers_of
from murxpy.replaying.judging import CHECKS
from murxpy.trace.grammar import Trace, parse_trace
from murxpy.translate.planted import under_planted
from murxpy.translate.programs.program import lifted


def refuted(plan: Plan, trace: Trace, catalogue: Catalogue, limits: Limits) -> Trace | None:
    """The trace of a disagreement with a planted model of its last check, which refutes the answer
    unsat: the model of the first judge in the header, or else of the first other solver, whose values
    make all assertions true. A script that the trace runs is told in calls.

    None where the trace does not answer unsat, or where no judge has such a model. A judge that only
    the header names is not asked.
    """
    calls = lifted(trace, catalogue, KIND) or trace
    try:
        names = header_judges(trace) or other_solvers(plan.target.family)
    except InputError:
        names = other_solvers(plan.target.family)
    at = next((k for k, row in reversed([*enumerate(calls.lines)]) if row.action in CHECKS), None)
    if at is None or ("answer", "unsat") not in _answers(calls, at):
        return None
    calls = Trace(trace.name, calls.lines, trace.header)
    rest = Trace(trace.name, calls.lines[at:]).text()
    try:
        with closing(JudgedSolver(plan, judge_plans(names), limits)) as solver:
            for judge in range(1, len(names) + 1):
                model = solver.answer(_model(solver, judge, calls.text()))
                planted = "".join(f"0 {row}\n" for row in model)
                before = replace(calls, lines=calls.lines[:at]).text()
                made = parse_trace(f"{before}{planted}{rest}", trace.name)
                if model and _true(made, catalogue):
                    return made
    except MurxpyError:
        return None
    return None


def _answers(trace: Trace, at: int) -> list[tuple[str, str]]:
    return [(name, str(words[0])) for name, words in trace.lines[at].results if words]


def _model(solver: JudgedSolver, judge: int, source: str) -> Questions[Sequence[str]]:
    """The lines `plant` of the model of a judge; none where its last answer is not sat."""
    solvers = solver.solvers.of_trace(source)
    outcome = yield Ask(judge, source, solvers.settings(0, judge, model=True, values=True))
    report = outcome.report or {}
    answered = [now for _, _, now in answers_of(report)][-1:] == ["sat"]
    return ["plant", *report.get("plants", ())] if answered and not report.get("finding") else []


def _true(trace: Trace, catalogue: Catalogue) -> bool:
    """Whether all assertions of the last check are true in the planted model."""
    try:
        _, verdicts = under_planted(trace, catalogue)
    except MurxpyError:
        return False
    return all(verdict == "true" for _, verdict in verdicts)
