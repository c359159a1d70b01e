"""The message about a damaged file of an output folder: one line that says what is wrong with the
file, and that `murxpy repair` rebuilds it.
"""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from murxpy.errors import InputError
from murxpy.findings.folder import CAMPAIGN

# Errors of SQLite that say something of the system, and nothing of what the file holds: no
# permission, locked, no memory, read-only, interrupted, an error of the disk, a full disk, no such file.
_OUTSIDE = (
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
)
# The exceptions that occur when murxpy reads a value that it did not write.
WRONG = (
    *(ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError),
    msgspec.MsgspecError,
)


class Damaged(InputError):
    """A file of an output folder holds what murxpy cannot have written."""

    def __init__(self, why: str, file: Path) -> None:
        out = shlex.quote(str(file.parent))
        super().__init__(
            f"{why}: 'murxpy repair {out}' rebuilds it from what can still be read, and keeps the damaged "
            "one under another name"
            if file.name == CAMPAIGN
            else f"{why}: give it another name, and the same command asks again",
            file=str(file),
        )


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the error says that the database is damaged, rather than that it cannot be reached."""
    code = getattr(error, "sqlite_errorcode", None)  # a text that is not UTF-8 has no code
    return code is None or (code & 0xFF) not in _OUTSIDE


@contextmanager
def reading(file: Path, what: str) -> Iterator[None]:
    """Inside this context, `what` is read from the database `file` and understood: what goes wrong
    there is raised as Damaged. Errors of SQLite that say nothing of the file pass.
    """
    try:
        yield
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        raise Damaged(f"it is damaged ({error})", file) from error
    except WRONG as error:
        raise Damaged(
            f"it is damaged ({what} cannot be understood: {error_words(error)})", file
        ) from error


def check_pages(database: sqlite3.Connection, file: Path) -> None:
    """Raise Damaged where a page of the database in `file` cannot be read, which its command would
    notice in the middle of its work. The check reads every page of the file: 60 ms for 100 MB.
    """
    with reading(file, "its data"):
        (result,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if result != "ok":
        raise Damaged(f"it is damaged ({result.splitlines()[-1]})", file)


def error_words(error: BaseException) -> str:
    """An error of Python in words for the user."""
    return (
        f"no entry {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
    )
