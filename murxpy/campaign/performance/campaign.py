"""A campaign of searches for slow scripts: its folder, its limits of time, and what it tells."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from murxpy.campaign.findings.folder import Folder
from murxpy.campaign.performance.agents import Agents
from murxpy.campaign.performance.journal import Journal, weights_in
from murxpy.campaign.performance.search import Attempt, Plan, Search
from murxpy.campaign.performance.solvers import Solvers
from murxpy.campaign.workers.limits import Limits
from murxpy.data import load_catalogue, load_machine
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.distributions import Settings
from murxpy.releases.environments import Notice
from murxpy.trees.scripts import Garden
from murxpy.trees.shape import Shape


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is searched, in the user's words: scripts of `shape` on which the targets are slower than
    the references. A query costs at most `query_ms` milliseconds of a usual machine.
    """

    targets: tuple[str, ...]
    references: tuple[str, ...]
    shape: Shape
    seed: int
    query_ms: float = 5000.0
    stale: int = 300
    learning: bool = True
    wrapper: str | None = None

    def about(self, versions: Mapping[str, str]) -> dict[str, Any]:
        """What the search depends on, as plain data."""
        return {
            "targets": [f"{name} {versions[name]}" for name in self.targets],
            "references": [f"{name} {versions[name]}" for name in self.references],
            "shape": self.shape.plain(),
            "seed": self.seed,
            "query-ms": self.query_ms,
            "stale": self.stale,
            "learning": self.learning,
        }


def garden_of(shape: Shape, seed: int, dialects: Sequence[str]) -> Garden:
    """The maker of the scripts of a shape, with the theories and literals that are shipped. Raises
    InputError.
    """
    catalogue = build_catalogue(load_catalogue())
    return Garden(shape, catalogue, Settings(load_machine("default"), {}), seed, dialects)


@dataclass
class Told:
    """How far a campaign is."""

    steps: int = 0
    rounds: int = 0
    best: float = 0.0
    late: int = 0
    refused: int = 0


class PerfCampaign:
    """Searches until it is told to stop, and keeps everything in the folder `out`. `watch` is told of
    each step.
    """

    def __init__(
        self,
        wanted: Wanted,
        out: Path,
        limits: Limits,
        notice: Notice,
        watch: Callable[[Told], None],
    ) -> None:
        self._wanted, self._watch = wanted, watch
        self._folder = Folder(out)
        names = (*wanted.targets, *wanted.references)
        self._solvers = Solvers(names, wanted.shape.theories, wanted.wrapper, limits, notice)
        known = self._solvers.known
        self._journal = Journal(out, wanted.about({one.name: one.version for one in known}))
        dialects = tuple(one.family for one in known)
        garden = garden_of(wanted.shape, wanted.seed, dialects)
        agents = Agents(wanted.seed, garden.applications.operators(), learning=wanted.learning)
        plan = Plan(dialects, len(wanted.targets), wanted.query_ms, wanted.stale)
        self._search = Search(garden, plan, agents, self._solvers.weigh)
        self.told = Told()

    @property
    def versions(self) -> str:
        """The solvers with their releases."""
        return " ".join(f"{one.name} {one.version}" for one in self._solvers.known)

    def run(self, seconds: float | None, steps: int | None, stopped: Callable[[], bool]) -> Told:
        """Search for so many seconds, or until so many steps were made in all."""
        begun = time.monotonic()
        self._redo()
        while not stopped():
            if seconds is not None and time.monotonic() - begun >= seconds:
                break
            if steps is not None and self._search.number >= steps:
                break
            attempt = self._search.step()
            self._journal.step(attempt)
            self._note(attempt)
            self._end_round(write=True)
            self._watch(self.told)
        return self.told

    def _redo(self) -> None:
        """Take the steps that the journal has."""
        ended = sum("round" in entry for entry in self._journal.done())
        for entry in self._journal.done():
            if "round" not in entry:
                self._note(self._search.redo(entry["margin"], weights_in(entry), entry["spent"]))
                # a process that was killed may have noted the last step of a round alone
                self._end_round(write=self.told.rounds >= ended)

    def _note(self, attempt: Attempt) -> None:
        told = self.told
        told.steps += 1
        told.best = self._search.round.margin
        told.late += any(w.answer == "late" for w in attempt.weights)
        told.refused += any(not w.counts for w in attempt.weights)

    def _end_round(self, *, write: bool) -> None:
        search = self._search
        if not search.over:
            return
        self.told.rounds += 1
        now = search.round
        damped: list[str] = []
        if now.best is not None:
            damped = list(now.best.operators())
            for dialect, text in search.texts(now.best).items():
                self._folder.write(f"scripts/{now.step}-{dialect}.smt2", text)
        if write:
            self._journal.round({"round": self.told.rounds, "step": now.step, "margin": now.margin})
        search.next_round(damped)

    def close(self) -> None:
        """End all processes, and release the folder."""
        self._solvers.close()
        self._journal.close()
        self._folder.close()
