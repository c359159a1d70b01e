"""The engine of all studies: scripts put to targets, and the answers kept in an SQLite database. An
answer stands there or its script is still to be asked, so a study that was killed goes on where it was.
"""

from __future__ import annotations

import json
import os
import sqlite3
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from murxpy.errors import FolderLost, InputError
from murxpy.findings.damage import check_pages, reading
from murxpy.findings.folder import (
    Folder,
    check_place,
    connect_below,
    rescued,
    study_file,
    writer_of,
)
from murxpy.processes.environments import Notice
from murxpy.processes.inquiries import Answer, Found, Lists, missing, script_plan, script_setup
from murxpy.processes.limits import Limits
from murxpy.processes.targets import parse_target
from murxpy.sources.setups import ScriptSetup

_VERSION = 1
# A subject of the first study was a grammar. The names of the tables and columns stay as they were, so
# that older folders are read.
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
class Subject:
    """Scripts that have something in common, such as those of a grammar or the variants of one script.
    They are asked at `places`. The `name` finds their answers again in a later session, so it never
    changes. `plain` is what a report needs to know of them, and progress is told for each `group`.
    """

    name: str
    places: range
    plain: Mapping[str, Any] = field(default_factory=dict)
    group: str = ""


_CPU = "cpu:"  # what the names in the table `meta` begin with that say what a target took


class Store:
    """The answers, in the database `name` of a folder; without a folder they are kept in memory alone.
    Raises InputError where there is no such file and `make` is not set, and for a file that is no such
    database.
    """

    def __init__(
        self, folder: Path | None, name: str, *, make: bool = False, read_only: bool = False
    ) -> None:
        self.folder, self._name = folder, name
        self._place: os.stat_result | None = None
        self.file = (folder or Path()) / name
        if folder is not None and not make and not self.file.is_file():
            raise InputError(
                f"expected the folder of {writer_of(name)}, which holds {name}", file=str(folder)
            )
        try:
            with reading(self.file, "its data"):
                self._db = (
                    sqlite3.connect(":memory:", isolation_level=None)
                    if folder is None
                    else connect_below(folder, name, read_only=read_only)
                )
                (version,) = self._db.execute("PRAGMA user_version").fetchone()
                if version == 0 and make:
                    self._db.executescript(f"PRAGMA journal_mode = WAL; BEGIN; {_TABLES} COMMIT;")
                    version = _VERSION
            check_pages(self._db, self.file)
            if folder is not None:
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
        """What all answers have in common; empty in a new database."""
        with reading(self.file, "a row of table meta"):
            rows = self._db.execute("SELECT name, value FROM meta ORDER BY name")
            return {name: json.loads(value) for name, value in rows}

    def note(self, meta: Mapping[str, Any]) -> None:
        """Note what all answers have in common."""
        rows = [(name, json.dumps(value)) for name, value in meta.items()]
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def spent(self, target: str, seconds: float, scripts: int) -> None:
        """Note that a target took so many CPU seconds for so many scripts."""
        before, asked = self.cpu().get(target, (0.0, 0))
        self.note({f"{_CPU}{target}": [before + seconds, asked + scripts]})

    def cpu(self) -> dict[str, tuple[float, int]]:
        """The CPU seconds that targets took, and for how many scripts, by name. A session that was killed
        noted neither.
        """
        with reading(self.file, "a row of table meta"):
            return {
                name.removeprefix(_CPU): msgspec.convert(value, tuple[float, int])
                for name, value in self.meta().items()
                if name.startswith(_CPU)
            }

    def subjects(self) -> dict[int, dict[str, Any]]:
        """The plain data of the subjects, by number."""
        with reading(self.file, "a row of table grammars"):
            rows = self._db.execute("SELECT id, plain FROM grammars ORDER BY id")
            return {
                int(number): msgspec.convert(json.loads(text), dict[str, Any])
                for number, text in rows
            }

    def names(self) -> dict[int, str]:
        """The names of the subjects, by number."""
        with reading(self.file, "a row of table grammars"):
            rows = self._db.execute("SELECT id, name FROM grammars ORDER BY id")
            return {int(number): str(name) for number, name in rows}

    def numbers(self, subjects: Sequence[Subject]) -> list[int]:
        """The numbers of subjects, which are noted if they are new."""
        new = [(one.name, json.dumps(one.plain)) for one in subjects]
        self._all("INSERT OR IGNORE INTO grammars (name, plain) VALUES (?, ?)", new)
        known = dict(self._db.execute("SELECT name, id FROM grammars").fetchall())
        return [int(known[one.name]) for one in subjects]

    def targets(self) -> list[tuple[int, str, bool]]:
        """The number and the name of each target, and whether it is a judge, in the order in which they
        were first named.
        """
        with reading(self.file, "a row of table targets"):
            rows = self._db.execute("SELECT id, name, judge FROM targets ORDER BY id")
            return [(int(number), str(name), bool(judge)) for number, name, judge in rows]

    def target(self, name: str, *, judge: bool = False) -> int:
        """The number of a target, which is noted if it is new."""
        self._db.execute("INSERT OR IGNORE INTO targets (name, judge) VALUES (?, ?)", (name, judge))
        row = self._db.execute("SELECT id FROM targets WHERE name = ?", (name,)).fetchone()
        return int(row[0])

    def done(self, subject: int, target: int) -> set[int]:
        """The places of the scripts that a target has answered."""
        rows = self._db.execute(
            "SELECT place FROM answers WHERE grammar = ? AND target = ?", (subject, target)
        )
        return {place for (place,) in rows}

    def keep(self, subject: int, target: int, found: Found) -> None:
        """Keep answers to the scripts at places, all or none of them. Raises FolderLost."""
        rows = [
            (subject, place, target, one.answer, one.cost, one.model, one.message)
            for place, one in found
        ]
        self._all("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def known(self, subject: int) -> dict[int, str]:
        """The right answers that no target was needed for, by place."""
        rows = self._db.execute("SELECT place, answer FROM known WHERE grammar = ?", (subject,))
        return dict(rows.fetchall())

    def keep_known(self, subject: int, found: Sequence[tuple[int, str]]) -> None:
        """Keep right answers that no target was needed for."""
        rows = [(subject, place, answer) for place, answer in found]
        self._all("INSERT OR REPLACE INTO known VALUES (?, ?, ?)", rows)

    def _all(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        try:
            if self._place is not None:
                check_place(self.file, self._place)
            _insert(self._db, statement, rows)
        except (OSError, sqlite3.Error) as error:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise self._lost(error, statement, rows) from error

    def _lost(self, error: Exception, statement: str, rows: Sequence[Sequence[Any]]) -> FolderLost:
        """The error that the folder takes no answers any more, once all are in another one."""

        def write(place: Path) -> None:
            with closing(connect_below(place, self._name)) as copy:
                self._db.backup(copy)
                _insert(copy, statement, rows)

        place = rescued(self.file.parent, write)
        kept = f"all answers are in {place}" if place else "the last answers are lost"
        return FolderLost(self.file.parent, getattr(error, "strerror", None) or str(error), kept)

    def scripts(self, subject: int) -> Iterator[tuple[int, dict[int, Answer]]]:
        """The answers to each script of a subject, in order of place, by target."""
        at, found = -1, dict[int, Answer]()
        with reading(self.file, "a row of table answers"):
            for row in self._db.execute(_ANSWERS, (subject,)):
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


# ----------------------------------------------------------------------
# A study says what is asked and what the answers say; the engine asks.


T = TypeVar("T")
Watch = Callable[[str, str, int, int, Counter[str]], None]
"""Gets the target, the group, the numbers of scripts that are done and that are wanted, and how often
each answer came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study(ABC, Generic[T]):
    """Puts subjects to each of `targets` and `judges`. A check gets `check_ms` milliseconds of a usual
    machine, in the solver's own units, and a script `limits.wall` seconds. A process is given `block`
    scripts at a time, and there are `jobs` of them. `wrapper` is the name or the file of a wrapper, for
    the targets of its solver.

    A new study is a class that says the five parts that are abstract here, the `name` of its command,
    and the `session` that answers in a target. A class that lacks one of them fails when it is made.
    """

    name: ClassVar[str]
    session: ClassVar[str]

    targets: Sequence[str]
    judges: Sequence[str] = ()
    check_ms: float
    limits: Limits
    jobs: int = 1
    block: int = 100
    wrapper: str | None = None

    def __init_subclass__(cls) -> None:
        parts = ("name", "session", "subjects", "setup", "seed", "found")
        lacking = [
            part
            for part in parts
            if getattr(getattr(cls, part, None), "__isabstractmethod__", not hasattr(cls, part))
        ]
        if lacking:
            raise TypeError(f"the study {cls.__name__} lacks {', '.join(lacking)}")

    @abstractmethod
    def subjects(self) -> Sequence[Subject]:
        """What is asked. Raises InputError."""

    @abstractmethod
    def setup(self, common: ScriptSetup, solver: str) -> ScriptSetup:
        """What the session in a target of `solver` is made from: `common`, and what the study adds."""

    @abstractmethod
    def seed(self, at: int, places: range) -> int:
        """The seed of the run that answers the scripts at places of the subject with index `at`."""

    @abstractmethod
    def found(self, store: Store) -> T:
        """What the answers say."""

    def common(self) -> dict[str, Any]:
        """What all answers in one folder have in common, as plain data."""
        return {}

    def before(self, store: Store) -> None:
        """Look at the answers of earlier sessions before anything is asked. Raises InputError where they
        are answers to other questions.
        """

    def after(self, store: Store, numbers: Sequence[int]) -> None:
        """Do what is left when all subjects are asked, which have these numbers in the store."""

    def ask(self, store: Store, watch: Watch, notice: Notice) -> None:
        """Ask what the store does not know yet. Raises InputError where it has answers to other
        questions, TargetError for a target that cannot be used.
        """
        subjects, common, before = self.subjects(), self.common(), store.meta()
        for name, value in common.items():
            if before and before.get(name) != value:
                raise InputError(
                    f"this folder has answers with {name} {before.get(name)}: expected the same, or another folder",
                    file=str(store.file.parent),
                )
        self.before(store)
        store.note(common)
        numbers = store.numbers(subjects)
        for target in (*self.targets, *self.judges):
            self._ask(target, subjects, numbers, store, watch, notice)
        self.after(store, numbers)

    def _ask(
        self,
        name: str,
        subjects: Sequence[Subject],
        numbers: Sequence[int],
        store: Store,
        watch: Watch,
        notice: Notice,
    ) -> None:
        """Ask a target what is left of the subjects, which have these numbers in the store."""
        target = store.target(name, judge=name in self.judges)
        todo = [
            missing(store.done(number, target), one.places, self.block)
            for number, one in zip(numbers, subjects, strict=True)
        ]
        wanted, done = Counter[str](), Counter[str]()
        came = {one.group: Counter[str]() for one in subjects}
        for one, blocks in zip(subjects, todo, strict=True):
            wanted[one.group] += len(one.places)
            done[one.group] += len(one.places) - sum(map(len, blocks))

        def told(at: int, found: Found) -> None:
            store.keep(numbers[at], target, found)
            group = subjects[at].group
            done[group] += len(found)
            came[group].update(answer.answer for _, answer in found)
            watch(name, group, done[group], wanted[group], came[group])

        if any(todo):
            common = script_setup(self.session, name, self.wrapper, self.check_ms)
            plan = script_plan(name, self.setup(common, parse_target(name).solver), notice)
            seconds = Lists(plan, self.limits, self.jobs, self.seed, told).ask(
                (at, places) for at, blocks in enumerate(todo) for places in blocks
            )
            store.spent(name, seconds, sum(len(places) for blocks in todo for places in blocks))


def carry_out(study: Study[T], out: Path | None, watch: Watch, notice: Notice) -> T:
    """Ask what the folder `out` does not know yet, and say what all answers in it say. Without a folder
    all is asked and nothing is kept. Raises InputError, TargetError, FolderLost.
    """
    with ExitStack() as stack:
        name = study_file(study.name)
        if out is not None:
            stack.callback(Folder(out, name).close)
        store = stack.enter_context(closing(Store(out, name, make=True)))
        study.ask(store, watch, notice)
        return study.found(store)
