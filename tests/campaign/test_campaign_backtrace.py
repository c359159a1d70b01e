"""Native frames from gdb, where it is installed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from campaigns import only_bucket, run

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
