"""The output folder of a campaign or a study: whose it is, its lock, and the atomic writing of its
files.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import tempfile
from pathlib import Path

from murxpy.errors import InputError

CAMPAIGN, PERF, MATRIX, STABILITY = (
    "campaign.sqlite",
    "perf.jsonl",
    "matrix.sqlite",
    "stability.jsonl",
)
# Who writes folders with such a file. A search for slow scripts has the database of a campaign for its
# findings, so its own file stands first.
_WRITERS = {
    PERF: "'murxpy perf'",
    MATRIX: "'murxpy matrix'",
    STABILITY: "'murxpy stability'",
    CAMPAIGN: "a campaign",
}
_PART = re.compile(r"\.[a-z0-9_]{8}\.part")  # an unfinished file of `write_atomically`


class Folder:
    """The folder `path`, which is made if it is missing, and locked for this process. `file` is the one
    of its files that tells who writes it; without it, the folder may be anybody's. Raises InputError
    when it cannot be written, when another command has written it, or when another process holds the
    lock.
    """

    def __init__(self, path: Path, file: str = "") -> None:
        self.path = path
        written = next((name for name in _WRITERS if (path / name).is_file()), file)
        if file and written != file:
            raise InputError(
                f"this folder is that of {_WRITERS[written]}, which wrote {written}; choose another with --out",
                file=str(path),
            )
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise InputError(
                f"the output folder cannot be written ({error.strerror}); choose another with --out",
                file=str(path),
            ) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = os.pread(self._lock, 32, 0).decode("ascii", "replace").strip()
            os.close(self._lock)
            raise InputError(
                f"another process ({owner}) writes to this folder; wait for it to end, or choose "
                "another folder with --out",
                file=str(path),
            ) from error
        self._sweep()
        with contextlib.suppress(OSError):  # on a full disk the lock holds without the number
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, f"{os.getpid()}\n".encode(), 0)

    def _sweep(self) -> None:
        """Remove the files that a killed process left half-written; nobody else writes here now."""
        for folder, _, names in os.walk(self.path):
            for name in names:
                if _PART.fullmatch(name):
                    with contextlib.suppress(OSError):
                        os.unlink(os.path.join(folder, name))

    def write(self, name: str, text: str) -> None:
        """Write `text` atomically to the file `name` under the folder. Raises OSError, for instance
        when the disk is full.
        """
        write_atomically(self.path / name, text)

    def remove(self, name: str) -> None:
        """Remove the file `name` under the folder, if it is there."""
        with contextlib.suppress(OSError):
            (self.path / name).unlink()

    def close(self) -> None:
        """Release the lock."""
        os.close(self._lock)


def write_atomically(path: Path, text: str) -> None:
    """Write `text` to the file `path`; where that fails, leave `path` as it was and raise OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fd, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(fd, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
