"""A signal at any place of any command ends it with the right exit code and without a traceback."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from campaigns import FAKES, started_by
from commands import WRAPPER
from supervised import PATIENCE

from murxpy.cli import commands
from murxpy.cli.mutate import COMMANDS as FUZZERS

ROOT = Path(__file__).parents[2]
SEED = str(next((ROOT / "seeds" / "BV").rglob("*.smt2")))
TRACE = str(ROOT / "traces" / "examples" / "z3-bit-vectors.trace")
FAKE = (f"fake@{FAKES}", "--wrapper", str(WRAPPER))
SHORT = ("--runs", "2", "--jobs", "1", "--out", "out")
# A short call of each command, in a folder of its own. Where it needs a campaign, there is none: the
# signal comes while that is found out, or the command says so.
CALLS: dict[str, Sequence[str]] = {
    "fuzz": ("fuzz", *FAKE, *SHORT),
    **{name: (name, "z3", SEED, *SHORT) for name in FUZZERS},
    "enumerate": ("enumerate", "z3", "--grammar", "ints", "--first", "100", "--out", "out"),
    "matrix": ("matrix", "z3", "--releases", "5.4.1", "--grammar", "ints", "--first", "9"),
    "stability": ("stability", "z3", SEED),
    "perf": ("perf", "z3", "--theories", "BV", "--steps", "2", "--out", "out"),
    "generate": ("generate", "--theories", "BV", "--seed", "1"),
    "check-seeds": ("check-seeds", SEED, "--solver", "z3"),
    "import-seeds": ("import-seeds", SEED, "-o", "suite"),
    **{
        name: (name, "out")
        for name in (
            *("finish", "repair", "findings", "triage", "statistics", "seeds", "arms", "report"),
        )
    },
    "coverage": ("coverage", ".", "out"),
    "show": ("show", "key", "--out", "out"),
    "draft": ("draft", "key", "--out", "out"),
    # at an address that is none, or it would not end; Ctrl-C on a page that is served is in test_watch.py
    "watch": ("watch", "out", "--host", "256.0.0.1"),
    "known": ("known", "add", "key", "--out", "out"),
    "eval": ("eval", TRACE),
    "replay": ("replay", TRACE, "--solver", "z3"),
    "minimize": ("minimize", TRACE, "--solver", "z3", "-o", "small.trace"),
    "translate": ("translate", TRACE, "--to", "smt2"),
    "lift": ("lift", "script.smt2"),
    "bisect": ("bisect", TRACE, "--releases", "5.4.1"),
    "regress": ("regress", str(ROOT / "traces" / "regressions"), "--solver", "z3"),
    **{
        name: (name,) for name in ("releases", "grammars", "rules", "theories", "config", "plugins")
    },
    "wrappers": ("wrappers", "z3"),
    "merge": ("merge", "part1", "part2", "--out", "all"),
    "cluster": ("cluster", "slurm", "--print"),
    "completion": ("completion", "zsh"),
    "fsm": ("fsm", "show"),
    "doctor": ("doctor", *FAKE, "--runs", "2"),
}
# Sends itself the signal, in the given number of calls of functions one after another.
PROGRAM = """
import os, sys
number, at, times = map(int, sys.argv[1:4])
del sys.argv[1:4]
calls, own = 0, os.getpid()
def called(frame, event, told):
    global calls
    calls += 1
    if at <= calls < at + times and os.getpid() == own:
        os.kill(own, number)
from murxpy.__main__ import main
sys.setprofile(called)
main()
"""
# Calls of functions after which the signal comes: while the program is loaded, while the command is
# made, and in it; the shortest commands make 800,000.
PLACES = (5_000, 300_000, 700_000, 2_500_000)
QUICK = {("fsm", 5_000), ("findings", 300_000)}


def test_each_command_has_a_call() -> None:
    assert set(CALLS) == set(commands())


@pytest.mark.parametrize(
    ("name", "place"),
    [
        pytest.param(name, at, marks=() if (name, at) in QUICK else pytest.mark.slow)
        for name in CALLS
        for at in PLACES
    ],
)
def test_a_signal_at_any_place(name: str, place: int, tmp_path: Path) -> None:
    (tmp_path / "script.smt2").write_text("(declare-const x Int)\n(assert (> x 1))\n(check-sat)\n")
    for number, times in ((signal.SIGINT, 1), (signal.SIGTERM, 2)):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(int(number)), str(place), str(times), *CALLS[name]],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        # a command that was done before has its own exit code
        codes = {128 + number} if place == PLACES[0] else {128 + number, 0, 1, 2, 3, 4}
        assert done.returncode in codes, done.stderr
        assert "Traceback" not in done.stderr and "KeyboardInterrupt" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("doctor", *FAKE, "--runs", "100000"),
        pytest.param(("fuzz", *FAKE, "--time", "100s"), marks=pytest.mark.slow),
    ],
)
def test_ctrl_c_on_a_terminal(words: Sequence[str], tmp_path: Path) -> None:
    """The terminal sends the signal to all processes of the command."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execv(sys.executable, [sys.executable, "-m", "murxpy", *words])
    end, seen, asked = time.monotonic() + PATIENCE, b"", 0.0
    status = None
    while status is None and time.monotonic() < end:
        done, code = os.waitpid(pid, os.WNOHANG)
        status = code if done else None
        if started_by(pid) and time.monotonic() > asked + 2:  # it has begun to work
            os.write(terminal, b"\x03")
            asked = time.monotonic()
        seen += _read(terminal)
    if status is None:
        os.kill(pid, signal.SIGKILL)
    os.close(terminal)
    assert status is not None and os.waitstatus_to_exitcode(status) == 130, seen
    assert b"Traceback" not in seen


def _read(terminal: int) -> bytes:
    os.set_blocking(terminal, False)
    time.sleep(0.05)
    try:
        return os.read(terminal, 65536)
    except OSError:  # nothing there, or its end
        return b""
