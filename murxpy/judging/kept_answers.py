"""The answers of judges that a file keeps, so that the next campaign on the same scripts need not ask
them again.

An answer is kept by a digest of the script, the judge's release and options, and its limit. A release
answers the same script with the same limit in the same way; only a judge that is named by a release, or
that is installed, is kept, since a build in a folder changes. What the file says never makes a finding:
where a kept answer contradicts the target, the judge itself is asked. Of a judge that does not decide a
script, the file keeps whether a limit ended its check or the judge gave up. Of scripts that the target leaves
unknown, the file keeps which ones the judge does not decide, either.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from murxpy.judging.solvers import Solvers
from murxpy.machine.trace.finished import Row, read_rows
from murxpy.machine.witnesses.unknowns import GAVE_UP
from murxpy.oracles.disagreement import OPPOSITE, Answers
from murxpy.processes.targets import parse_target

FILE = "answers.db"
_TABLE = (
    "CREATE TABLE IF NOT EXISTS answers (script BLOB PRIMARY KEY, answer TEXT NOT NULL, cost INTEGER NOT NULL)"
    " WITHOUT ROWID"
)
_DIGEST = 12  # bytes: of a million scripts no two have the same
_WAIT = 5.0  # seconds for which another campaign may write
_AT_ONCE = 500  # scripts of a question to the database
UNKNOWN = "unknown"
NOT_ASKED = ""  # kept where the judge ended without an answer to the script


@dataclass(slots=True)
class Recalled:
    """What is kept of the answers of a judge to the decided scripts of a run: the answers, and what they
    cost it, by the lines of the run's trace; and the lines of the scripts that it must be asked about.
    """

    answers: list[tuple[int, str, str]] = field(default_factory=list)
    spent: dict[int, int] = field(default_factory=dict)
    missing: list[int] = field(default_factory=list)


class KeptAnswers:
    """The answers in the file `path`, which is made if it is missing, and made anew if it is damaged: all
    of it can be found out again. A file that cannot be written keeps nothing.
    """

    def __init__(self, path: Path, solvers: Solvers) -> None:
        self._path, self._solvers = path, solvers
        try:
            self._database = self._opened()
        except sqlite3.DatabaseError:
            path.unlink(missing_ok=True)
            self._database = self._opened()

    def _opened(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(self._path, timeout=_WAIT)
        try:
            database.execute(_TABLE)
            database.execute("SELECT script, answer, cost FROM answers LIMIT 1").fetchall()
        except sqlite3.DatabaseError:
            database.close()
            raise
        return database

    def of(self, judge: int, trace: str, scripts: Mapping[str, str]) -> Recalled | None:
        """What is kept of the answers of a judge to the decided scripts of a run; None where they are not
        kept at all. `scripts` are those that the judge gets in other words, by the lines of the run's
        `trace`.
        """
        about = self._about(judge)
        rows = _single(trace)
        if about is None or rows is None:
            return None
        digests = {row.number: _digest(about, _words(row, scripts)) for row in rows}
        kept = self._read(digests.values())
        told = Recalled()
        for row in rows:
            answer, cost = kept.get(digests[row.number], (None, 0))
            if answer is None or OPPOSITE[row.answers[0]] == answer:
                told.missing.append(row.number)
            elif answer != NOT_ASKED:
                told.answers.append((row.number, row.answers[0], answer))
                if cost:
                    told.spent[row.number] = cost
        return told

    def keep(
        self,
        judge: int,
        trace: str,
        scripts: Mapping[str, str],
        answers: Answers,
        spent: Mapping[int, int],
    ) -> None:
        """Keep what a judge answered to the decided scripts of a run that it carried out to its end."""
        about, rows = self._about(judge), _single(trace)
        if about is None or rows is None:
            return
        told = {line: now for line, _, now in answers}
        values = [
            (
                _digest(about, _words(row, scripts)),
                told.get(row.number, NOT_ASKED),
                spent.get(row.number, 0),
            )
            for row in rows
        ]
        self._write(values)

    def left_unknown(self, judge: int, limit: int, script: str) -> bool:
        """Whether it is kept that a judge did not decide a script, which the target left unknown, with
        this limit. An answer of the judge is never kept here: it may be a finding.
        """
        about = self._about(judge)
        digest = b"" if about is None else _digest(f"{about} {limit}", script)
        return about is not None and self._read([digest]).get(digest) == (UNKNOWN, 0)

    def keep_unknown(self, judge: int, limit: int, script: str) -> None:
        """Keep that a judge did not decide a script, which the target left unknown, with this limit."""
        about = self._about(judge)
        if about is not None:
            self._write([(_digest(f"{about} {limit}", script), UNKNOWN, 0)])

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _about(self, judge: int) -> str | None:
        """What decides the answers of a judge beside the script; None where its answers are not kept."""
        name = parse_target(self._solvers.name(judge))
        if name.command or (name.place and not name.release):
            return None
        return repr((self._solvers.releases[judge], name.options, self._solvers.limits[judge]))

    def _write(self, values: Iterable[tuple[bytes, str, int]]) -> None:
        try:
            with self._database:
                self._database.executemany(
                    "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", values
                )
        except sqlite3.DatabaseError:  # read-only, full, or busy for too long: it is asked again
            return

    def _read(self, digests: Iterable[bytes]) -> dict[bytes, tuple[str, int]]:
        wanted, found = list(digests), dict[bytes, tuple[str, int]]()
        try:
            for at in range(0, len(wanted), _AT_ONCE):
                found.update(self._asked(wanted[at : at + _AT_ONCE]))
        except sqlite3.DatabaseError:
            return {}
        return found

    def _asked(self, digests: Sequence[bytes]) -> dict[bytes, tuple[str, int]]:
        marks = ",".join("?" * len(digests))
        rows: Iterable[tuple[Any, Any, Any]] = self._database.execute(
            f"SELECT script, answer, cost FROM answers WHERE script IN ({marks})", digests
        )
        return {
            bytes(script): (answer, cost)
            for script, answer, cost in rows
            if answer in (*OPPOSITE, UNKNOWN, GAVE_UP, NOT_ASKED) and isinstance(cost, int)
        }


def _digest(about: str, script: str) -> bytes:
    return blake2b(f"{about}\n{script}".encode(), digest_size=_DIGEST).digest()


def _words(row: Row, scripts: Mapping[str, str]) -> str:
    """The script of a row, in the words that the judge gets."""
    return scripts.get(str(row.number), row.words)


def _single(trace: str) -> list[Row] | None:
    """The decided scripts of a run; None where a script has several checks, whose answers depend on each
    other.
    """
    rows = [row for row in read_rows(trace) if row.action == "run-script"]
    if any(len(row.answers) > 1 for row in rows):
        return None
    return [row for row in rows if row.answers and row.answers[0] in OPPOSITE]
