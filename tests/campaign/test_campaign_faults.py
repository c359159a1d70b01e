"""Every fault of native code is found: in one bucket, of the right kind, with a trace that shows it
again.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from campaigns import children, found, only_bucket, plan, run

from murxpy.findings import collector
from murxpy.findings.collector import Confirmation
from murxpy.findings.replayed import replay_trace, walk_seeds
from murxpy.learning.guide import LAG
from murxpy.processes.limits import MIB, Limits
from murxpy.records.events import Notice, Overstayed

LIMITS = Limits(wall=20.0, memory=300 * MIB)

FAULTS = {
    "segfault": ("crash", "SIGSEGV"),
    "abort": ("abort", "SIGABRT"),
    "assertion": ("abort", "ast/fake.cpp:42: void simplify(): Assertion depth > 0 failed"),
    "terminate": (
        "abort",
        "after throwing an instance of 'fake::exception' what():  bad level 0x7f, 17",
    ),
    "exit": ("exit", "the process exited with code 3"),
    "exit-zero": ("exit", "the process exited with code 0"),
    "stack": ("crash", "SIGSEGV"),
    "memory": ("out-of-memory", "the memory limit was passed"),
    "print": ("flood", "it printed more than the limit"),
    "kill-parent": ("crash", "it killed the process that started it"),
    "close": ("crash", "it closed the descriptors of its process"),
    "spawn": ("crash", "SIGSEGV"),
    "exception": ("exception", "NameError: name 'q17' is not defined"),
    "raise": ("internal", "ZeroDivisionError: in the session (fakesession, FakeSession._commit)"),
}


CALL = ("mk-term", "OP_FAULT")


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_found_and_shows_again(fault: str, tmp_path: Path) -> None:
    campaign, events = run(tmp_path, {"every": {fault: 12}}, runs=24, jobs=2, limits=LIMITS)
    kind, message = FAULTS[fault]
    bucket = only_bucket(campaign)
    where = ("fakesession", "FakeSession._commit", "") if kind == "internal" else (*CALL, fault)
    assert (bucket.kind, bucket.state) == (kind, "confirmed")
    assert (bucket.action, bucket.operator, bucket.spelling) == where
    assert bucket.message.endswith(message)
    assert len(found(events)) == bucket.count >= 2
    assert [event.new for event in found(events)] == [True] + [False] * (bucket.count - 1)
    kept = bucket.smallest()
    assert kept is not None and kept.confirmed
    replayed = replay_trace(plan(), (tmp_path / kept.file).read_text(), kept.file, LIMITS)
    assert replayed.found is not None
    assert replayed.found.bucket == bucket.key


def counters(out: Path) -> dict[str, int]:
    """The counters that the campaign in `out` has stored."""
    with closing(sqlite3.connect(out / "campaign.sqlite")) as store:
        return dict(store.execute("SELECT name, value FROM counters"))


def test_sleep_in_a_call_is_a_statistic(tmp_path: Path) -> None:
    limits = Limits(wall=0.2)
    campaign, events = run(tmp_path, {"every": {"sleep": 6}}, runs=12, jobs=2, limits=limits)
    stays = [event for event in events if isinstance(event, Overstayed)]
    assert stays and not campaign.buckets
    assert {(stay.action, stay.operator) for stay in stays} == {("mk-term", "OP_FAULT")}
    assert events[-1].snapshot.overstayed == len(stays)
    assert events[-1].exit_code == 0


def test_a_call_that_takes_too_much_of_the_processor_ends_its_run(tmp_path: Path) -> None:
    limits = Limits(wall=60.0, call=0.2)
    campaign, events = run(tmp_path, {"every": {"spin": 4}}, runs=6, limits=limits)
    stays = [event for event in events if isinstance(event, Overstayed)]
    assert stays and not campaign.buckets
    spent = events[-1].snapshot.cpu
    assert 0.2 <= spent["killed"] <= spent["runs"] and spent["died"] == 0 < spent["supervisor"]
    assert {(stay.action, stay.operator) for stay in stays} == {("mk-term", "OP_FAULT")}


@pytest.mark.parametrize("limits", [Limits(wall=60.0, call=0.2), Limits(wall=0.2)])
def test_an_endless_recursion_is_told_although_a_limit_ends_it_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: Limits
) -> None:
    """It overflows the stack after about 0.4 s of the processor, which a busy machine may not give to it in
    four times the limit.
    """
    replayed: list[str] = []
    confirm = collector.Confirmation

    def confirming(trials: Any, wall: float, found: Any, settled: Any) -> Confirmation:
        replayed.append(found.bucket)
        return confirm(trials, wall, found, settled)

    monkeypatch.setattr(collector, "Confirmation", confirming)
    for attempt in range(3):
        out = tmp_path / str(attempt)
        replayed.clear()
        campaign, events = run(out, {"every": {"recursion": 4}}, runs=8, limits=limits)
        if campaign.buckets:
            break
    bucket = only_bucket(campaign)
    assert (bucket.kind, bucket.signal, bucket.state) == ("crash", "SIGSEGV", "confirmed")
    seeds = {event.finding.seed for event in found(events)}
    again = counters(out).get("run:again", 0)
    # a quiet machine may overflow the stack before it looks at the call for a second time
    assert len(seeds) == bucket.count and again in (0, bucket.count)
    assert len(replayed) == bucket.count - again  # the replay that died is the confirmation
    assert not [event for event in events if isinstance(event, Overstayed)]
    assert events[-1].snapshot.runs == counters(out)["run:total"] == 8


def test_a_run_that_stays_deep_in_the_stack_is_made_again_once(tmp_path: Path) -> None:
    limits = Limits(wall=60.0, call=0.2)
    setup = {"every": {"deep-spin": 4, "spin": 5}}
    campaign, events = run(tmp_path, setup, runs=8, limits=limits)
    stays = [event for event in events if isinstance(event, Overstayed)]
    again = counters(tmp_path)["run:again"]
    assert not campaign.buckets and 0 < again < len(stays) == events[-1].snapshot.overstayed
    assert events[-1].snapshot.runs == counters(tmp_path)["run:total"] == 8


def test_a_call_that_waits_takes_nothing_of_the_processor(tmp_path: Path) -> None:
    setup = {"idle": 0.3, "lines": 1}
    _, events = run(tmp_path, setup, runs=2, limits=Limits(wall=60.0, call=0.2))
    assert not [event for event in events if isinstance(event, Overstayed)]


def test_sleep_that_never_ends_is_a_hang(tmp_path: Path) -> None:
    limits = Limits(wall=0.2, hang=0.4, hang_factor=2.0)
    setup = {"every": {"sleep": 12}, "idle": 0.02}
    campaign, events = run(
        tmp_path,
        setup,
        lambda campaign, event: campaign.stop() if found([event]) else None,
        time=60.0,
        jobs=2,
        limits=limits,
    )
    bucket = only_bucket(campaign)
    assert (bucket.kind, bucket.state, bucket.count) == ("hang", "confirmed", 1)
    assert events[-1].exit_code == 0  # a hang fails only when asked for


def test_crash_that_needs_the_runs_before_keeps_them(tmp_path: Path) -> None:
    campaign, events = run(tmp_path, {"every": {"history": 10}}, runs=40)
    bucket = only_bucket(campaign)
    assert bucket.state == "confirmed"
    first = found(events)[0].finding
    assert first.confirmed and len(first.history) >= 2
    histories = list((tmp_path / "findings" / bucket.key).glob("*.history"))
    assert histories and f"{first.seed:x} " in histories[0].read_text() + histories[-1].read_text()


def test_only_one_finding_of_a_bucket_is_replayed_behind_the_runs_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replayed: list[tuple[int, int]] = []  # the run that is tested, and how many are made
    begin = Confirmation._trial

    def noted(self: Confirmation, jobs: Any) -> Any:
        replayed.append((jobs[-1].seed, len(jobs)))
        return begin(self, jobs)

    monkeypatch.setattr(Confirmation, "_trial", noted)
    campaign, events = run(tmp_path, {"every": {"history": 10}}, runs=160)
    bucket = only_bucket(campaign)
    first = found(events)[0].finding
    assert bucket.count >= 4 and bucket.tried >= 3
    assert {seed for seed, runs in replayed if runs > 1} == {first.seed}
    assert [kept.seed for kept in bucket.traces] == [first.seed]  # the others do not show it


def test_runs_isolated_from_each_other(tmp_path: Path) -> None:
    campaign, events = run(
        tmp_path,
        {"every": {"history": 2, "exception": 5}},
        runs=40,
        jobs=2,
        limits=Limits(recycle=1),
    )
    # no process does the three runs that the crash needs
    assert only_bucket(campaign).kind == "exception"
    assert events[-1].snapshot.runs == 40 and events[-1].snapshot.lost == 0


def damped_by_run(folder: Path) -> dict[int, list[list[str]]]:
    """The calls that each run with a finding damped, by the number of the run."""
    db = sqlite3.connect(folder / "campaign.sqlite")
    rows = db.execute("SELECT run, calls FROM findings JOIN damps ON damps.id = damp").fetchall()
    db.close()
    return {run: json.loads(calls) for run, calls in sorted(rows)}


def test_a_run_damps_the_same_calls_however_many_workers_and_sessions_there_are(
    tmp_path: Path,
) -> None:
    setup = {"every": {"segfault": 9, "exception": 14, "abort": 50}}
    run(tmp_path / "one", setup, runs=150, jobs=1)
    run(tmp_path / "four", setup, runs=150, jobs=4)
    for part in range(3):
        run(tmp_path / "parts", setup, runs=50, jobs=1 + part)
    damped = damped_by_run(tmp_path / "one")
    assert max(map(len, damped.values())) == 3
    assert all(not calls for run, calls in damped.items() if run < LAG)
    assert damped == damped_by_run(tmp_path / "four") == damped_by_run(tmp_path / "parts")


def test_fatal_calls_are_damped_in_later_runs(tmp_path: Path) -> None:
    run(tmp_path, {"every": {"segfault": 4}}, runs=60)
    damps = list(damped_by_run(tmp_path).values())
    assert damps[0] == [] and damps[-1] == [["mk-term", "OP_FAULT", "segfault"]]
    parts: list[str] = []
    call = ("mk-term", "OP_FAULT", "segfault")
    walk_seeds(plan(), [(5, ()), (6, (call,)), (7, (call,))], LIMITS, parts.append)
    assert f"# fake run 7\n# damped {[list(call)]}\n" in "".join(parts)
    parts.clear()
    walk_seeds(plan(), [(6, (call,)), (7, ())], LIMITS, parts.append)
    assert "damped" not in "".join(parts) and "# fake run 7\n" in "".join(parts)


def test_crash_that_no_replay_shows_is_unconfirmed(tmp_path: Path) -> None:
    setup = {"every": {"once": 5}, "once": str(tmp_path / "done")}
    campaign, events = run(tmp_path / "out", setup, runs=40)
    bucket = only_bucket(campaign)
    assert (bucket.state, bucket.count) == ("unconfirmed", 1)
    assert not found(events)[0].finding.confirmed
    assert events[-1].exit_code == 0


def test_error_that_only_the_seed_shows_is_not_said_of_the_trace(tmp_path: Path) -> None:
    campaign, events = run(tmp_path, {"every": {"drawn": 1}}, runs=1)
    bucket = only_bucket(campaign)
    (kept,) = bucket.traces
    assert (bucket.state, kept.confirmed) == ("confirmed", False)
    notes = [event.text for event in events if isinstance(event, Notice)]
    assert any("its run's seed shows it, its trace alone does not" in note for note in notes)


def test_worker_killed_by_somebody_else_is_no_finding(tmp_path: Path) -> None:
    setup = {"every": {"outside": 5}, "once": str(tmp_path / "done")}
    campaign, events = run(tmp_path / "out", setup, runs=40)
    assert not campaign.buckets
    assert events[-1].snapshot.lost == 1
    assert events[-1].snapshot.runs == 40  # its run was done again


@pytest.mark.parametrize("killings", [{}, {"killings": 4}])
def test_killed_run_that_would_crash_later_is_in_the_bucket_of_its_crash(
    killings: dict[str, int], tmp_path: Path
) -> None:
    """Killed once, the run is done again; killed again and again, what its replay shows is counted."""
    setup = {"every": {"outside": 3, "segfault": 2}, "once": str(tmp_path / "done")}
    (tmp_path / "done").write_text("....")
    quiet, _ = run(tmp_path / "quiet", setup, runs=20, damp=False)
    (tmp_path / "done").unlink()
    campaign, events = run(tmp_path / "out", {**setup, **killings}, runs=20, damp=False)
    bucket = only_bucket(campaign)
    assert (bucket.signal, bucket.state, bucket.count) == (
        "SIGSEGV",
        "confirmed",
        only_bucket(quiet).count,
    )
    assert len(found(events)) == bucket.count and events[-1].snapshot.runs == 20
    assert os.stat(tmp_path / "done").st_size >= 1
    kept = bucket.smallest()
    assert kept is not None and "@segfault" in (tmp_path / "out" / kept.file).read_text()


def test_killed_replay_does_not_confirm(tmp_path: Path) -> None:
    """The crash shows once, and its replays are killed by somebody else: that is no proof."""
    setup = {"every": {"once": 1}, "once": str(tmp_path / "done"), "killed-replays": 2}
    campaign, _ = run(tmp_path / "out", setup, runs=1)
    bucket = only_bucket(campaign)
    assert (bucket.state, bucket.signal) == ("unconfirmed", "SIGSEGV")


def test_killed_replay_is_made_again(tmp_path: Path) -> None:
    setup = {"every": {"segfault": 1}, "once": str(tmp_path / "done"), "killed-replays": 2}
    campaign, _ = run(tmp_path / "out", setup, runs=1)
    assert only_bucket(campaign).state == "confirmed"
    assert os.stat(tmp_path / "done.replays").st_size == 2


def test_nobody_is_left(tmp_path: Path) -> None:
    run(tmp_path, {"every": {"spawn": 4, "kill-parent": 12}}, runs=24, jobs=2)
    assert not children(os.getpid())


def _planted(out: Path, runs: int) -> None:
    campaign, events = run(out, {"every": {"segfault": 1}}, runs=runs, jobs=2)
    bucket = only_bucket(campaign)
    assert (
        bucket.count
        == len(found(events))
        == events[-1].snapshot.lost
        == events[-1].snapshot.runs
        == runs
    )
    assert len(list((out / "findings" / bucket.key).glob("*.trace"))) == len(bucket.traces) == 3


@pytest.mark.slow
def test_many_crashes_lose_none(tmp_path: Path) -> None:
    _planted(tmp_path, 1000)


@pytest.mark.slow
def test_ten_thousand_crashes_lose_none(tmp_path: Path) -> None:
    _planted(tmp_path, 10_000)
