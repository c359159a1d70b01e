"""The solvers, wrappers and other files that the user named, and that murxpy may therefore use.
Traces, scripts and campaign folders may come from somebody else. A program, a folder, a wrapper or a
release to install that only such a file names is a name to show; it may be used where the command
line names it, too.

A command starts with no grants, and the readers of its options grant what they read. In a Python
program that calls murxpy everything is granted, because its author chose it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

_granted: dict[str, None] | None = None  # None grants everything


@contextmanager
def only_granted(names: Iterable[str] | None = ()) -> Iterator[None]:
    """Inside this context, only `names` and what is granted there may be used; None for everything."""
    global _granted
    before, _granted = _granted, None if names is None else dict.fromkeys(names)
    try:
        yield
    finally:
        _granted = before


def granted() -> list[str] | None:
    """The grants of this process, in a form that another process can take over; None if everything is
    granted.
    """
    return None if _granted is None else list(_granted)


def grant(name: str) -> None:
    """Let `name` be used: the absolute path of a file, or a target in the form that means the same in
    any folder.
    """
    if _granted is not None:
        _granted[name] = None


def is_granted(name: str) -> bool:
    """Whether the user named it."""
    return _granted is None or name in _granted


def whole_path(path: str | Path) -> str:
    """A path in the form that means the same in any folder. Links are followed, because `..` and
    links must not make a path look as if it lay in a folder that the user named.
    """
    return str(Path(path).expanduser().resolve())


def grant_file(path: str | Path) -> None:
    """Let a file be used, or the files in a folder."""
    grant(whole_path(path))


def file_granted(path: str | Path) -> bool:
    """Whether the user named this file, or a folder around it."""
    whole = Path(whole_path(path))
    return any(is_granted(str(place)) for place in (whole, *whole.parents))
