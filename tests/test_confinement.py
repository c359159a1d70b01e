"""A worker changes files in its own folder only, reaches nobody, starts nothing and signals nobody:
neither a solver nor a stranger's trace can.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from campaigns import run

from murxpy.campaign.events import Ended
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
