"""A session that does what no solver may do: each trace line `intrude NAME` tries to change
something outside of the worker's folder, to reach somebody, to start a program or to signal
another process. The setup names a folder `outside` and the `port` of a server.

The report counts `done:NAME` or `refused:NAME:ERRNO`.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fakesession import FakeSession


def attempts(outside: Path, port: int, folder: Path) -> dict[str, Callable[[], object]]:
    """What is tried, by name. `folder` is the working directory of a worker; `outside` holds a
    file, an empty folder and a socket.
    """
    file = outside / "file"

    def connect(family: int, kind: int, address: Any) -> None:
        with socket.socket(family, kind) as sock:
            sock.connect(address)

    def bind() -> None:
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))

    def link_and_write() -> None:
        link = folder / "out"
        link.symlink_to(file)
        link.write_text("changed")

    def native_write() -> None:
        """Write by the C library, as native code does."""
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.creat(os.fsencode(file), 0o644) < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))

    def write_in_child() -> None:
        """A process that the worker forks is confined, too."""
        if (child := os.fork()) == 0:
            try:
                file.write_text("changed")
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        assert file.read_text() == "changed", os.strerror(13)

    return {
        "write": lambda: file.write_text("changed"),
        "append": lambda: os.open(file, os.O_WRONLY | os.O_APPEND),
        "native write": native_write,
        "through a link": link_and_write,
        "truncate": lambda: os.truncate(file, 0),
        "open and truncate": lambda: os.open(file, os.O_RDONLY | os.O_TRUNC),
        "create": lambda: (outside / "new").touch(),
        "unlink": file.unlink,
        "rename": lambda: file.rename(outside / "renamed"),
        "rename out": lambda: _made(folder / "mine").rename(outside / "mine"),
        "replace": lambda: _made(folder / "mine").replace(file),
        "link": lambda: os.link(folder / "mine", outside / "linked"),
        "symlink": lambda: (outside / "symlink").symlink_to("file"),
        "mkdir": lambda: (outside / "made").mkdir(),
        "rmdir": lambda: (outside / "empty").rmdir(),
        "fifo": lambda: os.mkfifo(outside / "fifo"),
        "chmod": lambda: file.chmod(0o777),
        "fchmod": lambda: os.fchmod(os.open(file, os.O_RDONLY), 0o777),
        "chown": lambda: os.chown(file, os.getuid(), os.getgid()),
        "times": lambda: os.utime(file, (0, 0)),
        "attribute": lambda: os.setxattr(file, "user.mark", b"changed"),
        "connect": lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port)),
        "connect UDP": lambda: connect(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 9)),
        "connect a path": lambda: connect(
            socket.AF_UNIX, socket.SOCK_STREAM, str(outside / "socket")
        ),
        "bind": bind,
        "start": lambda: os.execv("/bin/sh", ["sh", "-c", f"echo changed > {file}"]),
        "kill the warm parent": lambda: os.kill(os.getppid(), signal.SIGKILL),
        "kill its group": lambda: os.killpg(os.getpgid(os.getppid()), signal.SIGKILL),
        "write in a child": write_in_child,
    }


def _made(path: Path) -> Path:
    path.touch()
    return path


def at_home(folder: Path) -> None:
    """What a worker may do in its folder."""
    assert not os.listdir(folder), "the last run left a file"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "file").write_text("text")
    (folder / "file").rename(folder / "a" / "b" / "moved")
    os.truncate(folder / "a" / "b" / "moved", 2)
    assert (folder / "a" / "b" / "moved").read_text() == "te"
    (folder / "link").symlink_to("/etc/hostname")
    (folder / "other").touch()
    (folder / "other").unlink()
    Path(os.devnull).write_text("anything")
    with tempfile.NamedTemporaryFile() as file:
        assert Path(file.name).parent == folder == Path(os.environ["TMPDIR"])
    os.kill(os.getpid(), 0)


class Intruder(FakeSession):
    """Tries everything in each run."""

    def walk(self, seed: int, write: Callable[[str], None]) -> dict[str, Any]:
        at_home(Path.cwd())
        counts = self._intrude(Path.cwd(), write)
        report = super().walk(seed, write)
        return {**report, "counts": {**report["counts"], **counts}}

    def replay(self, text: str, name: str, write: Callable[[str], None]) -> dict[str, Any]:
        """What a replay for a debugger does goes to standard error."""
        print(*self._intrude(Path.cwd(), write), sep="\n", file=sys.stderr)
        return self._report(0, None)

    def _intrude(self, folder: Path, write: Callable[[str], None]) -> Counter[str]:
        counts: Counter[str] = Counter()
        tried = attempts(Path(self._setup["outside"]), self._setup["port"], folder)
        for name, attempt in tried.items():
            write(f"00001 intrude {name}\n")
            try:
                attempt()
            except (OSError, AssertionError) as error:
                code = error.errno if isinstance(error, OSError) else 13
                counts[f"refused:{name}:{code}"] += 1
            else:
                counts[f"done:{name}"] += 1
        return counts
