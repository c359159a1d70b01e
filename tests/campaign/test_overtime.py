"""A campaign ends in time, and what it leaves is done later."""

from __future__ import annotations

import io
import json
import sqlite3
import time
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from campaigns import FAKES, config, found, only_bucket, run
from commands import WRAPPER, error, fuzz_fake, outcome
from report_demo import started

from murxpy.campaign.campaign import Campaign
from murxpy.cli.report.jsonl import JsonLines
from murxpy.cli.report.live import Screen, view_lines
from murxpy.cli.report.plain_lines import PlainLines
from murxpy.findings.store import FILE, read_buckets
from murxpy.processes.inquiries import Trials
from murxpy.processes.plans import KEPT_OPTIONS
from murxpy.records.config import overtime
from murxpy.records.events import Ended, Event, Tick, WorkerLost
from murxpy.records.snapshot import Left, Snapshot

CRASHES = {"every": {"segfault": 4}}
LATE = {"time": 100.0, "since": -1000.0}  # the overtime is over before the first run is


def last(events: list[Event]) -> Ended:
    ended = events[-1]
    assert isinstance(ended, Ended)
    return ended


def in_time(campaign: Campaign, event: Event) -> None:
    """End the campaign as its time does, when something was found that was not replayed yet."""
    if isinstance(event, WorkerLost):
        campaign.stop("time limit")


def finish(out: Path) -> tuple[Campaign, list[Event], Ended]:
    campaign, events = run(out, CRASHES, resume=True, finish=True)
    return campaign, events, last(events)


def unconfirmed(out: Path) -> tuple[Campaign, list[Event]]:
    """A campaign whose time is over before it could replay what it found."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Trials, "feed", lambda trials: None)
        return run(out, CRASHES, in_time, **LATE)


def test_a_finding_that_there_is_no_time_to_replay_is_kept_told_and_confirmed_later(
    tmp_path: Path,
) -> None:
    campaign, events = unconfirmed(tmp_path)
    bucket, ended = only_bucket(campaign), last(events)
    assert (bucket.state, ended.left, ended.exit_code) == ("pending", Left(unconfirmed=1), 1)
    assert [(one.new, one.finding.confirmed) for one in found(events)][:1] == [(True, False)]
    assert (tmp_path / bucket.traces[0].file).is_file()

    campaign, events, ended = finish(tmp_path)
    assert (only_bucket(campaign).state, ended.left, ended.exit_code) == ("confirmed", Left(), 1)
    assert [(one.new, one.finding.confirmed) for one in found(events)] == [(False, True)]
    assert ended.snapshot.runs == 0

    _, events, ended = finish(tmp_path)  # what it is asked again, it says again
    assert (found(events), ended.left, ended.exit_code) == ([], Left(), 1)


def test_the_next_session_confirms_it_too(tmp_path: Path) -> None:
    unconfirmed(tmp_path)
    campaign, events = run(tmp_path, CRASHES, runs=1)
    assert only_bucket(campaign).state == "confirmed" and last(events).left == Left()
    _, events = run(tmp_path, {}, runs=1)
    assert last(events).exit_code == 0, "only 'murxpy finish' speaks for the session before"


def test_with_finish_all_is_done_at_once(tmp_path: Path) -> None:
    campaign, events = run(tmp_path, CRASHES, in_time, **LATE, finish=True)
    assert only_bucket(campaign).state == "confirmed" and last(events).left == Left()


@pytest.mark.parametrize(("seconds", "more"), [(1.0, 15.0), (60.0, 15.0), (600.0, 60.0)])
def test_the_overtime_is_a_tenth_of_the_time_or_15_s(seconds: float, more: float) -> None:
    assert overtime(seconds) == more


def test_runs_get_all_the_time_unless_the_start_took_the_overtime(tmp_path: Path) -> None:
    def time_of_runs(**options: float) -> float | None:
        return Campaign(config(tmp_path, {}, **options))._time_of_runs()

    assert time_of_runs() is None
    assert time_of_runs(time=100.0) == 100.0
    assert time_of_runs(time=100.0, since=time.monotonic() - 20.0) == pytest.approx(89, abs=5)
    assert time_of_runs(time=100.0, since=time.monotonic() - 200.0) == 50.0


def test_lines_after_the_last_run_tell_what_is_done() -> None:
    left = Left(unconfirmed=2, reductions=1)
    snapshot = Snapshot(61.04, {}, runs_ended=60.0, left=left)
    lines, objects = PlainLines(io.StringIO()), JsonLines(io.StringIO())
    assert lines.line(Tick(61.04, snapshot)) == (
        "finishing time=61.0 left-unconfirmed=2 left-reductions=1"
    )
    assert json.loads(objects.line(Tick(61.04, snapshot)) or "")["finishing"] == asdict(left)
    shown = "\n".join(map(str, view_lines(started(), snapshot, (), Screen(80, 24))))
    assert "2 findings to be confirmed   1 finding to be made smaller and grouped" in shown


def test_finish_does_what_is_left_and_nothing_that_only_the_folder_names(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Campaign, "_has_time", lambda *late: False)
    monkeypatch.setattr(Trials, "feed", lambda trials: None)
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:segfault")
    out = tmp_path / "out"
    code, said, _ = fuzz_fake(capsys, out, "--time", "3s")
    assert code == 1 and "not confirmed" in said
    assert "left to do: 1 finding to be confirmed; the next session does that, or: " in said
    monkeypatch.undo()
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:segfault")

    code, line = error(capsys, "finish", out)
    assert code == 2 and line.endswith(f"murxpy finish {out} fake@{FAKES} {WRAPPER}")
    code, line = error(capsys, "finish", out, WRAPPER)
    assert code == 2 and line.endswith(f"murxpy finish {out} fake@{FAKES}")
    with closing(sqlite3.connect(out / FILE)) as db, db:  # as an earlier version stored it
        asked = json.loads(db.execute("SELECT arguments FROM sessions").fetchone()[0])
        asked[KEPT_OPTIONS]["baseline"] = None
        db.execute("UPDATE sessions SET arguments = ?", (json.dumps(asked),))
    code, said, _ = outcome(capsys, "finish", out, f"fake@{FAKES}", WRAPPER, "--jobs", "1")
    assert code == 1 and "all that was left is done" in said and "not confirmed" not in said
    (bucket,) = read_buckets(out)
    assert bucket.state == "confirmed" and {form.form for form in bucket.reproducers} >= {"python"}
    code, said, _ = outcome(capsys, "finish", out, f"fake@{FAKES}", WRAPPER, "--json")
    told = [json.loads(line) for line in said.splitlines()]
    assert (code, told[-1]["event"], sum(told[-1]["left"].values())) == (1, "ended", 0)


@pytest.mark.parametrize(
    "data", [{}, {KEPT_OPTIONS: {}}, {KEPT_OPTIONS: 1, "request": {"targets": {"z3": 5}}}]
)
def test_finish_of_a_folder_that_does_not_say_what_was_asked(
    data: dict[str, Any], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run(tmp_path, {}, runs=1)
    with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
        db.execute("UPDATE sessions SET arguments = ?", (json.dumps(data),))
    code, line = error(capsys, "finish", tmp_path)
    assert code == 2 and "does not say what its campaign was asked to do" in line
