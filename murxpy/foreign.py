"""Opens files that murxpy did not write, and escapes text that it did not write.

Traces, scripts, YAML, campaign folders and the messages of solvers come from strangers. Every file
that a user names is opened by `read_bytes` or `read_text`. Every text of a stranger passes through
`escaped` before it reaches a terminal, a report, or a comment of a program.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from murxpy.errors import InputError

KEPT = "\n\t"  # what a text that stands in lines of its own keeps on its way to a terminal
LONGEST_WORD = 80  # characters of a stranger's word that a message shows
_CHUNK = 1 << 20  # bytes

_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}

_SUSPECT = re.compile(r"[^ -~]+")
# These characters are printable by their category, but take no room on a terminal, or look like a
# blank: fillers, variation selectors, and the joiner of graphemes.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def escaped(text: str, keep: str = "") -> str:
    r"""Return the text with every character that a terminal obeys, or that hides or reorders what
    stands beside it, as `\uXXXX`: controls, separators of lines and paragraphs, overrides and
    isolates of direction, all other format characters, surrogates, unassigned characters, and all
    blanks but the ordinary one. Characters in `keep`, such as a line feed, stay as they are.

    The escapes mean the same in JSON and in Python. Escaped text does not change when it is escaped
    again.
    """
    return _SUSPECT.sub(lambda found: _escaped(found[0], keep), text)


def _escaped(run: str, keep: str) -> str:
    if run.isprintable() and not _INVISIBLE.search(run):
        return run
    return "".join(
        char
        if char in keep or (char.isprintable() and not _INVISIBLE.match(char))
        else f"\\u{ord(char):04x}"
        if ord(char) < 1 << 16
        else f"\\U{ord(char):08x}"
        for char in run
    )


def excerpt(word: str, limit: int = LONGEST_WORD) -> str:
    """Return a stranger's word as a message shows it: at most `limit` characters of it."""
    return word if len(word) <= limit else f"{word[: limit - 3]}..."


def read_bytes(path: Path, what: str, most: int) -> bytes:
    """Return the bytes of a regular file of at most `most` bytes. `what` says in errors what the file
    should hold. Raises InputError with the file and the reason.

    A pipe or a device is never waited for: opening it does not block, and nothing is read of it.
    """
    try:
        # Opening some devices already does something, so what the path names is looked at first.
        # The path may lead to something else until the file is open, so the open file is looked at
        # again.
        mode = os.stat(path).st_mode
        if stat.S_ISREG(mode):
            opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
            try:
                mode = os.fstat(opened).st_mode
                if stat.S_ISREG(mode):
                    return _read(opened, path, what, most)
            finally:
                os.close(opened)
    except FileNotFoundError:
        raise InputError("there is no such file", file=str(path)) from None
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot be read: {reason}", file=str(path)) from None
    found = _KINDS.get(stat.S_IFMT(mode), "a device")
    raise InputError(f"expected a file with a {what}, found {found}", file=str(path))


def _read(opened: int, path: Path, what: str, most: int) -> bytes:
    parts, left = [], most + 1
    if os.fstat(opened).st_size <= most:
        while left and (part := os.read(opened, min(left, _CHUNK))):
            parts.append(part)
            left -= len(part)
        if left:
            return b"".join(parts)
    size = f"{most >> 20} MB" if most >= 1 << 20 else f"{most:,} bytes"
    raise InputError(f"larger than {size}, expected a smaller {what}", file=str(path))


def read_text(path: Path, what: str, most: int, *, surrogates: bool = False) -> str:
    """Return the text of a file in UTF-8 without a byte-order mark, as `read_bytes` reads it. With
    `surrogates` the text may hold halves of surrogate pairs. Raises InputError.
    """
    data = read_bytes(path, what, most)
    try:
        return data.decode("utf-8", "surrogatepass" if surrogates else "strict").removeprefix(
            "\ufeff"
        )
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8, expected the text of a {what}",
            file=str(path),
            line=data.count(b"\n", 0, error.start) + 1,
        ) from None
