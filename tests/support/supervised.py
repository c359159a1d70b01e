"""The real command on the fake solver, in a process of its own, with all that it starts."""

from __future__ import annotations

import fcntl
import glob
import os
import signal
import subprocess
import sys
import termios
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from campaigns import FAKES
from commands import WRAPPER
from waiting import PATIENCE, wait_for

ROOT = Path(__file__).parents[2]


@dataclass
class Command:
    """The real command in a process of its own, whose descendants all have `mark` in their
    environment.
    """

    process: subprocess.Popen[bytes]
    mark: str
    temporary: Path
    out: Path
    unrelated: set[str] = field(default_factory=set)  # processes that are none of it

    def alive(self) -> list[str]:
        """The names and command lines of what lives of it."""
        found = []
        for path in map(Path, glob.glob("/proc/[0-9]*")):
            if path.name in self.unrelated:
                continue
            try:
                environment = (path / "environ").read_bytes()
                marked = self.mark.encode() in environment
                # The environment of a process that is about to begin its program reads as empty.
                if environment and not marked:
                    self.unrelated.add(path.name)
                name, _, rest = (path / "stat").read_text().rpartition(")")
                if marked and rest.split()[0] not in "ZX":
                    words = (path / "cmdline").read_bytes().replace(b"\0", b" ")
                    found.append(f"{name} {words.decode(errors='replace')}")
            except OSError:
                continue
        return found

    def wait_for(self, condition: Callable[[], object]) -> None:
        wait_for(condition, self.alive)

    def end(self, number: signal.Signals) -> int:
        """Send it a signal and wait for its end; its exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Command]]:
    """Starts `fuzz` on the fake solver with a planted fault, beside a gdb that never ends."""
    begun: list[Command] = []
    programs, temporary = tmp_path / "bin", tmp_path / "tmp"
    programs.mkdir()
    temporary.mkdir()
    (programs / "gdb").write_text("#!/bin/sh\nexec sleep 1000\n")
    (programs / "gdb").chmod(0o755)

    def started(
        *words: str,
        fault: str = "",
        ignored: tuple[signal.Signals, ...] = (),
        terminal: int | None = None,
    ) -> Command:
        mark = f"MURXPY_TEST={uuid.uuid4()}"
        name, _, value = mark.partition("=")
        env = {
            **os.environ,
            name: value,
            "TMPDIR": str(temporary),
            "FAKESOLVER_FAULT": fault,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "TERM": "xterm",
        }
        args = [
            sys.executable,
            "-m",
            "murxpy",
            "fuzz",
            f"fake@{FAKES}",
            "--wrapper",
            str(WRAPPER),
            "--out",
            str(tmp_path / "out"),
            "--jobs",
            "2",
            "--time",
            "100s",
            "--share",
            "100",  # so that gdb begins soon
            *words,
        ]

        def prepare() -> None:
            for number in ignored:
                signal.signal(number, signal.SIG_IGN)
            if terminal is not None:
                fcntl.ioctl(1, termios.TIOCSCTTY, 0)

        output = subprocess.PIPE if terminal is None else terminal
        process = subprocess.Popen(
            args,
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=prepare,
        )
        begun.append(Command(process, mark, temporary, tmp_path / "out"))
        return begun[-1]

    yield started
    for command in begun:
        command.process.kill()
        command.process.communicate()
