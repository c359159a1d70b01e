"""Campaigns that are stopped, killed, gone on with, run twice, or out of disk."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from campaigns import children, config, found, only_bucket, run
from waiting import wait_for

from murxpy.campaign.campaign import Campaign
from murxpy.errors import InputError, TargetError
from murxpy.findings.store import FILE, Store, read_buckets
from murxpy.machine.random import run_seed
from murxpy.records.events import Ended, Event, Notice, RunEnded
from murxpy.steering.seeds import Ledger

SCRIPT = """
import sys
from pathlib import Path
sys.path[:0] = [{tests!r}, {root!r}]
from campaigns import run
run(Path(sys.argv[1]), {setup!r}, time=60.0, jobs=2)
"""
TESTS = Path(__file__).parents[1]


def start(out: Path, setup: dict[str, Any]) -> subprocess.Popen[bytes]:
    """A campaign in a process of its own, after its first finding."""
    script = SCRIPT.format(tests=str(TESTS / "support"), root=str(TESTS.parent), setup=setup)
    process = subprocess.Popen([sys.executable, "-c", script, str(out)])
    wait_for(lambda: (out / FILE).is_file() and _stored(out))
    return process


def _stored(out: Path) -> bool:
    try:
        return bool(read_buckets(out))
    except (InputError, sqlite3.Error):  # it is being made
        return False


def seeds(store: Store) -> list[tuple[str, int, int]]:
    """All findings in the store."""
    return [row for bucket in store.buckets() for row in store.rows(bucket.key)]


def check_counts(out: Path) -> None:
    """The store's counts agree with its rows, and each row's seed is that of its run."""
    store = Store(out, read_only=True)
    rows = seeds(store)
    assert sum(bucket.count for bucket in store.buckets()) == len(rows) == len(set(rows))
    assert all(seed == run_seed(1, index) for _, index, seed in rows)
    store.close()


def test_killed_supervisor_takes_all_with_it_and_goes_on(tmp_path: Path) -> None:
    process = start(tmp_path, {"every": {"segfault": 10}, "idle": 0.002})
    process.kill()
    process.wait()
    wait_for(lambda: not children(process.pid))
    check_counts(tmp_path)
    before = read_buckets(tmp_path)[0].count
    campaign, _ = run(tmp_path, {"every": {"segfault": 10}}, runs=50, seed=None)
    assert campaign.seed == 1
    assert only_bucket(campaign).state == "confirmed"
    assert only_bucket(campaign).count >= before
    check_counts(tmp_path)


def test_findings_of_a_killed_session_count_as_new_in_the_next(tmp_path: Path) -> None:
    """The killed session gave no exit code, so that a script which starts it again saw none."""
    process = start(tmp_path, {"every": {"segfault": 10}, "idle": 0.002})
    wait_for(lambda: read_buckets(tmp_path)[0].state == "confirmed")
    process.kill()
    process.wait()
    codes, told = [], []
    for _ in range(2):
        _, events = run(tmp_path, {}, runs=3, seed=None)
        assert isinstance(events[-1], Ended)
        codes.append((events[-1].exit_code, events[-1].late))
        assert not any(event.new for event in found(events))  # an event of the killed one said it
        told += [event.text for event in events if isinstance(event, Notice)]
    assert codes == [(1, 1), (0, 0)]
    assert told == [
        "the last session in this folder did not end by itself; what it was the first to find "
        "counts as new now (1 bucket)"
    ]


def test_interrupt_ends_in_good_order(tmp_path: Path) -> None:
    process = start(tmp_path, {"every": {"segfault": 10}, "idle": 0.002})
    process.send_signal(signal.SIGINT)
    assert process.wait(100) == 0
    assert not children(process.pid)
    check_counts(tmp_path)


@pytest.mark.parametrize("victim", ["worker", "parent"])
def test_killed_process_is_replaced(victim: str, tmp_path: Path) -> None:
    killed: list[int] = []

    def kill(campaign: Campaign, event: Event) -> None:
        if isinstance(event, RunEnded) and not killed and event.seed == run_seed(1, 20):
            mine = children(os.getpid())
            parent = min(mine)
            killed.append(
                parent if victim == "parent" else next(pid for pid in mine if pid != parent)
            )
            os.kill(killed[0], signal.SIGKILL)

    campaign, events = run(tmp_path, {"idle": 0.005}, kill, runs=60, jobs=2)
    ended = [event.seed for event in events if isinstance(event, RunEnded)]
    assert killed and sorted(ended) == sorted(run_seed(1, index) for index in range(60))
    assert not campaign.buckets


def test_same_runs_with_any_number_of_workers_and_sessions(tmp_path: Path) -> None:
    setup = {"every": {"segfault": 5, "exception": 7}}
    whole, _ = run(tmp_path / "whole", setup, runs=60, jobs=1)
    for runs in (13, 30, 17):
        pieces, _ = run(tmp_path / "pieces", setup, runs=runs, jobs=2)
    assert {bucket.key: bucket.count for bucket in whole.buckets} == {
        b.key: b.count for b in pieces.buckets
    }
    one, two = (Store(tmp_path / name, read_only=True) for name in ("whole", "pieces"))
    assert sorted(seeds(one)) == sorted(seeds(two))
    assert one.counters() == {**two.counters(), "worker:lost": one.counters()["worker:lost"]}


def test_interrupted_runs_are_done_later(tmp_path: Path) -> None:
    first: list[int] = []

    def stop(campaign: Campaign, event: Event) -> None:
        if isinstance(event, RunEnded):
            first.append(event.seed)
            if len(first) == 7:
                campaign.stop()

    run(tmp_path, {"idle": 0.01}, stop, jobs=2)
    _, events = run(tmp_path, {}, runs=20, jobs=1)
    second = [event.seed for event in events if isinstance(event, RunEnded)]
    done = {*first, *second}
    assert len(done) == len(first) + len(second)
    assert {run_seed(1, index) for index in range(20)} <= done


def test_two_campaigns_on_one_folder(tmp_path: Path) -> None:
    campaign = iter(Campaign(config(tmp_path, {"idle": 0.01})))
    next(campaign)
    with pytest.raises(InputError, match=r"another process .* writes to this folder") as caught:
        run(tmp_path, {}, runs=1)
    assert caught.value.exit_code == 2 and "\n" not in str(caught.value)
    campaign.close()
    run(tmp_path, {}, runs=1)


def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        run(tmp_path / "file", {}, runs=1)


def test_other_seed_is_refused(tmp_path: Path) -> None:
    run(tmp_path, {}, runs=1)
    with pytest.raises(InputError, match="has seed 1, not 2"):
        run(tmp_path, {}, runs=1, seed=2)


@pytest.mark.parametrize(
    "setup, message",
    [
        ({"error": "no such solver; install it"}, "target 'fake': no such solver; install it"),
        (
            {"session": "nowhere:Session"},
            "target 'fake': the solver cannot be loaded: ModuleNotFoundError",
        ),
        ({"die": "abort"}, "the process that loads the solver ended \\(signal SIGABRT\\)"),
        ({"die": "exit"}, "the process that loads the solver ended \\(exit code 3\\)"),
    ],
)
def test_solver_that_cannot_be_loaded(setup: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(TargetError, match=message) as caught:
        run(tmp_path, setup, runs=1)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("killings", [2, 3])
def test_a_process_that_is_killed_while_it_loads_the_solver_is_started_again(
    killings: int, tmp_path: Path
) -> None:
    setup = {"killed-loading": killings, "once": str(tmp_path / "killed")}
    if killings == 2:
        _, events = run(tmp_path / "out", setup, runs=3)
        assert events[-1].snapshot.runs == 3
        return
    with pytest.raises(TargetError, match=r"loads the solver ended \(signal SIGKILL\)"):
        run(tmp_path / "out", setup, runs=3)


def test_known_bugs_are_counted_apart(tmp_path: Path) -> None:
    campaign, events = run(tmp_path, {"every": {"segfault": 5}}, runs=30, known=("crash-*-fake-*",))
    bucket = only_bucket(campaign)
    assert bucket.known and bucket.count == len(found(events)) > 1
    assert not bucket.traces and not (tmp_path / "findings").exists()
    assert events[-1].exit_code == 0
    assert all(event.known for event in found(events))


def test_campaign_ends_at_first_finding_and_at_its_time(tmp_path: Path) -> None:
    _, events = run(tmp_path / "first", {"every": {"abort": 5}}, first=True)
    assert events[-1].reason == "first finding" and events[-1].exit_code == 1
    _, events = run(tmp_path / "time", {"idle": 0.01}, time=0.3)
    assert events[-1].reason == "time limit" and 0.3 <= events[-1].snapshot.elapsed < 2


def test_ledger_hands_out_each_index_once() -> None:
    ledger = Ledger(7, (3, 5), limit=4)
    assert [ledger.take() for _ in range(5)] == [3, 5, 7, 8, None]
    ledger.give_back(5)
    ledger.done(3)
    assert (ledger.next, ledger.open()) == (9, [5, 7, 8])
    assert ledger.take() == 5
    for index in (5, 7, 8):
        ledger.done(index)
    assert ledger.exhausted and ledger.open() == []


TELLING = """
import sys
from pathlib import Path
sys.path[:0] = [{tests!r}, {root!r}]
from campaigns import run
from murxpy.records.events import Found
def tell(campaign, event):
    if isinstance(event, Found):
        # in one write, which no kill can tear
        print(f"{{event.bucket}} {{event.new}}\\n", end="", flush=True)
run(Path(sys.argv[1]), {setup!r}, tell, time=60.0, jobs=2)
"""


def test_a_bucket_is_told_as_new_once_at_most_over_killed_sessions(tmp_path: Path) -> None:
    """Sessions are killed when they tell of a finding, or a little later."""
    faults = ("segfault", "abort+x", "exception", "segfault+y", "exit")
    setup = {"every": dict.fromkeys(faults, 12), "idle": 0.002}
    script = TELLING.format(tests=str(TESTS / "support"), root=str(TESTS.parent), setup=setup)
    told: Counter[str] = Counter()

    def read(line: str) -> None:
        key, new = line.split()
        told[key] += new == "True"

    for session in range(4):
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        for _ in range(session % 3 + 1):
            read(process.stdout.readline())
        time.sleep(0.02 * session)
        process.kill()
        for line in process.stdout:
            read(line)
        process.wait()
    campaign, events = run(tmp_path, setup, runs=200, seed=None)
    for event in found(events):
        told[event.bucket] += event.new
    assert len(campaign.buckets) == len(faults)
    counts = [told[bucket.key] for bucket in campaign.buckets]
    # A kill between the write of a batch to the store and its lines of output loses these lines, which
    # may be of several buckets, and never a finding.
    assert max(counts) == 1
