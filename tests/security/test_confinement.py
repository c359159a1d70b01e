"""A worker changes files in its own folder only, reaches nobody, starts nothing and signals nobody:
neither a solver nor a stranger's trace can.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from campaigns import plan, run
from commands import outcome

from murxpy.data.folders import data_folder
from murxpy.processes.limits import Limits
from murxpy.processes.parents import command, setup_data
from murxpy.records.events import Ended
from murxpy.reduction.programs import run_program
from murxpy.worker.confine import filters, landlock_abi

pytestmark = pytest.mark.skipif(
    landlock_abi() < 6 or not filters(), reason="the kernel cannot confine a process so far"
)
REFUSALS = {errno.EACCES, errno.EPERM, errno.EXDEV}


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A folder with a file, an empty folder and a socket; at the end nothing may have changed."""
    folder = tmp_path / "outside"
    (folder / "empty").mkdir(parents=True)
    (folder / "file").write_text("as it was")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
        server.listen()
        before = _state(folder)
        yield folder
        assert _state(folder) == before


def _state(folder: Path) -> list[tuple[Any, ...]]:
    found = [(path, path.lstat()) for path in [folder, *sorted(folder.rglob("*"))]]
    kept = [
        (str(path), info.st_mode, info.st_uid, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
        for path, info in found
    ]
    return [*kept, ((folder / "file").read_text(), os.listxattr(folder / "file"))]


def test_worker_does_nothing_outside_of_its_folder(outside: Path, tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        setup = {
            "session": "intruder:Intruder",
            "outside": str(outside),
            "port": server.getsockname()[1],
        }
        campaign, events = run(tmp_path / "out", setup, runs=3, jobs=1)
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    (ended,) = [event for event in events if isinstance(event, Ended)]
    counts = ended.snapshot.counts
    assert not [name for name in counts if name.startswith("done:")]
    refused = [name.split(":") for name in counts if name.startswith("refused:")]
    assert len(refused) == 29
    assert {int(code) for _, _, code in refused} <= REFUSALS
    assert {counts[":".join(name)] for name in refused} == {3}
    assert not list(campaign.buckets)  # what it may do in its folder went well


Z3 = """
import sys, z3
text = '(set-option :regular-output-channel "%s")(display true)' % sys.argv[1]
print(z3.Z3_eval_smtlib2_string(z3.main_ctx().ref(), text))
"""
CVC5 = """
import sys, cvc5
solver = cvc5.Solver(cvc5.TermManager())
solver.setOption("regular-output-channel", sys.argv[1])
solver.setOption("diagnostic-output-channel", sys.argv[1])
"""


@pytest.mark.parametrize("source", [Z3, CVC5], ids=["z3", "cvc5"])
def test_solvers_leave_files_alone_that_their_options_name(source: str, outside: Path) -> None:
    """Without the lists of the wrappers: a program that shows a finding uses the binding itself."""
    program = outside.parent / "p.py"
    program.write_text(source)
    words = (str(outside / "file"),)
    ended = run_program(plan(), program, words, "", 60, Limits())
    assert ended.cause == "died"  # what it says of the refusal differs by solver
    free = outside.parent / "free"
    free.write_text("as it was\n")
    subprocess.run([sys.executable, program, free], check=False, timeout=60)
    assert free.read_text() != "as it was\n"  # unconfined, it does change the file


def test_replay_for_a_debugger_is_confined(outside: Path, tmp_path: Path) -> None:
    (tmp_path / "setup").write_bytes(
        setup_data(plan(session="intruder:Intruder", outside=str(outside), port=9))
    )
    (tmp_path / "trace").write_text("00001 mk-term@intrude OP_FAULT SORT_BOOL 1 t1\n")
    once = command(plan(), "once", str(tmp_path / "setup"), str(tmp_path / "trace"))
    ended = subprocess.run(
        once, cwd=tmp_path, capture_output=True, text=True, timeout=60, start_new_session=True
    )
    assert "refused:write:13" in ended.stderr and "done:" not in ended.stderr


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_mutants_reach_a_confined_solver(
    solver: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A helper of z3 once made a file for what z3 prints, and every mutant was an ill-formed call."""
    out = str(tmp_path / "out")
    args = ("--runs", "3", "--iterations", "4", "--jobs", "1", "--seed", "1", "--out", out)
    outcome(capsys, "opfuzz", solver, str(data_folder("seeds") / "QF_LIA"), *args)
    counts = json.loads(outcome(capsys, "statistics", out, "--json")[1])
    assert counts["mutator:opfuzz:accepted"] > 0
    assert "refusal:ill-formed" not in counts
