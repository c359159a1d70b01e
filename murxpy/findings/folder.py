"""The output folder of a campaign or a study: whose it is, its lock, and the opening and atomic writing
of its files. No link is followed below an output folder: it may come from a stranger.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import secrets
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from murxpy.errors import FolderLost, InputError, MurxpyError

CAMPAIGN, PERF, MATRIX, STABILITY = (
    "campaign.sqlite",
    "perf.jsonl",
    "matrix.sqlite",
    "stability.jsonl",  # of older versions
)
_STUDY = re.compile(r"study-([a-z-]+)\.sqlite")
# Who writes folders with such a file. A search for slow scripts has the database of a campaign for its
# findings, so its own file stands first.
_WRITERS = {
    PERF: "'murxpy perf'",
    MATRIX: "'murxpy matrix'",
    STABILITY: "'murxpy stability'",
    CAMPAIGN: "a campaign",
}


def study_file(command: str) -> str:
    """The file of the answers in a folder of a study, which is called as its command is."""
    return MATRIX if command == "matrix" else f"study-{command}.sqlite"


def writer_of(file: str) -> str:
    """Who writes folders with a file of this name; empty where the name tells nothing."""
    study = _STUDY.fullmatch(file)
    return f"'murxpy {study[1]}'" if study else _WRITERS.get(file, "")


def _written(path: Path, file: str) -> str:
    """The file in a folder that tells who writes it; `file` where none of them is there."""
    studies = sorted(one.name for one in path.glob("study-*.sqlite") if writer_of(one.name))
    found = (name for name in (*studies, *_WRITERS) if (path / name).is_file())
    return next(found, file)


def study_in(path: Path) -> str:
    """The command of the study whose folder this is, such as `matrix`; empty for a campaign, and for a
    folder that no study has written.
    """
    file = _written(path, "")
    named = {PERF: "perf", MATRIX: "matrix", STABILITY: "stability"}
    study = _STUDY.fullmatch(file)
    return study[1] if study else named.get(file, "")


_PART = re.compile(r"\.[a-z0-9_]{8}\.part")  # an unfinished file of `write_atomically`
_REPLACED = "another file stands in the place of {}"
_SIDES = ("", "-wal", "-shm", "-journal")  # the files of a database of SQLite


class Folder:
    """The folder `path`, which is made if it is missing, and locked for this process. `file` is the one
    of its files that tells who writes it; without it, the folder may be anybody's. The folder itself may
    be a link, which the user names; no file below it may.

    Raises InputError when the folder cannot be written, when another command has written it, when
    another process holds the lock, and when a link lies in it.
    """

    def __init__(self, path: Path, file: str = "") -> None:
        self.path = path
        written = _written(path, file)
        if file and writer_of(written) != writer_of(file):
            raise InputError(
                f"this folder is that of {writer_of(written)}, which wrote {written}; choose another with --out",
                file=str(path),
            )
        try:
            path.mkdir(parents=True, exist_ok=True)
            refuse_links(self.path)
            self._lock = open_below(path, "lock", os.O_RDWR | os.O_CREAT)
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
        self._known: dict[str, os.stat_result] = {}
        self.check("lock")

    def _sweep(self) -> None:
        """Remove the files that a killed process left half-written; nobody else writes here now."""
        for folder, _, names in os.walk(self.path):
            for name in names:
                if _PART.fullmatch(name):
                    with contextlib.suppress(OSError):
                        os.unlink(os.path.join(folder, name))

    def check(self, *names: str) -> None:
        """Raise FolderLost where the lock, or one of the files `names`, is not what it was when it was
        first checked: then the folder was removed or renamed, or another one has taken its place.
        """
        for name in dict.fromkeys(("lock", *names)):
            try:
                found = os.lstat(self.path / name)
            except OSError as error:
                raise FolderLost(self.path, self._whereabouts(name)) from error
            if not os.path.samestat(self._known.setdefault(name, found), found):
                raise FolderLost(self.path, _REPLACED.format(name))

    def _whereabouts(self, name: str) -> str:
        """Describe what happened to the folder, whose file `name` is not in its place."""
        now = os.readlink(f"/proc/self/fd/{self._lock}")
        if now.endswith("/lock") and Path(now).parent != self.path.absolute():
            return f"it was renamed to {Path(now).parent}"
        return f"its file {name} was removed" if self.path.is_dir() else "it was removed"

    def write(self, name: str, text: str) -> None:
        """Write `text` atomically to the file `name` under the folder. Raises FolderLost where another
        folder stands in its place; OSError, for instance when the disk is full.
        """
        self.check()
        write_below(self.path, name, text)

    def remove(self, name: str) -> None:
        """Remove the file `name` under the folder, if it is there."""
        with contextlib.suppress(OSError), _inner(self.path, name) as (folder, last):
            os.unlink(last, dir_fd=folder)

    def close(self) -> None:
        """Release the lock."""
        os.close(self._lock)


def check_place(file: Path, own: os.stat_result) -> None:
    """Raise OSError where another file, or none, stands in the place of the file that is `own`."""
    if not os.path.samestat(os.lstat(file), own):
        raise FileNotFoundError(None, _REPLACED.format(file.name))


def refuse_links(path: Path) -> None:
    """Raise InputError where a symbolic link is below an output folder, which may come from a stranger."""
    for folder, folders, names in os.walk(path):
        for name in (*folders, *names):
            file = Path(folder, name)
            if file.is_symlink():
                raise _a_link(file)


def _a_link(file: Path) -> InputError:
    return InputError(
        "it is a symbolic link, and murxpy follows none in an output folder; remove it, or choose "
        "another folder",
        file=str(file),
    )


@contextmanager
def _inner(root: Path, name: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
    """The folder in which the file `name` below `root` lies, as a descriptor, and the last part of
    the name. With `make`, the folders on the way are made. Raises InputError for a link on the way,
    and OSError.
    """
    *parts, last = [part for part in name.split("/") if part not in ("", ".")] or [name]
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for at, part in enumerate(parts):
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=folder)
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            try:
                inner = os.open(part, flags, dir_fd=folder)
            except OSError:
                _refuse_link(folder, part, Path(root, *parts[: at + 1]))
                raise
            os.close(folder)
            folder = inner
        yield folder, last
    finally:
        os.close(folder)


def _refuse_link(folder: int, name: str, file: Path) -> None:
    with contextlib.suppress(OSError):
        if stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode):
            raise _a_link(file) from None


def open_below(root: Path, name: str, flags: int) -> int:
    """A descriptor of the file `name` below the output folder `root`. All that opens files there does so
    by this function. Raises InputError where the file, or a folder on the way, is a link, and where it
    is no plain file; OSError.
    """
    make = bool(flags & os.O_CREAT)
    with _inner(root, name, make=make) as (folder, last):
        # a pipe that nobody writes would be waited for
        flags |= os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        try:
            opened = os.open(last, flags, 0o644, dir_fd=folder)
        except OSError:
            _refuse_link(folder, last, root / name)
            raise
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise InputError("expected a plain file", file=str(root / name))
    return opened


def connect_below(root: Path, name: str, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection to the database `name` in the output folder `root`. SQLite opens the files of a
    database by their names, so none of them may be a link. Raises InputError, sqlite3.Error.
    """
    for ending in _SIDES:
        file = root / f"{name}{ending}"
        with contextlib.suppress(FileNotFoundError):
            mode = os.lstat(file).st_mode
            if stat.S_ISLNK(mode):
                raise _a_link(file)
            if not stat.S_ISREG(mode):
                raise InputError("expected a plain file", file=str(file))
    uri = (root / name).absolute().as_uri() + ("?mode=ro" if read_only else "")
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)


def rescued(out: Path, write: Callable[[Path], object]) -> Path | None:
    """Have `write` write what the output folder `out` does not take any more into a new folder beside
    it, or else into a temporary one. Gives that folder; None where neither could be written.
    """
    beside = Path(os.path.abspath(out))
    for parent in (beside.parent, Path(tempfile.gettempdir())):
        place = None
        try:
            place = Path(tempfile.mkdtemp(prefix=f"{beside.name}-rescued-", dir=parent))
            write(place)
        except (OSError, sqlite3.Error, MurxpyError):
            if place is not None:
                shutil.rmtree(place, ignore_errors=True)
        else:
            return place
    return None


def parts_of(file: Path) -> tuple[Path, str]:
    """The output folder of a file, and the name of the file below it. A file of a bucket,
    OUT/findings/BUCKET/FILE, is one of OUT; of any other file, the user has named the folder.
    """
    root = file.parent
    if root.parent.name == "findings":
        root = root.parent.parent
    return root, str(file.relative_to(root))


def write_below(root: Path, name: str, text: str) -> None:
    """Write `text` to the file `name` below the output folder `root`; where that fails, leave the file
    as it was and raise OSError. A link in the place of the file is replaced, and not followed. Raises
    InputError for a link on the way.
    """
    data = text.encode("utf-8", "surrogatepass")
    with _inner(root, name, make=True) as (folder, last):
        part = f".{secrets.token_hex(4)}.part"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with os.fdopen(os.open(part, flags, 0o644, dir_fd=folder), "wb") as file:
                file.write(data)
            os.rename(part, last, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(part, dir_fd=folder)
            raise


def write_atomically(path: Path, text: str) -> None:
    """Write `text` to the file `path`; where that fails, leave `path` as it was and raise OSError. The
    folder of a file that lies in no output folder is made if it is missing. There, what is no file,
    such as a terminal or a pipe, is written into and not replaced.
    """
    root, name = parts_of(path)
    if root == path.parent:
        root.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as device:
                device.write(text.encode("utf-8", "surrogatepass"))
            return
    write_below(root, name, text)


# ----------------------------------------------------------------------
# The text files of a campaign's folder. A file for which the disk has no room stays in memory;
# the smallest such file is written first.


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
    if not os.path.lexists(f"{root}/{name}"):  # most buckets lack most files that one may have
        return None
    try:
        with os.fdopen(open_below(root, name, os.O_RDONLY), "rb") as file:
            return file.read().decode("utf-8", "surrogatepass")
    except (OSError, UnicodeDecodeError):
        return None


def texts_below(root: Path) -> Callable[[str], str | None]:
    """A function that reads a file below an output folder as `read_below` does, each file once."""
    return cache(partial(read_below, root))


def read_if_there(path: Path) -> str | None:
    """The text of a file that a campaign wrote; None when it is gone. Raises InputError for a link."""
    return read_below(*parts_of(path)) if os.path.lexists(path) else None


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

    def read(self, take: Callable[[int, Any], object], what: str) -> None:
        """Give each line's number and JSON value to `take`. Raises InputError, which says that `what`
        was expected, for a line that is no JSON or that `take` cannot understand.
        """
        for number, line in enumerate(self.lines, 1):
            try:
                take(number, json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise InputError(
                    f"expected {what}", file=str(self._folder / self._name), line=number
                ) from None

    def append(self, line: str) -> None:
        """Append a line. Where the folder does not take it any more, the whole file is written to
        another folder, and FolderLost says where.
        """
        data = f"{line}\n".encode()
        try:
            check_place(self._folder / self._name, os.fstat(self._file))
            left = memoryview(data)
            while left:
                left = left[os.write(self._file, left) :]
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
