"""The sums of a campaign and the figures drawn from them."""

from __future__ import annotations

import pytest
from report_demo import finding

from murxpy.campaign.statistics import Statistics
from murxpy.records.events import Found, Overstayed, RunEnded, WorkerLost


def test_counters_of_runs_are_summed() -> None:
    statistics = Statistics()
    for worker in (0, 1, 1):
        statistics.add(
            RunEnded(worker, 1, {"counts": {"run:total": 1, "answer:sat": 2, "check:decided": 3}}),
            1.0,
        )
    snapshot = statistics.snapshot(2.0)
    assert (snapshot.runs, snapshot.runs_per_second) == (3, 1.5)
    assert (snapshot.decided, snapshot.decided_per_second) == (9, 4.5)
    assert snapshot.answers == {"sat": 6, "unsat": 0, "unknown": 0, "over-limit": 0}
    assert [view.runs for view in snapshot.workers] == [1, 2]


def test_rates_are_of_the_time_with_runs() -> None:
    statistics = Statistics()
    statistics.add(RunEnded(0, 1, {"counts": {"run:total": 30, "check:decided": 60}}), 1.0)
    statistics.end_runs(10.0)
    assert [statistics.snapshot(now).runs_per_second for now in (5.0, 10.0, 30.0)] == [
        6.0,
        3.0,
        3.0,
    ]
    last = statistics.snapshot(30.0)
    assert (last.decided_per_second, last.elapsed, last.running) == (6.0, 30.0, 10.0)


def test_a_snapshot_does_not_change_later() -> None:
    statistics = Statistics()
    before = statistics.snapshot(1.0)
    statistics.add(RunEnded(0, 1, {"counts": {"run:total": 1}}), 1.0)
    assert before.runs == 0
    with pytest.raises(TypeError):
        before.counts["run:total"] = 5  # type: ignore[index]


def test_a_run_that_kills_its_worker_is_a_run() -> None:
    statistics = Statistics()
    statistics.worker(0, "z3", "running", 0xAB, 0.0)
    statistics.add(WorkerLost(0, "signal 11"), 1.0)
    statistics.add(WorkerLost(0, "signal 11"), 1.0)
    assert statistics.snapshot(1.0).runs == 1
    assert statistics.snapshot(1.0).lost == 2


def test_an_overstayed_run_counts_once_even_if_its_worker_is_lost_with_it() -> None:
    statistics = Statistics()
    statistics.worker(0, "z3", "running", 0xAB, 0.0)
    statistics.add(Overstayed(0, 0xAB, "check-sat", ""), 2.0)
    statistics.add(WorkerLost(0, "killed"), 2.0)
    snapshot = statistics.snapshot(2.0)
    assert (snapshot.runs, snapshot.overstayed, snapshot.workers[0].state) == (1, 1, "waiting")


def test_recent_rates_forget_the_past() -> None:
    statistics = Statistics()
    for second in range(1, 41):
        if second <= 20:
            statistics.add(RunEnded(0, 1, {"counts": {"run:total": 10}}), float(second))
        snapshot = statistics.snapshot(float(second))
        if second == 20:
            assert snapshot.recent_runs == pytest.approx(10.0)
    assert snapshot.recent_runs == 0.0
    assert snapshot.runs_per_second == 5.0


def test_a_bucket_keeps_its_smallest_trace_and_says_if_any_finding_was_confirmed() -> None:
    statistics = Statistics()
    large, small, larger = finding(2, 6), finding(2, 0), finding(2, 1)
    for number, found in enumerate((large, small, larger)):
        statistics.add(
            Found(found.bucket, number == 0, False, found, f"t{number}" if number < 2 else ""),
            number,
        )
    (bucket,) = statistics.snapshot(5.0).buckets
    assert (bucket.count, bucket.lines, bucket.seed, bucket.new, bucket.first) == (
        3,
        40,
        0,
        True,
        0,
    )
    assert bucket.trace == "t1"
    assert statistics.snapshot(5.0).since_new == 5.0


def test_known_bugs_are_not_new() -> None:
    statistics = Statistics()
    statistics.add(Found("k", True, True, finding(0, 1)), 1.0)
    snapshot = statistics.snapshot(2.0)
    assert (snapshot.findings, snapshot.new_buckets, snapshot.since_new) == (1, (), None)
    assert snapshot.solver_share is None
