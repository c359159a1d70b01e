"""The text files of a campaign's folder. A file for which the disk has no room stays in memory; the
smallest such file is written first.
"""

from __future__ import annotations

import os
from pathlib import Path

from murxpy.campaign.findings.folder import (
    Folder,
    check_place,
    open_below,
    parts_of,
    rescued,
    write_below,
)
from murxpy.errors import FolderLost


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
        return [name for name in self.by_size() if self._try(name)]

    def by_size(self) -> list[str]:
        """The files that wait, the smallest first."""
        return sorted(self.waiting, key=lambda name: (len(self.waiting[name]), name))

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
        return read_below(self._folder.path, name)

    def drop(self, name: str) -> None:
        """Remove the file `name`, whether it is written or waits."""
        self.waiting.pop(name, None)
        self._folder.remove(name)


def read_below(root: Path, name: str) -> str | None:
    """The text of the file `name` that a campaign wrote below its folder `root`; None when it is gone.
    Raises InputError for a link.
    """
    try:
        with os.fdopen(open_below(root, name, os.O_RDONLY), "rb") as file:
            return file.read().decode("utf-8", "surrogatepass")
    except (OSError, UnicodeDecodeError):
        return None


def read_if_there(path: Path) -> str | None:
    """The text of a file that a campaign wrote; None when it is gone. Raises InputError for a link."""
    return read_below(*parts_of(path))


class Lines:
    """A file of lines below an output folder, to which lines are appended. `lines` are those that it
    had at first; a last line that was torn when its process was killed is cut off. Raises InputError
    for a link, OSError.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._file = open_below(folder, name, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        data = self._content()
        self._size = data.rfind(b"\n") + 1
        if self._size < len(data):
            os.ftruncate(self._file, self._size)
        self.lines = data[: self._size].decode("utf-8", "replace").splitlines()

    def _content(self) -> bytes:
        with open(self._file, "rb", closefd=False) as file:
            file.seek(0)
            return file.read()

    def append(self, line: str, *, sync: bool = False) -> None:
        """Append a line; with `sync` it is on the disk then. Where the folder does not take it any
        more, the whole file is written to another folder, and FolderLost says where.
        """
        data = f"{line}\n".encode()
        try:
            check_place(self._folder / self._name, os.fstat(self._file))
            left = memoryview(data)
            while left:
                left = left[os.write(self._file, left) :]
            if sync:
                os.fsync(self._file)
        except OSError as error:
            raise self._lost(error, data) from error
        self._size += len(data)

    def _lost(self, error: OSError, data: bytes) -> FolderLost:
        text = (self._content()[: self._size] + data).decode("utf-8", "replace")
        place = rescued(self._folder, lambda place: write_below(place, self._name, text))
        kept = f"all of {self._name} is in {place}" if place else "its last line is lost"
        return FolderLost(self._folder, error.strerror or str(error), kept)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
