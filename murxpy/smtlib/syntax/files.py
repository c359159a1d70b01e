"""Reads a file that the user named."""

from __future__ import annotations

from pathlib import Path

from murxpy.errors import InputError


def file_bytes(path: Path, what: str, most: int) -> bytes:
    """Return the bytes of a file of at most `most` bytes. `what` says in errors what the file
    should hold. Raises InputError with the file and the reason.
    """
    try:
        if not path.is_file():
            reason = (
                f"expected a file with a {what}, this is none"
                if path.exists()
                else "there is no such file"
            )
            raise InputError(reason, file=str(path))
        if path.stat().st_size > most:
            raise InputError(
                f"larger than {most >> 20} MB, expected a smaller {what}", file=str(path)
            )
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None
