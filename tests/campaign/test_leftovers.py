"""Nothing of a campaign is left over, however it ends: no process, no temporary file."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from supervised import PATIENCE, ROOT, Command
from supervised import start as start

from murxpy.findings.folder import Folder
from murxpy.processes.handles import Scratch, sweep


def test_nothing_lives_on_after_kill_9(start: Callable[..., Command]) -> None:
    """Neither gdb, nor the process that writes reproducers, nor workers, nor what the solver
    started itself.
    """
    command = start("--wall", "0.5s", fault="and:segfault,or:linger")
    command.wait_for(
        lambda: all(
            any(word in line for line in command.alive())
            for word in ("sleep 1000", "lingering", "murxpy.campaign.behind")
        )
    )
    command.end(signal.SIGKILL)
    command.wait_for(lambda: not command.alive())
    assert list(command.temporary.glob("murxpy-gdb-*"))
    (command.out.parent / "bin" / "gdb").write_text("#!/bin/sh\n")
    again = start("--runs", "1")
    assert again.process.wait(PATIENCE) in (0, 1)
    assert not list(command.temporary.iterdir())


def test_interrupt_while_gdb_runs_leaves_nothing(start: Callable[..., Command]) -> None:
    command = start(fault="and:segfault")
    command.wait_for(lambda: any("sleep 1000" in line for line in command.alive()))
    assert command.end(signal.SIGINT) == 130
    command.wait_for(lambda: not command.alive())
    assert not list(command.temporary.iterdir())


def _owner(folder: Path) -> subprocess.Popen[str]:
    """A process that owns a folder for temporary files; its name is on its standard output."""
    program = "from murxpy.processes.handles import Scratch\nprint(Scratch('test').path, flush=True)\ninput()"
    return subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder)},
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_only_what_no_process_owns_is_swept(temporary: Path) -> None:
    with _owner(temporary) as dead, _owner(temporary) as alive:
        assert dead.stdout is not None and alive.stdout is not None
        lost, held = Path(dead.stdout.readline().strip()), Path(alive.stdout.readline().strip())
        (lost / "file").write_text("x")
        mine = Scratch("test")
        dead.kill()
        dead.wait()
        assert sweep() == [lost]
        assert held.is_dir() and mine.path.is_dir() and not lost.exists()
        mine.remove()
        mine.remove()
        alive.communicate("")
    Scratch("next").remove()  # whoever makes a folder removes those that nobody owns
    assert not held.exists() and not list(temporary.iterdir())


def test_what_is_not_ours_is_not_swept(temporary: Path) -> None:
    """Folders without the owner's file, such as a user's own; links; files; folders of other users;
    folders about to be locked.
    """
    (temporary / "murxpy-run-20261122").mkdir()
    (temporary / "murxpy-gdb-abcdefgh").write_text("")
    (temporary / ".murxpy-gdb-abcdefgh").mkdir()
    foreign = Scratch("other")
    foreign.path.rename(temporary / "kept")
    os.close(foreign._lock)
    (temporary / "murxpy-link-abcdefgh").symlink_to(temporary / "kept")
    before = sorted(temporary.iterdir())
    assert sweep() == []
    if os.geteuid() == 0:
        shutil.move(temporary / "kept", temporary / "murxpy-other-abcdefgh")
        os.chown(temporary / "murxpy-other-abcdefgh", 1234, 1234)
        assert sweep() == []
        shutil.move(temporary / "murxpy-other-abcdefgh", temporary / "kept")
    assert sorted(temporary.iterdir()) == before
    os.utime(temporary / ".murxpy-gdb-abcdefgh", (0, 0))
    assert sweep() == [temporary / ".murxpy-gdb-abcdefgh"]


def test_half_written_files_are_removed_at_the_next_start(tmp_path: Path) -> None:
    (tmp_path / "findings" / "key").mkdir(parents=True)
    half = tmp_path / "findings" / "key" / ".abc_1234.part"
    other = tmp_path / "findings" / "key" / "notes.part"
    half.write_text("half a tra")
    other.write_text("of the user")
    Folder(tmp_path).close()
    assert not half.exists() and other.exists()
