"""Native frames from gdb, where it is installed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from campaigns import only_bucket, plan, run
from waiting import wait_for

from murxpy.cli.report.findings import sentence
from murxpy.findings.frames import HEAP, Backtraces, place
from murxpy.records.config import Budget
from murxpy.records.events import Alike, Ended


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_one_defect_behind_two_calls_is_new_once(tmp_path: Path) -> None:
    setup = {"every": {"segfault": 4, "segfault+again": 4}}
    campaign, events = run(tmp_path, setup, runs=16, backtrace=True)
    first, second = sorted(campaign.buckets, key=lambda bucket: bucket.first)
    assert [event for event in events if isinstance(event, Alike)] == [Alike(second.key, first.key)]
    (ended,) = [event for event in events if isinstance(event, Ended)]
    assert [view.key for view in ended.snapshot.new_buckets] == [first.key] and ended.exit_code == 1
    _, again = run(tmp_path, setup, runs=24, backtrace=True)
    assert Alike(second.key, first.key) in again


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_native_frames_of_a_crash(tmp_path: Path) -> None:
    campaign, _ = run(tmp_path, {"every": {"stack": 8}}, runs=16, backtrace=True)
    bucket = only_bucket(campaign)
    assert bucket.backtrace.startswith("#0 ")
    text = (tmp_path / "findings" / bucket.key / "backtrace.txt").read_text()
    assert text == bucket.backtrace and len(text.splitlines()) > 10


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_a_broken_heap_is_one_defect(tmp_path: Path) -> None:
    setup = {"every": {"heap": 4, "heap+again": 4}}
    campaign, events = run(tmp_path, setup, runs=16, backtrace=True)
    assert all(place(bucket.backtrace)[0] == HEAP for bucket in campaign.buckets)
    (ended,) = [event for event in events if isinstance(event, Ended)]
    assert len(ended.snapshot.new_buckets) == 1
    assert ": the heap is broken" in sentence(campaign.buckets[0])


GDB = """#!/bin/sh
case "$*" in
  *LD_PRELOAD=*GLIBC_TUNABLES=*) echo "#0  raise () from libc.so"; echo "#1  free_check () from libc.so"; echo "#2  early () from lib.so";;
  *) echo "#0  raise () from libc.so"; echo "#1  _int_free () from libc.so"; echo "#2  late () from lib.so";;
esac
"""


def test_the_frames_of_a_broken_heap_are_those_that_notice_it_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gdb").write_text(GDB)
    (tmp_path / "gdb").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    found: dict[str, str] = {}
    budget = Budget(1.0)
    budget.unbounded = True
    traces = Backtraces(budget, lambda key, frames: found.update({key: frames}))
    traces.add("key", plan(), "1 new\n")
    wait_for(lambda: (traces.poll(), not traces.waiting)[1])
    assert place(found["key"]) == (HEAP, "early")


def test_gdb_waits_until_it_takes_little_of_the_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gdb").write_text(GDB)
    (tmp_path / "gdb").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    found: list[str] = []
    budget = Budget(0.5)
    traces = Backtraces(budget, lambda key, frames: found.append(key))
    traces.add("key", plan(), "1 new\n")
    budget.passed(0.0, 4.0)
    traces.poll()
    assert traces._process is None, "it would take more than a tenth of it"
    budget.passed(0.0, 6.0)
    wait_for(lambda: (traces.poll(), not traces.waiting)[1])
    assert found == ["key"]
