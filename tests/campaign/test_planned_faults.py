"""Faults of many kinds, planned by the seeds of their runs: a campaign tells each once, when it is
stored; and the bench that counts them sees what is wrong in a folder.
"""

from __future__ import annotations

import importlib.util
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest

from murxpy.campaign.campaign import Campaign
from murxpy.machine.random import run_seed
from murxpy.processes.limits import MIB, Limits
from murxpy.records.config import CampaignConfig
from murxpy.records.events import Event, Found

BENCH = Path(__file__).parents[2] / "bench"
FAKES = Path(__file__).parents[1] / "fakes"
WEIGHTS = {
    "segfault": 1,
    "exit": 1,
    "stderr": 1,
    "exception": 5,
    "wrong-sat": 5,
    "wrong-unsat": 5,
    "wrong-model": 5,
}
RUNS = 60


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The bench as a module. Its name is also that of one of the fakes."""
    for folder in (BENCH, FAKES):
        monkeypatch.syspath_prepend(str(folder))
    spec = importlib.util.spec_from_file_location("bench_faults", BENCH / "faults.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "bench_faults", module)
    spec.loader.exec_module(module)
    return module


def stored(out: Path, event: Found) -> int:
    with closing(sqlite3.connect(f"file:{out}/campaign.sqlite?mode=ro", uri=True)) as db:
        found = db.execute(
            "SELECT COUNT(*) FROM findings WHERE bucket = ? AND run = ?",
            (event.bucket, event.finding.job.index),
        )
        count: int = found.fetchone()[0]
        return count


def damage(out: Path, statement: str) -> None:
    with closing(sqlite3.connect(out / "campaign.sqlite")) as db:
        db.execute(statement)
        db.commit()


@pytest.mark.usefixtures("bare_findings")
def test_each_finding_is_told_once_when_it_is_stored(bench: ModuleType, tmp_path: Path) -> None:
    target = bench.planned(14, WEIGHTS)
    limits = Limits(wall=20.0, memory=300 * MIB)
    options = CampaignConfig(
        (target,), tmp_path, seed=3, runs=RUNS, jobs=2, limits=limits, backtrace=False
    )
    events: list[Event] = []
    for event in Campaign(options):
        events.append(event)
        if isinstance(event, Found):
            assert stored(tmp_path, event) == 1
    told = bytearray(RUNS)
    for found in [event for event in events if isinstance(event, Found)]:
        told[found.finding.job.index] += 1
    plan = bench.Faults(14, WEIGHTS)

    def compared() -> tuple[bool, int, int, int]:
        result = bench.compare(tmp_path, plan, 3, RUNS, told)
        return result.fine, result.lost.total(), result.double.total(), result.misfiled.total()

    assert compared() == (True, 0, 0, 0)
    kinds = {plan.of(run_seed(3, index)).kind for index in range(RUNS)}
    assert kinds == set(WEIGHTS)

    damage(tmp_path, "UPDATE findings SET bucket = (SELECT max(key) FROM buckets) WHERE run = 1")
    assert compared() == (False, 0, 0, 1)
    damage(tmp_path, "DELETE FROM findings WHERE run = 1")
    assert compared() == (False, 1, 0, 0)
    damage(
        tmp_path,
        "INSERT INTO findings SELECT bucket, 'other', run, seed, version, lines, damp, time "
        "FROM findings WHERE run = 2",
    )
    assert compared() == (False, 1, 1, 0)
