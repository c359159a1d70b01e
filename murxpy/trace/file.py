"""Traces in files."""

from __future__ import annotations

from pathlib import Path

from murxpy.errors import InputError
from murxpy.trace.grammar import MAX_TRACE


def read_trace(path: Path) -> str:
    """The text of the trace in the file `path`. Raises InputError when it cannot be read or is no text."""
    try:
        if not path.is_file():
            reason = "expected a file with a trace, this is none" if path.exists() else "there is no such file"
            raise InputError(reason, file=str(path))
        if path.stat().st_size > MAX_TRACE:
            raise InputError(f"larger than {MAX_TRACE >> 20} MB, expected a smaller trace", file=str(path))
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None
    try:
        return data.decode("utf-8", "surrogatepass")  # a symbol may hold half of a pair
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("not UTF-8, expected the text of a trace", file=str(path), line=line) from None
