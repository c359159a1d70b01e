"""Native frames from gdb, where it is installed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from campaigns import only_bucket, plan, run
from waiting import wait_for

from murxpy.cli.report.findings import sentence
from murxpy.findings.frames import (
    HEAP,
    Backtraces,
    earliest,
    functions,
    inside,
    of_program,
    place,
    releases,
)
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
    assert "broken memory ends the process" in sentence(campaign.buckets[0])


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_the_frames_of_a_finalizer_are_known(tmp_path: Path) -> None:
    setup = {"every": {"release": 4, "heap": 6}}
    campaign, events = run(tmp_path, setup, runs=16, backtrace=True)
    found = next(bucket for bucket in campaign.buckets if bucket.kind == "crash")
    assert releases(found.backtrace) and earliest(found.backtrace) == ""
    said = "broken memory ends the process with a segmentation fault when an object is released"
    assert sentence(found).startswith(said)
    (ended,) = [event for event in events if isinstance(event, Ended)]
    assert len(ended.snapshot.new_buckets) == 1, "it is one defect with the broken heap"


GDB = """#!/bin/sh
case "$*" in
  *LD_PRELOAD=*GLIBC_TUNABLES=*) echo "#0  raise () from libc.so"; echo "#1  free_check () from libc.so"; echo "#2  early () from lib.so";;
  *) echo "#0  raise () from libc.so"; echo "#1  _int_free () from libc.so"; echo "#2  late () from lib.so";;
esac
"""


RELEASE = """#!/bin/sh
case "$*" in
  *malloc.perturb=*) echo "#0  0x01 in early () from lib.so"; echo "#1  0x01 in api () from lib.so";;
  *) echo "#0  0x01 in late () from lib.so"; echo "#1  0x01 in ffi_call () from c.so"; echo "#2  0x01 in slot_tp_finalize () from c.so";;
esac
"""


def frames_by(
    gdb: str, folder: Path, monkeypatch: pytest.MonkeyPatch, program: Path | None = None
) -> str:
    """The frames that a service gives whose gdb is this script, where a program shows the finding or none does."""
    (folder / "gdb").write_text(gdb)
    (folder / "gdb").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    found: dict[str, str] = {}
    budget = Budget(1.0)
    budget.unbounded = True
    traces = Backtraces(
        budget, lambda key, frames: found.update({key: frames}), shown_by=lambda key: program
    )
    traces.add("key", plan(), "1 new\n")
    traces.add("key", plan(), "1 new\n")
    assert traces.waiting == ["key"]
    wait_for(lambda: (traces.poll(), not traces.waiting)[1])
    return found["key"]


PROGRAM = """#!/bin/sh
case "$*" in
  *"follow-fork-mode child"*" program "*finding.py) echo "#0  0x01 in of_program () from lib.so";;
  *) echo "#0  0x01 in of_trace () from lib.so";;
esac
"""
CHILD = """import ctypes
from multiprocessing import Process

def calls():
    ctypes.string_at(0)

if __name__ == "__main__":
    child = Process(target=calls)
    child.start()
    child.join()
"""


def test_frames_are_those_of_the_program_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = frames_by(PROGRAM, tmp_path, monkeypatch, tmp_path / "finding.py")
    assert inside(found) == ("of_program",) and of_program(found)
    found = frames_by(PROGRAM, tmp_path, monkeypatch)
    assert inside(found) == ("of_trace",) and not of_program(found)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_a_program_dies_in_its_child_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "finding.py").write_text(CHILD)
    gdb = f'#!/bin/sh\nexec {shutil.which("gdb")} "$@"\n'
    found = frames_by(gdb, tmp_path, monkeypatch, tmp_path / "finding.py")
    assert (
        of_program(found)
        and "#0 " in found
        and any("string_at" in f or "strlen" in f for f in functions(found))
    )


def test_the_frames_of_a_broken_heap_are_those_that_notice_it_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert place(frames_by(GDB, tmp_path, monkeypatch)) == (HEAP, "early")


def test_a_death_in_a_finalizer_is_replayed_with_freed_memory_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = frames_by(RELEASE, tmp_path, monkeypatch)
    assert releases(found) and place(found)[0] == "late" and inside(found) == ("late",)
    assert earliest(found) == "early < api"
    later = frames_by(RELEASE.replace("*malloc.perturb=*", "nothing"), tmp_path, monkeypatch)
    assert place(later)[0] == "late" and earliest(later) == ""


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
    budget.passed(0.0, 14.0)
    traces.poll()
    assert traces._process is None, "it would take more than a tenth of it"
    budget.passed(0.0, 16.0)
    wait_for(lambda: (traces.poll(), not traces.waiting)[1])
    assert found == ["key"]


def test_deaths_in_misuses_leave_time_to_reductions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gdb").write_text(GDB)
    (tmp_path / "gdb").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    found: list[str] = []
    budget, taken = Budget(1.0), [0.0]
    budget.unbounded = True
    small: dict[str, str] = {}
    traces = Backtraces(budget, lambda key, frames: found.append(key), lambda: taken[0], small.get)
    traces.add("misuse", plan(), "1 new\n2 misuse@call z3.FPs\n")
    traces.add("check", plan(), "1 new\n2 check-sat\n")
    wait_for(lambda: (traces.poll(), found == ["check"])[1])
    traces.poll()
    assert traces._process is None and traces.waiting == ["misuse"]
    taken[0], small["misuse"] = 60.0, "1 new\n2 misuse@call z3.FP\n"
    traces.poll()
    assert traces._asked is not None and traces._asked[2] == small["misuse"], "it is smaller by now"
    wait_for(lambda: (traces.poll(), not traces.waiting)[1])
    assert found == ["check", "misuse"]
