"""Keeping slow scripts as findings: buckets with traces, which every other command takes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from murxpy.campaign.aftermath.bisecting import bisected, installed
from murxpy.campaign.aftermath.requests import Request as Bisection
from murxpy.campaign.finding import Finding
from murxpy.campaign.findings.archive import Archive
from murxpy.campaign.findings.buckets import Known
from murxpy.campaign.findings.folder import Folder
from murxpy.campaign.findings.replayed import replay_trace
from murxpy.campaign.findings.store import Store, TargetState
from murxpy.campaign.performance.confirming import Measured, plain
from murxpy.campaign.performance.minimizing import FACTOR, FASTEST, SECOND
from murxpy.campaign.performance.solvers import Solver
from murxpy.campaign.reduction.scripted import Scripted, trace_of
from murxpy.campaign.workers.plans import Request, make_plans
from murxpy.errors import InputError
from murxpy.machine.witnesses.slowness import KIND, REFERENCE, marked
from murxpy.releases.environments import Notice

COSTS = "costs.json"  # in the folder of a bucket
_BEHIND = 2  # times what a script may cost: the limit of a replay
_WALL = 60.0  # seconds of a replay


class Keeper:
    """Keeps findings in a folder. `wrapper` is that of the user, for the targets of its solver."""

    def __init__(self, folder: Folder, wrapper: str | None, notice: Notice) -> None:
        self._folder, self._wrapper, self._notice = folder, wrapper, notice
        self._store = Store(folder.path)
        self._archive = Archive(folder, self._store, Known(()), notice)

    def keep(
        self, solver: Solver, script: str, rows: Sequence[Measured], cause: str, step: int
    ) -> Finding | None:
        """Keep a script on which a target is slow. None where a replay of its trace does not show that,
        because what the solver counts there is less.
        """
        reference = max([FASTEST, *[row.counted for row in rows[1:]]])
        bound = int(max(SECOND, FACTOR * reference) * solver.per_ms)
        text = marked(script, REFERENCE, bound, cause)
        trace = trace_of(Scripted(text, (), _BEHIND * bound), f"{solver.family} {solver.version}")
        request = Request((solver.name,), wrapper=self._wrapper)
        (plan,) = make_plans(request, self._notice)
        found = replay_trace(plan, trace, "trace", wall=_WALL).found
        if found is None or found.verdict.kind != KIND:
            return None
        found = replace(found, job=replace(found.job, seed=step, index=step)).settled(True)
        self._archive.count(found, solver.name, time.time())
        self._archive.keep(found)
        self._archive.settle(found)
        self._folder.write(
            f"findings/{found.bucket}/{COSTS}", json.dumps(plain(rows), indent=1) + "\n"
        )
        states = [TargetState(solver.name, solver.family, solver.version)]
        self._archive.note(request=request.recorded())
        if not self._archive.flush(states):
            self._notice(self._archive.unkept())
        return found

    def since(self, found: Finding, solver: Solver, watch: Callable[[], None]) -> str:
        """The releases that show a finding, of those in the cache; empty where none is there."""
        (plan,) = make_plans(Request((solver.name,), wrapper=self._wrapper), self._notice)
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
