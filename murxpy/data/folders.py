"""Knows where the data folders are. No other module does."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import murxpy
from murxpy.errors import InternalError

_PACKAGE = Path(murxpy.__file__).resolve().parent


def data_folder(name: str) -> Path:
    """Return the data folder `name`: `fsm`, `wrappers`, `traces` or `seeds`.

    In a checkout, also one that is installed for development, the folder stands beside the package
    and is used in place. In an installed wheel it is inside the package. Raises InternalError if it
    is in neither place, which means that the installation is broken.
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
