"""Keeping what a search finds as findings: buckets with traces, which every other command takes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from murxpy.campaign.behind.process import bisected
from murxpy.campaign.behind.requests import Request as Bisection
from murxpy.data import load_catalogue
from murxpy.errors import FolderLost, InputError
from murxpy.findings.archive import Archive
from murxpy.findings.buckets import Known
from murxpy.findings.folder import Folder
from murxpy.findings.replayed import replay_trace
from murxpy.findings.scripted import Scripted, trace_of
from murxpy.findings.store import Store, TargetState
from murxpy.judging.cross_check import finding_of
from murxpy.judging.judged_solver import JudgedSolver
from murxpy.judging.operators import judge_plans
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.trace.finished import add_header
from murxpy.machine.witnesses import unknowns
from murxpy.machine.witnesses.slowness import KIND, REFERENCE, marked
from murxpy.processes.environments import Notice, installed
from murxpy.processes.handles import Job
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request
from murxpy.processes.targets import Plan, absolute_target
from murxpy.records.finding import Finding
from murxpy.studies.performance.minimizing import Measured, mark_of, plain
from murxpy.studies.performance.solvers import Solver, Weight, cost_rows, differ

COSTS = "costs.json"  # in the folder of a bucket
_BEHIND = 2  # times what a script may cost: the limit of a replay
_WALL = 60.0  # seconds of a replay
# times the limit of a query: that of a judge, whose units are those of all theories together
_JUDGE = 4.0


class Keeper:
    """Keeps findings of `solvers` in a folder: the first `targets` of them are the targets, the others
    the references. `wrapper` is that of the user, for its solver.
    """

    def __init__(
        self,
        folder: Folder,
        solvers: Sequence[Solver],
        targets: int,
        wrapper: str | None,
        notice: Notice,
    ) -> None:
        self._folder, self._notice = folder, notice
        self._solvers, self._targets = solvers, solvers[:targets]
        self._catalogue = build_catalogue(load_catalogue())
        self._request = Request(tuple(one.name for one in self._targets), wrapper=wrapper)
        self._store = Store(folder.path)
        self._archive = Archive(folder, self._store, Known(()), notice)
        judges = [absolute_target(one.name) for one in solvers[targets:]]
        asked = {"request": self._request.recorded(), "judges": judges}
        self._archive.session(time.time(), asked)

    def keep_slow(
        self, solver: Solver, script: str, rows: Sequence[Measured], cause: str, step: int
    ) -> Finding | None:
        """Keep a script on which a target is slow; `rows` are its own measurements and those of the
        references. The result is None if a replay of its trace does not show that, because the solver
        counts less there.
        """
        bound = mark_of(rows[0], rows[1:], solver.per_ms)
        text = marked(script, REFERENCE, bound, cause)
        found = self._replayed(solver, text, _BEHIND * bound)
        if found is None or found.verdict.kind != KIND:
            return None
        self._keep(found, solver, step)
        costs = json.dumps(plain(rows), indent=1) + "\n"
        self._folder.write(f"findings/{found.bucket}/{COSTS}", costs)
        return found

    def keep_death(self, solver: Solver, script: str, limit_ms: float, step: int) -> Finding | None:
        """Keep a script that crashes a solver. The result is None if a replay of its trace does not
        show that.
        """
        found = self._replayed(solver, script, int(limit_ms * solver.per_ms))
        if found is not None:
            self._keep(found, solver, step)
        return found

    def keep_given_up(
        self, solver: Solver, script: str, weights: Sequence[Weight], limit_ms: float, step: int
    ) -> Finding | None:
        """Keep a script on which a target gives up and that all references decide, and of the first one
        of a bucket what it cost each solver: `weights` are those of all targets and then of the
        references. The result is None if a replay of its trace does not show that, or if the solver
        documents that it may give up.
        """
        family, other = solver.family, self._solvers[len(self._targets)]
        asks = unknowns.REASON in self._catalogue.dialect(family).commands
        named = unknowns.within(
            f"{other.family} {other.version}", max(1, int(limit_ms * other.per_ms))
        )
        text = unknowns.marked(script, asks, baseline=named)
        expected = (weights[len(self._targets)].answer,)
        trace = trace_of(Scripted(text, expected, int(limit_ms * solver.per_ms)), _named(solver))
        trace = add_header(trace, f"# {unknowns.BASELINE} {absolute_target(other.name)}\n")
        found = replay_trace(self._plan(solver), trace, "trace", wall=_WALL).found
        if found is None or found.verdict.kind != unknowns.KIND:
            return None
        found = found.settled(True)
        first = found.bucket not in self._archive.buckets
        self._keep(found, solver, step)
        if first:
            costs = json.dumps(cost_rows(self._solvers, weights), indent=1) + "\n"
            self._folder.write(f"findings/{found.bucket}/{COSTS}", costs)
        return found

    def keep_opposite(
        self, texts: Mapping[str, str], weights: Sequence[Weight], limit_ms: float, step: int
    ) -> Finding | None:
        """Keep a script to which two solvers give opposite answers, with what can be found out about
        who is wrong. `texts` are the script by dialect. The result is None if the answers are not
        opposite again.
        """
        said = [(one, w) for one, w in zip(self._solvers, weights, strict=False) if w.decided]
        main = said[0][0]
        opposite = next(one for one, weight in said if differ([said[0][1], weight]))
        rest = [one for one in self._solvers if one not in (main, opposite)]
        asked = [main, opposite, *rest]
        trace = _trace(main, texts[main.family], int(limit_ms * main.per_ms))
        limits = Limits(wall=_WALL, judge_ms=_JUDGE * limit_ms)
        judges = judge_plans([one.name for one in asked[1:]], self._request)
        with closing(JudgedSolver(self._plan(main), judges, limits)) as solver:
            outcome, case = solver.cross_checked(trace)
            if case is None:
                return None
            job, buckets = Job(step, _WALL), list(self._archive.buckets.values())
            solved = solver.investigated(case)
            found = finding_of(solver.solvers, case, solved, job, outcome, buckets)
        self._keep(found, asked[solved.on], step)
        return found

    def _replayed(self, solver: Solver, script: str, limit: int) -> Finding | None:
        trace = _trace(solver, script, limit)
        found = replay_trace(self._plan(solver), trace, "trace", wall=_WALL).found
        return None if found is None else found.settled(True)

    def _plan(self, solver: Solver) -> Plan:
        (plan,) = judge_plans((solver.name,), self._request)
        return plan

    def _keep(self, found: Finding, writer: Solver, step: int) -> None:
        """Keep a finding whose trace the solver `writer` wrote, which may be a reference."""
        target, judge = (writer, None) if writer in self._targets else (self._targets[0], writer)
        found = replace(
            found,
            target=target.number,
            judge=None if judge is None else judge.number,
            job=replace(found.job, seed=step, index=step),
        )
        self._archive.count(found, target.name, time.time())
        self._archive.keep(found)
        self._archive.settle(found)
        if found.triage:
            self._archive.set_triage(found)
        states = [TargetState(one.name, one.family, one.version) for one in self._targets]
        try:
            self._archive.flush(states)
        except FolderLost as lost:
            raise self._archive.rescue(lost) from lost

    def since(self, found: Finding, solver: Solver, watch: Callable[[], None]) -> str:
        """The releases that show a finding, of those in the cache; empty where none is there."""
        plan = self._plan(solver)
        releases = installed(plan.setup["wrapper"])
        if not releases:
            return ""
        kept = self._archive.buckets[found.bucket].smallest()
        assert kept is not None
        file = str(Path(self._folder.path, kept.file))
        asked = Bisection(found.bucket, KIND, "", file, 0, False, releases=releases)
        try:
            return bisected(asked, plan, watch).releases
        except InputError as error:
            self._notice(f"{found.bucket}: {error.reason}")
            return ""

    def close(self) -> None:
        """Close the database."""
        self._store.close()


def _trace(solver: Solver, script: str, limit: int) -> str:
    """The trace in which a solver runs a script with a limit in its own units."""
    return trace_of(Scripted(script, (), limit), _named(solver))


def _named(solver: Solver) -> str:
    return f"{solver.family} {solver.version}"
