"""The catalogue: all theories, and the dialects of SMT-LIB of all solvers that have a wrapper."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path

from murxpy.data.dialects import decode_dialect
from murxpy.data.theories import Plain, load_theories
from murxpy.data.wrappers import shipped_names, wrapper_names, wrapper_path
from murxpy.data.yamlfile import read_document
from murxpy.errors import InputError


def load_catalogue(folder: Path | None = None) -> Plain:
    """Return the theories as `load_theories` does, and under `dialects` those of all wrappers, by
    the name of the solver. If `folder` has other theories, there are no dialects. Raises
    InputError.
    """
    return load_theories(folder) | {"dialects": {} if folder else load_dialects()}


def load_dialects() -> Plain:
    """Return the dialects of the wrappers that are shipped or come with an installed package.
    Raises InputError for a shipped wrapper that is wrong.
    """
    shipped = shipped_names()
    found = {}
    for name in wrapper_names():
        # A wrapper of an installed package may be broken. Who names its solver is told so. For all
        # others it is as if the package were not installed.
        with suppress(*(() if name in shipped else (InputError,))):
            found.update(_dialect_of(wrapper_path(name)))
    return found


def with_dialect(catalogue: Plain, wrapper: Plain) -> Plain:
    """Return the catalogue with the dialect of a wrapper, such as one whose file the user named."""
    if wrapper.get("dialect") is None:
        return catalogue
    return catalogue | {
        "dialects": {**catalogue["dialects"], wrapper["solver"]: wrapper["dialect"]}
    }


@cache
def _dialect_of(path: Path) -> Plain:
    """Return the dialect in a wrapper by the name of its solver, or nothing if it has none."""
    document = read_document(path)
    dialect = decode_dialect(document)
    return {} if dialect is None else {str(document.data.get("solver")): dialect}
