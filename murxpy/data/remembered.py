"""Remembers what functions made of data files. A command asks for the same wrapper and machine
several times, and each takes about a tenth of a second to decode and check.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import ParamSpec, TypeVar

from murxpy.errors import InputError
from murxpy.foreign import read_bytes

P = ParamSpec("P")
_MOST = 1 << 26  # bytes; the largest data file that is shipped has 100 kB
T = TypeVar("T")

_KEPT = 8  # results of each function
_reading: list[dict[Path, bytes]] = []  # the files that each call under way has read


def note(path: Path, content: bytes) -> None:
    """Say that the call under way has read a file with this content."""
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
