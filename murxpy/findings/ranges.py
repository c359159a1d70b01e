"""The range of releases that show a bucket's defect: in a file beside its traces, and as a comment
in its programs and scripts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from murxpy.findings.folder import read_if_there, write_atomically

_FILE = "range.json"
_ANSWERS = "bisection.json"  # until the range is known
_MARKS = {".py": "#", ".smt2": ";"}  # how a comment begins in a file with this ending
_BEGINNING = "Shows on "
_NAMED = 4  # releases that a sentence names


def keep_range(folder: Path, found: Mapping[str, Any]) -> None:
    """Keep what a bisection found out about the bucket in `folder`, also in the programs and scripts
    that are there already. Raises OSError.
    """
    write_atomically(folder / _FILE, json.dumps(found, indent=1) + "\n")
    (folder / _ANSWERS).unlink(missing_ok=True)
    for file in sorted(folder.iterdir()):
        text = read_if_there(file) if file.suffix in _MARKS else None
        if text is not None:
            write_atomically(file, with_range(text, file))


def keep_answers(folder: Path, answers: Mapping[str, Mapping[str, str]]) -> None:
    """Keep what releases answered, for a bisection of the bucket in `folder` that may not come to its
    end. Raises OSError.
    """
    write_atomically(folder / _ANSWERS, json.dumps(answers, indent=1) + "\n")


def kept_answers(folder: Path) -> Mapping[str, Any]:
    """The answers of releases in an unfinished bisection of the bucket in `folder`."""
    return _read(folder / _ANSWERS)


def kept_range(folder: Path) -> str:
    """The releases that show the defect of the bucket in `folder`, such as `4.12.0..`; empty where
    no bisection was made.
    """
    return str(_kept(folder).get("range", ""))


def asked_releases(folder: Path) -> dict[str, str]:
    """The releases that a bisection of the bucket in `folder` asked, each with its answer: `shows`,
    `gone` or `untestable`; empty where no bisection was made.
    """
    asked = _kept(folder).get("asked")
    pairs = asked.items() if isinstance(asked, dict) else ()
    return {str(release): str(word) for release, word in pairs}


def range_sentence(folder: Path) -> str:
    """The range of the bucket in `folder` as its programs say it, such as `Shows on z3
    4.8.8..4.12.2, mended in 4.12.3`, with the releases that could not be tested; empty where no
    bisection was made.
    """
    kept = _kept(folder)
    try:
        spans = ", and on ".join(_words(span) for span in kept["spans"])
        return f"{_BEGINNING}{kept['solver']} {spans}{_untestable(kept)}" if spans else ""
    except (KeyError, TypeError):
        return ""


def with_range(text: str, file: Path) -> str:
    """The program or script `text`, which stands in `file` or will do so, with the range of its
    bucket as a comment behind the comments at its top. An earlier such comment is replaced.
    """
    mark = _MARKS.get(file.suffix)
    if mark is None:
        return text
    sentence = range_sentence(file.parent)
    line = [f"{mark} {sentence}\n"] if sentence else []
    rows = text.splitlines(keepends=True)
    top = next((at for at, row in enumerate(rows) if not row.startswith(mark)), len(rows))
    above = [row for row in rows[:top] if not row.startswith(f"{mark} {_BEGINNING}")]
    return "".join([*above, *line, *rows[top:]])


def _words(span: Mapping[str, str]) -> str:
    """The releases of a span, and the one that mended the defect."""
    first, last = span["first"], span["last"]
    releases = first if first == last else f"{first}..{last}"
    return releases + (f", mended in {span['after']}" if span["after"] else "")


def _untestable(kept: Mapping[str, Any]) -> str:
    """The releases that were asked and could not be tested, such as because they lack a call."""
    names = [one for one, word in kept.get("asked", {}).items() if word == "untestable"]
    if not names:
        return ""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"; it cannot be told of {', '.join(names[:_NAMED])}{more}"


def _kept(folder: Path) -> Mapping[str, Any]:
    """The results of a bisection of the bucket in `folder`; empty if there was none."""
    return _read(folder / _FILE)


def _read(file: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(read_if_there(file) or "")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
