"""Knows where the data folders are. No other module does."""

from __future__ import annotations

import functools
import hashlib
import pickle
import tomllib
from collections.abc import Callable, Hashable
from functools import cache
from pathlib import Path
from typing import ParamSpec, TypeVar

import murxpy
from murxpy.errors import InputError, InternalError
from murxpy.foreign import read_bytes

_PACKAGE = Path(murxpy.__file__).resolve().parent


def data_folder(name: str) -> Path:
    """Return the data folder `name`: `fsm`, `wrappers`, `traces` or `seeds`.

    In a checkout, also one that is installed for development, the folder stands beside the package
    and is used in place. In an installed wheel it is inside the package. Raises InternalError if the
    folder is in neither place, which means that the installation is broken.
    """
    folder = _root() / name
    if not folder.is_dir():
        raise InternalError(
            f"the data folder '{name}' is missing at {folder}: install murxpy again"
        )
    return folder


def shipped_folder(name: str) -> Path | None:
    """Return the data folder `name`, or None in an installed wheel without it: seeds are in a checkout
    alone.
    """
    folder = _root() / name
    return folder.resolve() if folder.is_dir() else None


@cache
def _root() -> Path:
    """Return the folder that contains the data folders."""
    return _PACKAGE.parent if _is_ours(_PACKAGE.parent / "pyproject.toml") else _PACKAGE / "_data"


def _is_ours(pyproject: Path) -> bool:
    """Return whether this is the pyproject.toml of murxpy, and not that of a project that happens
    to contain the package.
    """
    try:
        project = tomllib.loads(pyproject.read_text(encoding="utf-8")).get("project", {})
    except (OSError, ValueError):
        return False
    return isinstance(project, dict) and project.get("name") == "murxpy"


# ----------------------------------------------------------------------
# Remembers what functions made of data files. A command asks for the same wrapper and machine
# several times, and each takes about a tenth of a second to decode and check.


P = ParamSpec("P")
_MOST = 1 << 26  # bytes; the largest data file that is shipped has 100 kB
T = TypeVar("T")

_KEPT = 8  # results of each function
_reading: list[dict[Path, bytes]] = []  # the files that each call under way has read


def note(path: Path, content: bytes) -> None:
    """Note that the running call has read a file with this content."""
    if _reading:
        _reading[-1][path] = _digest(content)


def remembered(make: Callable[P, T]) -> Callable[P, T]:
    """Return a function like `make` that calls it again only when one of the files that it read has
    other content. Each caller gets a copy of its own.

    The result of `make` must depend on its arguments and on files that it reports to `note` alone.
    """
    known: dict[Hashable, tuple[dict[Path, bytes], bytes]] = {}

    @functools.wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> T:
        key = (args, tuple(kwargs.items()))
        entry = known.pop(key, None)
        if entry is None or not all(_holds(*file) for file in entry[0].items()):
            _reading.append({})
            try:
                result = make(*args, **kwargs)
            finally:
                files = _reading.pop()
            entry = files, pickle.dumps(result)
        known[key] = entry
        if len(known) > _KEPT:
            del known[next(iter(known))]
        if _reading:
            _reading[-1].update(entry[0])
        found: T = pickle.loads(entry[1])
        return found

    return made


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content).digest()


def _holds(path: Path, digest: bytes) -> bool:
    """Return whether a file still has the content with this digest."""
    try:
        return _digest(read_bytes(path, "text", _MOST)) == digest
    except InputError:
        return False
