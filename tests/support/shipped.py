"""The solvers of the shipped wrappers, as far as they are installed here."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
from typing import Any

from murxpy.data import load_wrapper
from murxpy.processes.releases import short


def installed(solver: str) -> bool:
    """Whether the solver can be imported here; those of extras may be missing."""
    return importlib.util.find_spec(load_wrapper(solver)["module"]) is not None


@functools.cache
def release(solver: str) -> str:
    """The release of the package that has the solver; empty where it is not installed."""
    try:
        return importlib.metadata.version(load_wrapper(solver)["package"])
    except importlib.metadata.PackageNotFoundError:
        return ""


def shows(name: str, ranges: dict[str, dict[str, Any]]) -> bool:
    """Whether the installed release is known to show a kept regression, `RELEASE/NAME.trace`."""
    solver, _, kept = name.partition("/")[0].partition("-")
    there = release(solver) and short(release(solver))
    return (bool(there) and kept == there) or ranges[name]["asked"].get(there) == "shows"
