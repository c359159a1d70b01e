"""Folders for temporary files. Each belongs to the process that made it; folders whose owner is
gone can be removed.

The owner holds a lock on a file in the folder as long as it lives. The kernel releases the lock
when the process ends, however it ends. So nobody has to ask after a process number, which by now
may belong to another process.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import stat
import tempfile
import time
from pathlib import Path

_LOCK = ".owner"
# The name of a folder begins with a dot until its lock is held.
_NAME = re.compile(r"\.?murxpy-[a-z]+-[a-z0-9_]{8}")
_MADE = 3600.0  # seconds after which a folder without a lock is taken to be abandoned


class Scratch:
    """A new folder `path` in the system's folder for temporary files. `purpose` is a word of small
    letters, for its name. The folders of processes that are gone are removed before. Raises OSError.
    """

    def __init__(self, purpose: str) -> None:
        sweep()
        hidden = Path(tempfile.mkdtemp(prefix=f".murxpy-{purpose}-"))
        self._lock = -1
        try:
            self._lock = os.open(hidden / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            # Give the folder its visible name only now, when it is locked.
            self.path = hidden.with_name(hidden.name.removeprefix("."))
            hidden.rename(self.path)
        except BaseException:
            shutil.rmtree(hidden, ignore_errors=True)
            if self._lock >= 0:
                os.close(self._lock)
            raise

    def remove(self) -> None:
        """Remove the folder with everything in it. A second call does nothing."""
        if self._lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.remove()


def sweep() -> list[Path]:
    """Remove the folders of this user whose owner is gone, and return the removed ones. A folder
    that cannot be removed stays.
    """
    removed = []
    root = Path(tempfile.gettempdir())
    with contextlib.suppress(OSError):
        for path in sorted(path for path in root.iterdir() if _NAME.fullmatch(path.name)):
            with contextlib.suppress(OSError):
                if _ownerless(path):
                    removed.append(path)
    return removed


def _ownerless(path: Path) -> bool:
    """Remove the folder `path` if nobody owns it, and return whether it was removed. Raises OSError
    where it cannot be told who owns it.
    """
    info = path.lstat()
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid():
        return False
    if path.name.startswith("."):
        if time.time() - info.st_mtime >= _MADE:
            shutil.rmtree(path)
        return not path.exists()
    lock = os.open(path / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path)
    finally:
        os.close(lock)
    return True
