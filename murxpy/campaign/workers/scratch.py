"""Folders for temporary files, each owned by the process that made it, and the removal of those
whose owner is gone.

The owner holds a lock on a file in the folder for as long as it lives: the kernel gives the lock
back when the process ends, however it ends, so that no process number is asked after that may by
now be another's.
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
# with a dot: of a folder that does not have its lock yet
_NAME = re.compile(r"\.?murxpy-[a-z]+-[a-z0-9_]{8}")
_MADE = 3600.0  # seconds; a folder that has no lock after so long never gets one


class Scratch:
    """A new folder `path` in the system's folder for temporary files, for `purpose`, a word of
    small letters. Raises OSError.
    """

    def __init__(self, purpose: str) -> None:
        hidden = Path(tempfile.mkdtemp(prefix=f".murxpy-{purpose}-"))
        self._lock = -1
        try:
            self._lock = os.open(hidden / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            # visible only when it is locked
            self.path = hidden.with_name(hidden.name.removeprefix("."))
            hidden.rename(self.path)
        except BaseException:
            shutil.rmtree(hidden, ignore_errors=True)
            if self._lock >= 0:
                os.close(self._lock)
            raise

    def remove(self) -> None:
        """Remove the folder with all that is in it; a second time does nothing."""
        if self._lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.remove()


def sweep() -> list[Path]:
    """Remove the folders of this user whose owner is gone; gives what was removed. What cannot be
    removed stays.
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
    """Whether nobody owned the folder `path`, which is then removed. Raises OSError where that
    cannot be told.
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
