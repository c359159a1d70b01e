"""The answers to variants of scripts, kept in a file of JSON lines. What a line says stays said, so a
study that was killed goes on with what has no line.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from murxpy.campaign.findings.files import Lines
from murxpy.campaign.findings.folder import STABILITY
from murxpy.campaign.replays.lists import Answer, Found
from murxpy.errors import InputError

FILE = STABILITY
Key = tuple[str, str, str]
"""A target, the question as text that changes with all that an answer depends on, and a method."""


class Store:
    """The answers by place, for each key. Without a folder they are kept in memory alone. Raises
    InputError for a file with other things in it, or one that cannot be written.
    """

    def __init__(self, folder: Path | None) -> None:
        self._answers: dict[Key, dict[int, Answer]] = defaultdict(dict)
        self._file: Lines | None = None
        if folder is None:
            return
        path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = Lines(folder, FILE)
            for number, line in enumerate(self._file.lines, 1):
                key, found = _line(path, number, line)
                self._answers[key].update(found)
        except OSError as error:
            raise InputError(
                f"the answers cannot be kept: {error.strerror}", file=str(path)
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def of(self, key: Key) -> dict[int, Answer]:
        """The answers by place."""
        return self._answers[key]

    def keep(self, key: Key, found: Found) -> None:
        """Keep answers. Raises FolderLost where they cannot be written."""
        self._answers[key].update(found)
        if self._file is None or not found:
            return
        rows = [[place, one.answer, one.cost, one.message] for place, one in found]
        self._file.append(json.dumps([*key, rows]), sync=True)


def _line(path: Path, number: int, line: str) -> tuple[Key, list[tuple[int, Answer]]]:
    try:
        target, question, method, rows = json.loads(line)
        found = [
            (int(place), Answer(str(answer), int(cost), message=str(message)))
            for place, answer, cost, message in rows
        ]
    except (ValueError, TypeError):
        raise InputError(
            "expected answers that 'murxpy stability' has written; remove the line, and they are asked again",
            file=str(path),
            line=number,
        ) from None
    key: list[Any] = [target, question, method]
    return (str(key[0]), str(key[1]), str(key[2])), found
