"""Known bugs, which do not count as new: a list of keys, patterns and marks, or a registry in YAML with
what became of each bug.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal, get_args

import msgspec
import yaml

from murxpy.data.yamlfile import Strict, convert, read_document
from murxpy.errors import InputError
from murxpy.foreign import excerpt, read_text

Status = Literal["reported", "confirmed", "mended", "refused"]
STATUSES = get_args(Status)
MARK = "mark "  # how a line of the list begins that has no key, but a mark of a defect
MOST_KNOWN = 16 << 20  # bytes of a list of known bugs
# characters of a pattern of known bugs; keys are shorter than 150, and long patterns take seconds
# to compile
MAX_PATTERN = 1000
_KEY_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789-"
_KEY = re.compile(r"[a-z0-9-]+")
_WEEK = timedelta(days=7)
_YAML = (".yaml", ".yml")
_BUGS = re.compile(r"^bugs:", re.M)  # what a registry has, and no list


class Bug(Strict, frozen=True, omit_defaults=True):
    """A known bug. `pattern` is the key of its bucket, or a pattern of keys; `marks` are those of its
    defect. `trace` is the smallest trace that shows it, `releases` are those that show it, and `since`
    is the day on which it was reported.
    """

    pattern: str = ""
    marks: list[str] = msgspec.field(default_factory=list)
    solver: str = ""
    url: str = ""
    status: Status = "reported"
    since: Annotated[str, msgspec.Meta(pattern=r"^(\d{4}-\d\d-\d\d)?$")] = ""
    releases: str = ""
    note: str = ""
    trace: str = ""

    @property
    def name(self) -> str:
        """What a message calls the bug."""
        return self.pattern or self.note or self.marks[0]


class _File(Strict, frozen=True):
    bugs: list[Bug] = msgspec.field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Registry:
    """The known bugs of a file."""

    bugs: tuple[Bug, ...] = ()

    def patterns(self) -> list[str]:
        """The patterns of bugs that do not count. A bug that was mended counts if it is back."""
        return [bug.pattern for bug in self.bugs if bug.pattern and bug.status != "mended"]

    def marks(self) -> dict[str, str]:
        """The marks of bugs that do not count, each with the name of its bug."""
        open_ = [bug for bug in self.bugs if bug.status != "mended"]
        return {mark: bug.name for bug in reversed(open_) for mark in bug.marks}

    def alike(self, key: str, marks: Iterable[str]) -> list[Bug]:
        """The bugs that a finding with this key and these marks may be."""
        own = list(marks)
        return [
            bug
            for bug in self.bugs
            if (bug.pattern and fnmatch.fnmatchcase(key, bug.pattern))
            or any(mark in own for mark in bug.marks)
        ]

    def sent_last_week(self, solver: str) -> int:
        """The number of bugs of a solver that were reported in the last seven days."""
        first = (datetime.now(UTC) - _WEEK).date().isoformat()
        return sum(bug.solver == solver and bug.since > first for bug in self.bugs)


def read_registry(path: Path) -> Registry:
    """The known bugs in a file: a registry in YAML, or a list. Raises InputError."""
    if path.suffix not in _YAML or not _BUGS.search(
        read_text(path, "list of known bugs", MOST_KNOWN)
    ):
        listed = [Bug(pattern=pattern) for pattern in read_known(path)]
        listed += [Bug(marks=[mark], note=key) for mark, key in read_known_marks(path).items()]
        return Registry(tuple(listed))
    document = read_document(path)
    found = convert(document, _File)
    for number, bug in enumerate(found.bugs):
        if not bug.pattern and not bug.marks:
            raise document.error(
                ("bugs", number), "expected 'pattern' or 'marks', which say what the bug is"
            )
        if bug.pattern and (len(bug.pattern) > MAX_PATTERN or not _can_match(bug.pattern)):
            raise document.error(
                ("bugs", number, "pattern"), f"no bucket has a key like '{excerpt(bug.pattern)}'"
            )
    return Registry(tuple(found.bugs))


def registry_text(bugs: Sequence[Bug]) -> str:
    """The registry as YAML."""
    data = {"bugs": [msgspec.to_builtins(bug) for bug in bugs]}
    return yaml.dump(data, Dumper=_Blocks, sort_keys=False, allow_unicode=False, width=140)


class _Blocks(yaml.SafeDumper):
    """Writes a text of several lines as a block."""


def _as_block(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    )


_Blocks.add_representer(str, _as_block)


# ----------------------------------------------------------------------
# The list: one key or pattern a line, or `mark`, a key and a mark.


def read_known(path: Path) -> tuple[str, ...]:
    """The patterns in the file `path`, one a line; `#` begins a comment. Raises InputError."""
    patterns = []
    for number, line in enumerate(_known_lines(path), 1):
        pattern = "" if line.startswith(MARK) else line.partition("#")[0].strip()
        if re.search(r"\s", pattern) or len(pattern) > MAX_PATTERN:
            raise InputError(
                "expected one bucket key or pattern a line, without blanks; put notes behind '#'",
                file=str(path),
                line=number,
            )
        if pattern:
            if not _can_match(pattern):
                raise InputError(
                    f"no bucket has a key like '{excerpt(pattern)}': expected a key (small letters, digits and "
                    "hyphens), a pattern of keys with *, ? or [...], or 'mark', a key, and a mark",
                    file=str(path),
                    line=number,
                )
            patterns.append(pattern)
    return tuple(patterns)


def read_known_marks(path: Path) -> dict[str, str]:
    """The marks of defects in the file `path`, each with a bucket that has it: what stands in lines
    `mark KEY TEXT`, as `murxpy findings --format known` writes them. Raises InputError.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(_known_lines(path), 1):
        if line.startswith(MARK):
            key, _, mark = line.removeprefix(MARK).strip().partition(" ")
            if not mark or not _KEY.fullmatch(key):
                raise InputError(
                    "expected 'mark', the key of a bucket, and a mark of its defect",
                    file=str(path),
                    line=number,
                )
            found.setdefault(mark, key)
    return found


def _can_match(pattern: str) -> bool:
    """Whether some key may match the pattern: it consists of characters of keys, of `*` and `?`, and of
    brackets that are closed and match some character of a key.
    """
    if pattern == MARK.strip():
        return False
    at = 0
    while at < len(pattern):
        end = at
        if pattern[at] == "[":
            # A group is closed as fnmatch reads it: a first `]` is a character of the group.
            first = at + 2 if pattern.startswith("!", at + 1) else at + 1
            end = pattern.find("]", first + 1)
            group = pattern[at : end + 1]
            if end < 0 or not any(fnmatch.fnmatchcase(key, group) for key in _KEY_CHARACTERS):
                return False
        elif pattern[at] not in _KEY_CHARACTERS and pattern[at] not in "*?":
            return False
        at = end + 1
    return True


def _known_lines(path: Path) -> list[str]:
    return read_text(path, "list of known bugs", MOST_KNOWN).split("\n")
