"""Traces in files."""

from __future__ import annotations

from pathlib import Path

from murxpy.foreign import read_text
from murxpy.trace.grammar import MAX_TRACE


def read_trace(path: Path) -> str:
    """Read the trace in the file `path`. Raises InputError when the file cannot be read or holds no
    text.
    """
    # A symbol may hold half of a surrogate pair.
    return read_text(path, "trace", MAX_TRACE, surrogates=True)
