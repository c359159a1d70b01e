"""Ctrl-C, SIGTERM and SIGHUP end the command in good order, whenever they come."""

from __future__ import annotations

import os
import pty
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from campaigns import FAKES, plan
from commands import error, fuzz_fake
from supervised import PATIENCE, Command
from supervised import start as start

from murxpy.campaign import asked
from murxpy.campaign.behind import process
from murxpy.campaign.behind.requests import Request as Reduction
from murxpy.cli import campaigns
from murxpy.cli.report import studies
from murxpy.errors import InputError
from murxpy.findings.store import FILE, Store, read_buckets
from murxpy.processes import interrupts
from murxpy.processes.plans import Request
from murxpy.reduction.pipeline import Minimized

SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"]
CODES = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}


def _found(command: Command) -> bool:
    try:
        return (command.out / FILE).is_file() and any(
            bucket.state == "confirmed" for bucket in read_buckets(command.out)
        )
    except (InputError, sqlite3.Error):  # it is being made
        return False


def _sessions(out: Path) -> list[tuple[float | None, str | None]]:
    with closing(sqlite3.connect(out / FILE)) as db:
        return db.execute("SELECT ended, reason FROM sessions").fetchall()


def test_a_campaign_that_nobody_reads_any_more_ends_like_by_its_signal(
    start: Callable[..., Command],
) -> None:
    """Its exit code does not say that nothing new was found: it had more to do, and to say."""
    command = start(fault="and:segfault")
    assert command.process.stdout is not None
    command.process.stdout.readline()
    os.dup2(os.open(os.devnull, os.O_RDONLY), command.process.stdout.fileno())  # closes the pipe
    assert command.process.wait(PATIENCE) == 128 + signal.SIGPIPE


@pytest.mark.parametrize(
    "name",
    [next(iter(SIGNALS)), *(pytest.param(one, marks=pytest.mark.slow) for one in SIGNALS[1:])],
)
def test_signal_ends_a_campaign_with_its_summary(name: str, start: Callable[..., Command]) -> None:
    """Sent twice at once, as `timeout` does it."""
    command = start(fault="and:segfault")
    command.wait_for(lambda: _found(command))
    command.process.send_signal(signal.Signals[name])
    assert command.end(signal.Signals[name]) == CODES[name]
    assert command.process.stdout is not None
    said = command.process.stdout.read().decode()
    assert "(interrupted)" in said and f"exit code {CODES[name]}: ended by" in said
    assert [reason for _, reason in _sessions(command.out)] == ["interrupted"]
    command.wait_for(lambda: not command.alive())


@pytest.mark.parametrize(
    "name",
    [next(iter(SIGNALS)), *(pytest.param(one, marks=pytest.mark.slow) for one in SIGNALS[1:])],
)
def test_signal_before_the_first_run(name: str, start: Callable[..., Command]) -> None:
    """The warm parent is there and has not loaded the solver: the campaign begins and ends."""
    command = start()
    command.wait_for(lambda: any("boot.py" in line for line in command.alive()))
    code = command.end(signal.Signals[name])
    assert command.process.stdout is not None
    said = command.process.stdout.read().decode()
    assert (code, "(interrupted)" in said) == (CODES[name], True), said
    command.wait_for(lambda: not command.alive())


@pytest.mark.parametrize(
    ("place", "name"), [("make_plans", "SIGINT"), ("agree", "SIGTERM"), ("Campaign", "SIGHUP")]
)
def test_signal_while_a_campaign_is_made(
    place: str,
    name: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """While seeds are read, judges are loaded, and so on: it begins and ends with its summary."""
    module = campaigns if place == "Campaign" else asked
    real = getattr(module, place)

    def interrupted(*args: object) -> object:
        signal.raise_signal(signal.Signals[name])
        return real(*args)

    monkeypatch.setattr(module, place, interrupted)
    (tmp_path / "other").symlink_to(FAKES)
    judges = ("--cross-check", f"fake@{tmp_path / 'other'}") if place == "agree" else ()
    code, out, err = fuzz_fake(capsys, tmp_path / "out", "--time", "100s", *judges)
    assert (
        (code, err) == (CODES[name], "")
        and "(interrupted)" in out
        and f"exit code {code}: ended by" in out
    )
    assert [reason for _, reason in _sessions(tmp_path / "out")] == ["interrupted"]


def test_signal_before_a_single_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = asked.make_plans

    def interrupted(request: Request) -> object:
        signal.raise_signal(signal.SIGINT)
        return real(request)

    monkeypatch.setattr(asked, "make_plans", interrupted)
    assert fuzz_fake(capsys, tmp_path / "out", "--run-seed", "1") == (
        130,
        "",
        "murxpy: error: ended by Ctrl-C before it was done\n",
    )


@pytest.mark.parametrize("name", SIGNALS)
def test_signal_in_a_study_says_what_is_kept(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(*args: object) -> None:
        signal.raise_signal(signal.Signals[name])

    monkeypatch.setattr(studies, "carry_out", interrupted)
    (tmp_path / "s.smt2").write_text("(check-sat)")
    word = "Ctrl-C" if name == "SIGINT" else name
    for out, kept in (((), "nothing is kept"), (("--out", "o"), "its work is kept in o, where")):
        monkeypatch.chdir(tmp_path)
        code, line = error(capsys, "stability", "z3", "s.smt2", *out)
        assert code == CODES[name] and line.startswith(
            f"ended by {word} before it was done; {kept}"
        )


def test_signal_under_nohup_is_ignored(start: Callable[..., Command]) -> None:
    command = start("--runs", "4", ignored=(signal.SIGHUP,))
    command.wait_for(lambda: any("boot.py" in line for line in command.alive()))
    while command.process.poll() is None:
        command.process.send_signal(signal.SIGHUP)
        time.sleep(0.01)
    assert command.process.stdout is not None
    assert "(all runs done)" in command.process.stdout.read().decode()


def test_terminal_that_is_closed(tmp_path: Path, start: Callable[..., Command]) -> None:
    """The kernel sends SIGHUP, and nothing can be written any more: what was found is kept, and the
    session has its end.
    """
    master, slave = pty.openpty()
    command = start(fault="and:segfault", terminal=slave)
    os.close(slave)
    command.wait_for(lambda: os.read(master, 65536) and _found(command))
    os.close(master)
    assert command.process.wait(PATIENCE) == CODES["SIGHUP"]
    assert [reason for _, reason in _sessions(command.out)] == ["interrupted"]
    assert all(ended is not None for ended, _ in _sessions(command.out))
    with closing(Store(command.out, read_only=True)) as store:
        assert all(bucket.count == len(store.rows(bucket.key)) for bucket in store.buckets())
    command.wait_for(lambda: not command.alive())


@pytest.mark.parametrize("name", SIGNALS)
def test_signal_while_a_candidate_is_tried(name: str) -> None:
    """The first one is noted, for the minimizer to keep what it has; another one, later, ends it at
    once.
    """
    with interrupts.deferred():
        signal.raise_signal(signal.Signals[name])
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
        interrupts.check()


def test_later_signal_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "_SAME", 0.0)
    told: list[int] = []
    with interrupts.caught(lambda: told.append(1)):
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGHUP)  # the shell's, behind the terminal's
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert told == [1]


def test_signals_are_as_before_afterwards() -> None:
    before = [signal.getsignal(number) for number in interrupts.SIGNALS]
    with interrupts.raised(), interrupts.caught(lambda: None), interrupts.deferred():
        pass
    assert [signal.getsignal(number) for number in interrupts.SIGNALS] == before


def test_ctrl_c_while_the_program_is_loaded_ends_it_without_a_word() -> None:
    program = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "murxpy.cli":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from murxpy.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_ctrl_c_in_a_reduction_ends_the_command_that_makes_several(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """'findings --regroup' went on with the next finding; the smaller trace is in its file."""
    (tmp_path / "1.trace").write_text("# murxpy-trace 1\n# solver fake 1\n1 new\n")
    result = Minimized("", "", "k", 3, 2, 0, 0, 0, 0.0, "interrupted")
    monkeypatch.setattr(process, "shrink", lambda *asked: ("min.trace", tmp_path, result))
    with pytest.raises(KeyboardInterrupt):
        process.answer(Reduction("k", "crash", "", str(tmp_path / "1.trace"), 0, True), plan())
