"""The text files of a campaign's folder. A file for which the disk has no room stays in memory until
there is room; the smallest such file is written first.
"""

from __future__ import annotations

import os
from pathlib import Path

from murxpy.campaign.findings.folder import Folder


class Files:
    """Files under `folder`. `waiting` has the text of each file that is not written yet, by name;
    `reason` says why the last such file could not be written.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self.waiting: dict[str, str] = {}
        self.reason = ""

    def write(self, name: str, text: str) -> None:
        """Write the file `name`, or keep its text until `retry` can."""
        self.waiting[name] = text
        self._try(name)

    def retry(self) -> list[str]:
        """Write the files that wait, the smallest first, and return the names of those for which
        there was room.
        """
        names = sorted(self.waiting, key=lambda name: (len(self.waiting[name]), name))
        return [name for name in names if self._try(name)]

    def _try(self, name: str) -> bool:
        try:
            self._folder.write(name, self.waiting[name])
        except OSError as error:
            self.reason = error.strerror or str(error)
            return False
        del self.waiting[name]
        return True

    def read(self, name: str) -> str | None:
        """The text of the file `name`, whether it is written or waits; None when it is gone."""
        if name in self.waiting:
            return self.waiting[name]
        return read_if_there(self._folder.path / name)

    def take_back(self, name: str) -> None:
        """Remove the written file `name` to make room for something worth more; its text waits."""
        text = self.read(name)
        if text is not None:
            self._folder.remove(name)
            self.waiting[name] = text

    def drop(self, name: str) -> None:
        """Remove the file `name`, whether it is written or waits."""
        self.waiting.pop(name, None)
        self._folder.remove(name)


def read_if_there(path: Path) -> str | None:
    """The text of a file that a campaign wrote; None when it is gone."""
    try:
        return path.read_text(encoding="utf-8", errors="surrogatepass")
    except OSError:
        return None


def whole_lines(path: Path) -> list[str]:
    """The lines of a file to which lines are appended; none where there is no file yet. A last line
    that was torn when its process was killed is cut off.
    """
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        os.truncate(path, len(whole))
    return whole.decode("utf-8", errors="replace").splitlines()
