"""Campaigns that cannot go on: they end soon, with one clear line and the exit code that says why."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click
import pytest
from campaigns import config, plan, run
from commands import error

from murxpy.campaign.campaign import Campaign
from murxpy.campaign.run_ends import ROW, SPAN, Breakdown
from murxpy.cli import commands, murxpy
from murxpy.errors import InputError, TargetError
from murxpy.findings.replayed import replay_trace
from murxpy.findings.store import Store
from murxpy.fuzzers.seeds import collect_seeds, script_files
from murxpy.processes import pool
from murxpy.processes.limits import MIB, Limits, ensure_files
from murxpy.processes.pool import TRIES
from murxpy.records.events import Ended, Event, RunEnded, WorkerLost
from murxpy.reduction.pipeline import Task
from murxpy.reduction.traces import minimize


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_PAUSE", 0.0)


TRACE = "# fake run 1\n00001 mk-const s1 x1\n      return t1\n"


@pytest.mark.parametrize(
    "lack, words",
    [
        ("memory", "exit code 70: murxpy: the worker failed: .*Cannot allocate memory"),
        ("fork", "it cannot be started: .*Resource temporarily unavailable"),
    ],
)
def test_workers_that_cannot_live(lack: str, words: str, tmp_path: Path) -> None:
    setup = {"starving": lack}
    with pytest.raises(
        TargetError,
        match=f"target 'fake': its processes end before they do a run, {TRIES} in a row .{words}",
    ) as caught:
        run(tmp_path, setup, time=60.0, jobs=2)
    assert "\n" not in str(caught.value)
    with pytest.raises(TargetError, match=words):
        replay_trace(plan(**setup), TRACE, "trace", Limits())
    with pytest.raises(TargetError, match=words):
        minimize(Task(plan(**setup), "trace"), TRACE)


def test_judges_that_cannot_live(tmp_path: Path) -> None:
    judge = plan(starving="fork")
    judge = replace(judge, target=replace(judge.target, name="judge"))
    setup = {"wrote": "00001 check-sat\n      answer sat\n", "counts": {"check:decided": 1}}
    events = list(Campaign(config(tmp_path, setup, judges=(judge,), time=60.0)))
    assert isinstance(events[-1], Ended) and events[-1].exit_code == 4
    assert "target 'judge': its processes end before they do a run" in events[-1].reason


def test_warm_parent_that_dies_each_time(tmp_path: Path) -> None:
    """On a busy machine, it may die while it still loads the solver."""
    died = f"end before they do a run, {TRIES} in a row .its warm parent died"
    with pytest.raises(TargetError, match=f"{died}|that loads the solver ended .signal SIGKILL"):
        run(tmp_path, {"starving": "parent"}, time=60.0, jobs=2)


def test_workers_that_can_live_no_more(tmp_path: Path) -> None:
    """A campaign that has begun ends in good order, with its exit code and all that it found."""
    lost: list[str] = []
    starving = (plan(starving="fork"),)

    def starve(campaign: Campaign, event: Event) -> None:
        if isinstance(event, RunEnded) and event.seed and campaign._pool.plans != starving:
            campaign._pool.plans = starving
            campaign._pool._parents[0].kill()
        elif isinstance(event, WorkerLost):
            lost.append(event.reason)

    _, events = run(tmp_path, {"idle": 0.01}, starve, time=60.0)
    assert isinstance(events[-1], Ended) and events[-1].exit_code == 4
    # how the last of them ended depends on when the kernel tells of the death of the killed parent
    assert "its processes end before they do a run" in events[-1].reason and lost
    store = Store(tmp_path, read_only=True)
    assert store.counters()["run:total"] == events[-1].snapshot.runs >= 1
    store.close()


def test_memory_limit_below_what_the_solver_takes(tmp_path: Path) -> None:
    with pytest.raises(
        InputError,
        match=r"--memory: the loaded solver of target 'fake' takes .* give the workers at least",
    ):
        run(tmp_path, {}, time=60.0, limits=Limits(memory=20 * MIB))


def test_lost_workers_count_no_runs(tmp_path: Path) -> None:
    """A run counts once when it ended, however often it was handed out to workers that did not come
    to do it.
    """
    _, events = run(tmp_path, {"every": {"segfault": 4, "kill-parent": 9}}, runs=30, jobs=2)
    crashed = [event for event in events if isinstance(event, WorkerLost)]
    assert len(crashed) > 4
    assert events[-1].snapshot.runs == 30


def test_internal_errors_that_keep_coming(tmp_path: Path) -> None:
    campaign, events = run(tmp_path, {"every": {"raise": 1}}, time=60.0)
    ended = events[-1]
    assert isinstance(ended, Ended) and ended.exit_code == 3
    (bucket,) = campaign.buckets
    assert bucket.state == "confirmed" and bucket.count <= ROW + 4
    trace = ended.reason.rpartition("; see ")[2]
    assert f"the last {ROW} runs on 'fake'" in ended.reason and Path(trace).read_text().startswith(
        "# fake run"
    )


def test_seldom_internal_errors_end_nothing(tmp_path: Path) -> None:
    _, events = run(tmp_path, {"every": {"raise": 4}}, runs=300)
    assert isinstance(events[-1], Ended) and (events[-1].reason, events[-1].exit_code) == (
        "all runs done",
        3,
    )


def test_known_internal_errors_are_nothing_new(tmp_path: Path) -> None:
    campaign, _ = run(tmp_path, {"every": {"raise": 4}}, runs=30)
    _, events = run(
        tmp_path / "again", {"every": {"raise": 4}}, runs=30, known=(campaign.buckets[0].key,)
    )
    assert isinstance(events[-1], Ended) and events[-1].exit_code == 0


def test_many_internal_errors_between_good_runs() -> None:
    breakdown = Breakdown(["one", "two"])
    for number in range(SPAN):
        breakdown.run_ended(0, False, "")
        breakdown.run_ended(1, number % 5 > 0, "out/x.trace")
        assert bool(breakdown.reason) == (number == SPAN - 1)
    assert (
        breakdown.reason
        == f"internal errors keep coming: {SPAN * 4 // 5} of the last {SPAN} runs on 'two' ended in one; see out/x.trace"
    )
    assert breakdown.exit_code == 3 and not breakdown.unusable


def _with_empty_path() -> Iterator[tuple[str, str]]:
    context = click.Context(murxpy)
    for name in commands():
        command = murxpy.get_command(context, name)
        assert command is not None
        for param in command.params:
            if (
                re.search("FILE|DIR|SEEDS|OUT$|TRACE|SCRIPT|SOLVER", param.metavar or "")
                and param.default != ""
            ):
                yield name, param.opts[-1]


@pytest.mark.parametrize("command, option", list(_with_empty_path()))
def test_empty_path_is_refused(
    command: str,
    option: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    given = [option, ""] if option.startswith("-") else [""]
    takes_solver = option == "seeds" and command not in ("check-seeds", "import-seeds")
    before = ["z3"] if takes_solver else []
    if (command, option) == ("import-seeds", "seeds"):  # it also needs a folder
        before = ["-o", "new"]
    code, line = error(capsys, command, *before, *given)
    assert code == 2 and "expected a path or a name, found an empty text" in line
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command",
    [
        ["fuzz", "z3", "--runs", "1"],
        ["opfuzz", "z3", "seeds"],
        ["check-seeds", "seeds"],
        ["doctor"],
    ],
)
def test_too_few_descriptors(command: list[str], tmp_path: Path) -> None:
    """The line says what is wrong, whatever it is that a command would open first."""
    program = "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12)); from murxpy.cli import main; main(sys.argv[1:])"
    said = subprocess.run(
        [sys.executable, "-c", program, *command], cwd=tmp_path, capture_output=True, text=True
    )
    assert (said.returncode, said.stdout) == (2, "")
    assert (
        said.stderr
        == "murxpy: error: only 12 files may be open at a time here, 64 are needed: raise the limit (ulimit -n 64)\n"
    )


def test_descriptors_for_many_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {"now": (256, 4096)}
    monkeypatch.setattr("resource.getrlimit", lambda what: limits["now"])
    monkeypatch.setattr("resource.setrlimit", lambda what, pair: limits.update(now=pair))
    ensure_files(8)
    assert limits["now"] == (256, 4096)
    ensure_files(100)
    assert limits["now"] == (1064, 4096)
    with pytest.raises(InputError, match=r"10064 are needed: .*, or use fewer --jobs"):
        ensure_files(1000)


def test_seed_folder_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "good.smt2").write_text("(check-sat)")
    (tmp_path / "closed").mkdir()
    scandir = os.scandir

    def refuse(path: str | Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return scandir(path)

    monkeypatch.setattr("os.scandir", refuse)
    found = collect_seeds([tmp_path])
    assert [name for name, _, _ in found.files] == [str(tmp_path / "good.smt2")]
    assert found.notices() == [
        f"1 of the seed files left out, not readable (Permission denied): {tmp_path / 'closed'}"
    ]
    with pytest.raises(
        InputError, match=r"no seeds in .*: expected .*; .*not readable \(Permission denied\)"
    ):
        collect_seeds([tmp_path / "closed"])
    with pytest.raises(InputError, match="closed: the folder cannot be read: Permission denied"):
        list(script_files([tmp_path]))
