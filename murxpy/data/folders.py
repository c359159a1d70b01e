"""Where the data folders are: the one place that knows."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import murxpy
from murxpy.errors import InternalError

_PACKAGE = Path(murxpy.__file__).resolve().parent


def data_folder(name: str) -> Path:
    """The data folder `name` (`fsm`, `wrappers`, `traces`, `seeds`).

    In a checkout, also one installed for development, it stands beside the package and is used in
    place; in an installed wheel it is inside the package. Raises InternalError when it is in
    neither, which is a broken install.
    """
    folder = _root() / name
    if not folder.is_dir():
        raise InternalError(
            f"the data folder '{name}' is missing at {folder}: install murxpy again"
        )
    return folder


@cache
def _root() -> Path:
    """The folder that holds the data folders."""
    return _PACKAGE.parent if _is_ours(_PACKAGE.parent / "pyproject.toml") else _PACKAGE / "_data"


def _is_ours(pyproject: Path) -> bool:
    """Whether this is the pyproject.toml of murxpy and not of a project that happens to hold the
    package.
    """
    try:
        project = tomllib.loads(pyproject.read_text(encoding="utf-8")).get("project", {})
    except (OSError, ValueError):
        return False
    return isinstance(project, dict) and project.get("name") == "murxpy"
