"""The answers of releases to scripts, in an SQLite database. A row stands there or the script is still
to be asked, so a study that was killed goes on where it was.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from packaging.version import Version

from murxpy.campaign.findings.damage import check_pages, reading
from murxpy.campaign.findings.folder import MATRIX, check_place, connect_below, rescued
from murxpy.campaign.replays.lists import Answer
from murxpy.campaign.workers.names import parse_target, solver_of
from murxpy.errors import FolderLost, InputError
from murxpy.releases.versions import release_in

FILE = MATRIX
_VERSION = 1
_TABLES = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE grammars (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, plain TEXT NOT NULL);
CREATE TABLE targets (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, judge INTEGER NOT NULL);
CREATE TABLE answers (grammar INTEGER, place INTEGER, target INTEGER, answer TEXT NOT NULL, cost INTEGER NOT NULL,
  model TEXT NOT NULL, message TEXT NOT NULL, PRIMARY KEY (grammar, place, target)) WITHOUT ROWID;
CREATE TABLE known (grammar INTEGER, place INTEGER, answer TEXT NOT NULL, PRIMARY KEY (grammar, place)) WITHOUT ROWID;
PRAGMA user_version = {_VERSION};
"""


_ANSWERS = "SELECT place, target, answer, cost, model, message FROM answers WHERE grammar = ? ORDER BY place, target"


@dataclass(frozen=True, slots=True)
class Followed:
    """A target of a study; `judge` says that it is no release that is followed."""

    number: int
    name: str
    judge: bool

    @property
    def solver(self) -> str:
        """The name of the solver."""
        return solver_of(self.name)

    @property
    def version(self) -> Version:
        """The release, 0 where the name has none."""
        return Version(release_in(parse_target(self.name).release) or "0")


class Answers:
    """The database in a folder. Raises InputError where there is none and `make` is not set, and for
    a file that is no such database.
    """

    def __init__(self, folder: Path, *, make: bool = False) -> None:
        self.file = folder / FILE
        if not make and not self.file.is_file():
            raise InputError(
                f"expected the folder of 'murxpy matrix', which holds {FILE}", file=str(folder)
            )
        try:
            with reading(self.file, "its data"):
                self._db = connect_below(folder, FILE)
                (version,) = self._db.execute("PRAGMA user_version").fetchone()
                if version == 0 and make:
                    self._db.executescript(f"PRAGMA journal_mode = WAL; BEGIN; {_TABLES} COMMIT;")
                    version = _VERSION
            check_pages(self._db, self.file)
            self._place = os.stat(self.file)
        except sqlite3.Error as error:
            raise InputError(
                f"it cannot be read as answers of a study: {error}", file=str(self.file)
            ) from None
        if version != _VERSION:
            raise InputError(
                f"expected answers in version {_VERSION}, found version {version}",
                file=str(self.file),
            )

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def meta(self) -> dict[str, Any]:
        """What all questions have in common; empty in a new database."""
        with reading(self.file, "a row of table meta"):
            rows = self._db.execute("SELECT name, value FROM meta ORDER BY name")
            return {name: json.loads(value) for name, value in rows}

    def note(self, meta: Mapping[str, Any]) -> None:
        """Note what all questions have in common."""
        rows = [(name, json.dumps(value)) for name, value in meta.items()]
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def grammars(self) -> dict[int, dict[str, Any]]:
        """The grammars as plain data, by number."""
        with reading(self.file, "a row of table grammars"):
            rows = self._db.execute("SELECT id, plain FROM grammars ORDER BY id")
            return {int(number): _plain_in(text) for number, text in rows}

    def grammar(self, plain: Mapping[str, Any]) -> int:
        """The number of a grammar, which is noted if it is new. Raises InputError for another grammar
        of the same name, which has other scripts.
        """
        text = json.dumps({key: value for key, value in plain.items() if key != "file"})
        name = str(plain["grammar"])
        row = self._db.execute("SELECT id, plain FROM grammars WHERE name = ?", (name,)).fetchone()
        if row is None:
            done = self._db.execute(
                "INSERT INTO grammars (name, plain) VALUES (?, ?)", (name, text)
            )
            return int(done.lastrowid or 0)
        with reading(self.file, "a row of table grammars"):
            stored = _of_scripts(_plain_in(row[1]))
        if stored != _of_scripts(plain):
            raise InputError(
                f"this folder has answers for another grammar {name}: expected the same one, or another folder",
                file=str(self.file.parent),
            )
        return int(row[0])

    def targets(self) -> list[Followed]:
        """The targets: the releases of each solver, oldest first, and then the judges. What names no
        release stands in the order in which it was first named.
        """
        with reading(self.file, "a row of table targets"):
            rows = self._db.execute("SELECT id, name, judge FROM targets ORDER BY id")
            found = [Followed(int(number), str(name), bool(judge)) for number, name, judge in rows]
            solvers = list(dict.fromkeys(one.solver for one in found))
            return sorted(
                found, key=lambda one: (one.judge, solvers.index(one.solver), one.version)
            )

    def target(self, name: str, *, judge: bool) -> int:
        """The number of a target, which is noted if it is new."""
        self._db.execute("INSERT OR IGNORE INTO targets (name, judge) VALUES (?, ?)", (name, judge))
        row = self._db.execute("SELECT id FROM targets WHERE name = ?", (name,)).fetchone()
        return int(row[0])

    def done(self, grammar: int, target: int) -> set[int]:
        """The places of the scripts that a target has answered."""
        rows = self._db.execute(
            "SELECT place FROM answers WHERE grammar = ? AND target = ?", (grammar, target)
        )
        return {place for (place,) in rows}

    def keep(self, grammar: int, target: int, found: Sequence[tuple[int, Answer]]) -> None:
        """Keep answers to the scripts at places, all or none of them."""
        rows = [
            (grammar, place, target, one.answer, one.cost, one.model, one.message)
            for place, one in found
        ]
        self._all("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def known(self, grammar: int) -> dict[int, str]:
        """The answers that going through all values gave, by place."""
        rows = self._db.execute("SELECT place, answer FROM known WHERE grammar = ?", (grammar,))
        return dict(rows.fetchall())

    def keep_known(self, grammar: int, found: Sequence[tuple[int, str]]) -> None:
        """Keep answers that going through all values gave."""
        rows = [(grammar, place, answer) for place, answer in found]
        self._all("INSERT OR REPLACE INTO known VALUES (?, ?, ?)", rows)

    def _all(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        rows = list(rows)
        try:
            check_place(self.file, self._place)
            _insert(self._db, statement, rows)
        except (OSError, sqlite3.Error) as error:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise self._lost(error, statement, rows) from error

    def _lost(self, error: Exception, statement: str, rows: Sequence[Sequence[Any]]) -> FolderLost:
        """The error that the folder takes no answers any more, once all are in another one."""

        def write(place: Path) -> None:
            with closing(connect_below(place, FILE)) as copy:
                self._db.backup(copy)
                _insert(copy, statement, rows)

        place = rescued(self.file.parent, write)
        kept = f"all answers are in {place}" if place else "the last answers are lost"
        return FolderLost(self.file.parent, getattr(error, "strerror", None) or str(error), kept)

    def scripts(self, grammar: int) -> Iterator[tuple[int, dict[int, Answer]]]:
        """The answers to each script of a grammar, in order of place, by target."""
        at, found = -1, dict[int, Answer]()
        with reading(self.file, "a row of table answers"):
            for row in self._db.execute(_ANSWERS, (grammar,)):
                place, target, answer, cost, model, message = msgspec.convert(
                    row, tuple[int, int, str, int, str, str]
                )
                if place != at and found:
                    yield at, found
                    found = {}
                at = place
                found[target] = Answer(answer, cost, model, message)
        if found:
            yield at, found


def _insert(database: sqlite3.Connection, statement: str, rows: Iterable[Sequence[Any]]) -> None:
    with closing(database.cursor()) as cursor:
        cursor.execute("BEGIN")
        cursor.executemany(statement, rows)
        cursor.execute("COMMIT")


def _plain_in(text: str) -> dict[str, Any]:
    """The plain data of a grammar in a row."""
    plain = msgspec.convert(json.loads(text), dict[str, Any])
    _of_scripts(plain)
    return plain


def _of_scripts(plain: Mapping[str, Any]) -> dict[str, Any]:
    """What decides the scripts of a grammar: not its description, nor where its lines stand."""
    parts = {**plain}
    for name in ("declare", "script"):
        parts[name] = [text for text, _ in plain[name]]
    parts["rules"] = {
        sort: [text for text, _ in productions] for sort, productions in plain["rules"].items()
    }
    for name in plain:
        if name in ("file", "about") or name.endswith("-line") or not parts[name]:
            del parts[name]
    return parts
