"""The store of a campaign: an SQLite database in WAL mode with one writer. It mirrors the buckets,
counters and states that the campaign holds in memory.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from murxpy.campaign.finding import Finding, Reproducer
from murxpy.campaign.findings.buckets import Bucket, Kept
from murxpy.campaign.findings.folder import CAMPAIGN
from murxpy.campaign.guiding.arm_yields import ArmYield, Learnt, read_arms, read_news
from murxpy.campaign.workers.handles import Damp
from murxpy.campaign.yields import Key, Yield, settled
from murxpy.errors import InputError

FILE = CAMPAIGN

# Pages of 4 KiB that the log of changes may hold before they move to the database. The log takes
# room of its own, so on a disk with less than `_SMALL` bytes left the changes move soon, although
# each move costs a write to the disk.
_LOG, _SHORT_LOG, _SMALL = 128, 16, 16 << 20
SCHEMA = 2
_OLDEST = 1  # version that is still read; a campaign that goes on brings it up to date

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE targets (name TEXT PRIMARY KEY, solver TEXT NOT NULL, version TEXT NOT NULL, next INTEGER NOT NULL,
  open TEXT NOT NULL);
CREATE TABLE buckets (key TEXT PRIMARY KEY, kind TEXT NOT NULL, state TEXT NOT NULL, count INTEGER NOT NULL,
  first REAL NOT NULL, data TEXT NOT NULL);
CREATE TABLE findings (bucket TEXT NOT NULL, target TEXT NOT NULL, run INTEGER NOT NULL, seed TEXT NOT NULL,
  version TEXT NOT NULL, lines INTEGER NOT NULL, damp INTEGER NOT NULL, time REAL NOT NULL,
  UNIQUE (bucket, target, run));
CREATE TABLE damps (id INTEGER PRIMARY KEY, calls TEXT NOT NULL UNIQUE);
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
CREATE TABLE sessions (started REAL PRIMARY KEY, ended REAL, reason TEXT, arguments TEXT NOT NULL);
"""

# Version 1 had the list of damped calls in each row of `findings`. A list was 8.8 KB long: at 600
# buckets the lists were 90 of the 96 MB.
_FROM_1 = f"""
CREATE TABLE damps (id INTEGER PRIMARY KEY, calls TEXT NOT NULL UNIQUE);
INSERT INTO damps (calls) SELECT DISTINCT damp FROM findings;
CREATE TABLE findings_2 (bucket TEXT NOT NULL, target TEXT NOT NULL, run INTEGER NOT NULL, seed TEXT NOT NULL,
  version TEXT NOT NULL, lines INTEGER NOT NULL, damp INTEGER NOT NULL, time REAL NOT NULL,
  UNIQUE (bucket, target, run));
INSERT INTO findings_2 SELECT bucket, target, run, seed, version, lines, damps.id, time
  FROM findings JOIN damps ON damps.calls = findings.damp ORDER BY findings.rowid;
DROP TABLE findings;
ALTER TABLE findings_2 RENAME TO findings;
PRAGMA user_version = {SCHEMA};
"""

# What mutation fuzzers made of each seed. Folders of earlier releases lack the table.
_YIELDS = "CREATE TABLE IF NOT EXISTS yields (target TEXT, source TEXT, seed TEXT, data TEXT NOT NULL, PRIMARY KEY (target, source, seed))"

_UNTOLD = "SELECT key FROM buckets WHERE first > (SELECT COALESCE(MAX(ended), 0) FROM sessions)"

# The fields of a bucket that say what was found.
TOLD = (
    "kind",
    "tier",
    "severity",
    "solver",
    "signal",
    "message",
    "action",
    "operator",
    "spelling",
)
_BUCKET = (
    *TOLD,
    "state",
    "first",
    "last",
    "count",
    "tried",
    "backtrace",
    "triage",
    "against",
)


# A finding as a row of the table `findings`; the damped calls stand in it as JSON.
FindingRow = tuple[str, str, int, str, str, int, str, float]


def finding_row(found: Finding, target: str, now: float) -> FindingRow:
    """The row that counts `found` of the target called `target`, at `now` (seconds since the
    epoch).
    """
    job = found.job
    damp = _calls_text(job.damp)
    return (found.bucket, target, job.index, f"{job.seed:x}", found.version, found.lines, damp, now)


@lru_cache(maxsize=16)
def _calls_text(calls: Damp) -> str:
    """Damped calls as JSON. The runs of a campaign have few different lists, of up to 9 KB."""
    return json.dumps(calls)


@dataclass(slots=True)
class TargetState:
    """How far a target has come: the index of its next run, and the indices below that of runs that
    are not done.
    """

    name: str
    solver: str
    version: str
    next: int = 0
    open: tuple[int, ...] = ()


@dataclass(slots=True)
class Changes:
    """What one transaction writes. `session` is its start, its end, the reason of its end, and as
    JSON what it was asked to do.
    """

    targets: Iterable[TargetState] = ()
    buckets: Iterable[Bucket] = ()
    rows: list[FindingRow] = field(default_factory=list)
    counters: Counter[str] = field(default_factory=Counter)
    meta: dict[str, Any] = field(default_factory=dict)
    session: tuple[float, float | None, str | None, str] | None = None
    yields: dict[tuple[str, Key], Yield] = field(default_factory=dict)
    learnt: Learnt = field(default_factory=Learnt)


class Store:
    """The database in `folder`. Raises InputError for another version, or what is no database."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self._path = folder / FILE
        if read_only and not self._path.is_file():
            raise InputError(
                "no campaign was run here; name the folder that was given to 'fuzz' as --out",
                file=str(folder),
            )
        uri = self._path.absolute().as_uri() + ("?mode=ro" if read_only else "")
        with contextlib.ExitStack() as opened:  # closes the database where it cannot be used
            try:
                self._db = opened.enter_context(
                    contextlib.closing(
                        sqlite3.connect(
                            uri, uri=True, isolation_level=None, check_same_thread=False
                        )
                    )
                )
                self._open(read_only)
            except sqlite3.Error as error:
                other = "name another folder" if read_only else "choose another folder with --out"
                raise InputError(
                    f"the campaign's database cannot be used ({error}); {other}",
                    file=str(self._path),
                ) from error
            opened.pop_all()

    def _open(self, read_only: bool) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if not read_only:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            left = os.statvfs(self._path.parent)
            small = left.f_bavail * left.f_frsize < _SMALL
            self._db.execute(f"PRAGMA wal_autocheckpoint = {_SHORT_LOG if small else _LOG}")
        if version == 0 and not read_only:
            self._db.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {SCHEMA}; COMMIT;")
        elif not _OLDEST <= version <= SCHEMA:
            raise InputError(
                f"the campaign's database has version {version}, this murxpy reads version {_OLDEST} to {SCHEMA}; "
                "choose another folder with --out",
                file=str(self._path),
            )
        elif version == 1 and not read_only:
            self._update()
        if not read_only:
            self._db.execute(_YIELDS)

    def _update(self) -> None:
        """Bring a database of version 1 up to date, whole or not at all, and give the room that
        becomes free back to the disk.
        """
        try:
            self._db.executescript(f"BEGIN; {_FROM_1} COMMIT;")
        except sqlite3.Error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        # VACUUM needs room of its own. Where it fails, later rows fill the free pages.
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("VACUUM")

    def save(self, changes: Changes) -> None:
        """Write all of `changes` or nothing. Raises sqlite3.OperationalError when the disk is full."""
        try:
            self._transact(changes)
        except sqlite3.OperationalError:
            # The log of changes may be what fills the disk: move its pages to the database, and
            # begin a new log.
            self._db.execute("PRAGMA wal_checkpoint(RESTART)")
            self._transact(changes)

    def _transact(self, changes: Changes) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._write(changes)
            changes.learnt.write(self._db)
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def _write(self, changes: Changes) -> None:
        run = self._db.executemany
        run(
            "INSERT OR REPLACE INTO targets VALUES (?, ?, ?, ?, ?)",
            [(t.name, t.solver, t.version, t.next, json.dumps(t.open)) for t in changes.targets],
        )
        run(
            "INSERT OR REPLACE INTO buckets VALUES (?, ?, ?, ?, ?, ?)",
            [(b.key, b.kind, b.state, b.count, b.first, _dump(b)) for b in changes.buckets],
        )
        run(
            "INSERT OR IGNORE INTO damps (calls) VALUES (?)",
            {(damp,): None for *_, damp, _ in changes.rows},
        )
        run(
            "INSERT OR IGNORE INTO findings VALUES (?, ?, ?, ?, ?, ?, (SELECT id FROM damps WHERE calls = ?), ?)",
            changes.rows,
        )
        run(
            "INSERT INTO counters VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
            changes.counters.items(),
        )
        run(
            "INSERT OR REPLACE INTO meta VALUES (?, ?)",
            [(name, json.dumps(value)) for name, value in changes.meta.items()],
        )
        run(
            "INSERT OR REPLACE INTO yields VALUES (?, ?, ?, ?)",
            [
                (target, *key, json.dumps(asdict(entry)))
                for (target, key), entry in changes.yields.items()
            ],
        )
        if changes.session is not None:
            run("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?)", [changes.session])

    def meta(self) -> dict[str, Any]:
        """The named values of the campaign, such as its `seed`."""
        return {
            name: json.loads(value)
            for name, value in self._db.execute("SELECT name, value FROM meta")
        }

    def targets(self) -> dict[str, TargetState]:
        """How far each target has come, by its name."""
        rows = self._db.execute("SELECT name, solver, version, next, open FROM targets")
        return {
            row[0]: TargetState(row[0], row[1], row[2], row[3], tuple(json.loads(row[4])))
            for row in rows
        }

    def buckets(self) -> list[Bucket]:
        """All buckets, oldest first."""
        rows = self._db.execute("SELECT key, data FROM buckets ORDER BY first, key")
        return [_load(key, json.loads(data)) for key, data in rows]

    def rows(self, bucket: str) -> list[tuple[str, int, int]]:
        """The findings of `bucket`: target, run index, run seed; in the order of targets and runs."""
        rows = self._db.execute(
            "SELECT target, run, seed FROM findings WHERE bucket = ? ORDER BY 1, 2", (bucket,)
        )
        return [(target, run, int(seed, 16)) for target, run, seed in rows]

    def yields(self) -> dict[str, list[Yield]]:
        """By target, what each used seed gave, in the order of the seeds' names; nothing in a folder
        of an earlier release.
        """
        found: dict[str, list[Yield]] = {}
        if self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'yields'").fetchone():
            for target, data in self._db.execute(
                "SELECT target, data FROM yields ORDER BY target, source, seed"
            ):
                found.setdefault(target, []).append(Yield(**json.loads(data)))
        return found

    def arms(self) -> dict[str, list[ArmYield]]:
        """By target, what came of the runs with each arm."""
        return read_arms(self._db)

    def news(self, target: str) -> list[int]:
        """The pairs of signals that the campaign has seen from a target."""
        return read_news(self._db, target)

    def versions(self) -> dict[str, str]:
        """The solver's version in which each bucket was last seen, by key."""
        rows = self._db.execute("SELECT bucket, version, MAX(time) FROM findings GROUP BY bucket")
        return {bucket: version for bucket, version, _ in rows}

    def releases(self, bucket: str) -> list[str]:
        """The solver's versions in which `bucket` was seen, in the order of their first findings."""
        rows = self._db.execute(
            "SELECT version FROM findings WHERE bucket = ? GROUP BY version ORDER BY MIN(time)",
            (bucket,),
        )
        return [version for (version,) in rows]

    def arguments(self) -> list[dict[str, Any]]:
        """What each session was asked to do, the last one first."""
        rows = self._db.execute("SELECT arguments FROM sessions ORDER BY started DESC")
        return [json.loads(arguments) for (arguments,) in rows]

    def untold(self) -> list[str]:
        """The buckets that were opened since the last session that ended by itself."""
        return [key for (key,) in self._db.execute(_UNTOLD)]

    def counters(self) -> dict[str, int]:
        """The counters of all runs that ended, by name."""
        return dict(self._db.execute("SELECT name, value FROM counters ORDER BY name"))

    def close(self) -> None:
        """Close the database."""
        self._db.close()


def _dump(bucket: Bucket) -> str:
    data: dict[str, Any] = {name: getattr(bucket, name) for name in _BUCKET}
    data["traces"] = [
        [kept.file, kept.seed, kept.lines, kept.size, kept.confirmed] for kept in bucket.traces
    ]
    data["reproducers"] = [asdict(form) for form in bucket.reproducers]
    return json.dumps(data)


def _load(key: str, data: dict[str, Any]) -> Bucket:
    traces = [Kept(*kept) for kept in data.pop("traces")]
    forms = tuple(Reproducer(**form) for form in data.pop("reproducers", []))
    return Bucket(key=key, traces=traces, reproducers=forms, **data)


def read_buckets(folder: Path) -> list[Bucket]:
    """The buckets of the campaign in `folder`, which may be running. Raises InputError when no
    campaign is there.
    """
    with closing(Store(folder, read_only=True)) as store:
        return store.buckets()


def read_versions(folder: Path) -> dict[str, str]:
    """The solver's version in which each bucket of the campaign in `folder` was last seen, by key.
    Raises InputError when no campaign is there.
    """
    with closing(Store(folder, read_only=True)) as store:
        return store.versions()


def read_counters(folder: Path) -> dict[str, int]:
    """The counters of all runs of the campaign in `folder` that ended, by name. Raises InputError
    when no campaign is there.
    """
    with closing(Store(folder, read_only=True)) as store:
        return store.counters()


def read_operators(folder: Path) -> dict[str, list[str]]:
    """The operators that the targets of the campaign in `folder` draw from, by theory; empty for a
    folder of an earlier release. Raises InputError when no campaign is there.
    """
    with closing(Store(folder, read_only=True)) as store:
        return dict(store.meta().get("operators", {}))


def read_learnt(folder: Path) -> dict[str, list[ArmYield]]:
    """By target, what came of the runs with each arm in the campaign in `folder`. Raises InputError
    when no campaign is there.
    """
    with closing(Store(folder, read_only=True)) as store:
        return store.arms()


def read_yields(folder: Path) -> dict[str, list[Yield]]:
    """By target, what each seed gave in the campaign in `folder`. Raises InputError when no campaign
    is there.
    """
    with closing(Store(folder, read_only=True)) as store:
        meta = store.meta()
        return {
            name: settled(entries, meta.get(f"steering:{name}") or {})
            for name, entries in store.yields().items()
        }
