"""Which limits the runs of a mix get: those of its walks, and those of its mutants."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from campaigns import config
from pytest import MonkeyPatch

from murxpy.campaign import slots as module
from murxpy.campaign.asked import CampaignOptions, asked
from murxpy.campaign.runs import FuzzedTarget, Runs
from murxpy.campaign.slots import Slots
from murxpy.fuzzers.setups import Mutation
from murxpy.processes.handles import Job
from murxpy.processes.limits import Limits
from murxpy.sources.mutation.registry import API
from murxpy.steering.seeds import Ledger, Steering

SEED = ["a.smt2", "(declare-const x Int)(assert (> x 0))(check-sat)", "sat"]
RUNS = 40


class Replays:
    """Takes so many jobs, and does none."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def room(self, group: Any) -> bool:
        return len(self.jobs) < RUNS

    def submit(self, jobs: tuple[Job, ...], group: Any, done: Any) -> Any:
        self.jobs += jobs
        return SimpleNamespace(worker=None)


def jobs(monkeypatch: MonkeyPatch, out: Path, runs: Runs) -> list[Job]:
    """The jobs of a campaign, whose runs are not made in blocks."""
    monkeypatch.setattr(
        module, "Trials", lambda replays: SimpleNamespace(feed=lambda: None, busy=False)
    )
    limits = Limits(wall=2.0, by_line=True, call=0.125)
    fuzzed, replays = FuzzedTarget("z3", "z3", "1", runs), Replays()
    given: Any = (config(out, {}, limits=limits), [fuzzed], replays, None, None, None, None)
    slots = Slots(*given, lambda: False)
    slots._in_stretches = False
    slots.feed()
    return replays.jobs


def test_a_walk_of_a_mix_has_the_limits_of_a_walk(monkeypatch: MonkeyPatch, tmp_path: Path) -> None:
    """A call that takes two seconds ends a walk after an eighth of a second, and a mutant later."""
    setup: Any = {"seeds": [SEED], "mix": [[API, 1.0], ["opfuzz", 1.0]], "walk": 5, "budget": None}
    runs = Runs(1, Ledger(), Steering(1, setup))
    found = {
        (runs.source_of(job.seed), job.by_line, job.call)
        for job in jobs(monkeypatch, tmp_path, runs)
    }
    assert found == {(API, False, 0.125), ("opfuzz", True, 0.0)}


def test_a_campaign_of_walks_has_the_same_limits(monkeypatch: MonkeyPatch, tmp_path: Path) -> None:
    runs = Runs(1, Ledger(), None)
    assert {(job.by_line, job.call) for job in jobs(monkeypatch, tmp_path, runs)} == {
        (False, 0.125)
    }


def test_the_limit_of_a_call_is_there_for_the_walks_of_a_mix(tmp_path: Path) -> None:
    mutation = Mutation(((API, 1.0), ("enumerate", 1.0)), ())
    limits = asked(("z3",), CampaignOptions(out=tmp_path), mutation).limits
    assert (
        limits.by_line
        and limits.call == asked(("z3",), CampaignOptions(out=tmp_path)).limits.call > 0
    )
