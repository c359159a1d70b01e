"""Traces in files."""

from __future__ import annotations

from pathlib import Path

from murxpy.errors import InputError
from murxpy.smtlib.syntax.files import file_bytes
from murxpy.trace.grammar import MAX_TRACE


def read_trace(path: Path) -> str:
    """Read the trace in the file `path`. Raises InputError when the file cannot be read or holds no
    text.
    """
    data = file_bytes(path, "trace", MAX_TRACE)
    try:
        return data.decode("utf-8", "surrogatepass")  # a symbol may hold half of a surrogate pair
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            "not UTF-8, expected the text of a trace", file=str(path), line=line
        ) from None
