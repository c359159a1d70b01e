"""The store of a campaign: an SQLite database in WAL mode with one writer. The store mirrors the
buckets, counters and states that the campaign holds in memory.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

import msgspec

from murxpy.errors import InputError
from murxpy.findings.buckets import Bucket, Kept
from murxpy.findings.damage import Damaged, check_pages, reading
from murxpy.findings.folder import CAMPAIGN, connect_below
from murxpy.learning.arms import MOST_STEPS
from murxpy.learning.guide import KEPT, LEAST
from murxpy.processes.handles import Damp
from murxpy.records.finding import Finding
from murxpy.records.snapshot import NodeSum
from murxpy.records.timeline import Point
from murxpy.records.yields import TABLES as LEARNT
from murxpy.records.yields import ArmYield, Key, Learnt, Offered, Yield, settled

FILE = CAMPAIGN

# Pages of 4 KiB that the log of changes may hold before they move to the database. The log takes
# room of its own, so on a disk with less than `_SMALL` bytes left the changes move soon, although
# each move costs a write to the disk.
_LOG, _SHORT_LOG, _SMALL = 1024, 16, 16 << 20
SCHEMA = 2
MERGED = "merged"  # the shard of a folder that has those of other folders
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

# The yield of each seed in the mutation fuzzers. Folders of earlier releases lack the table.
_YIELDS = "CREATE TABLE IF NOT EXISTS yields (target TEXT, source TEXT, seed TEXT, data TEXT NOT NULL, PRIMARY KEY (target, source, seed))"

# The figures of the sessions over time. Folders of earlier releases lack the table.
_TIMELINE = "CREATE TABLE IF NOT EXISTS timeline (session REAL, elapsed REAL, data TEXT NOT NULL, UNIQUE (session, elapsed))"

# The nodes of a cluster that made runs. Folders of earlier releases lack the table.
_NODES = (
    "CREATE TABLE IF NOT EXISTS nodes (name TEXT PRIMARY KEY, host TEXT NOT NULL, runs INTEGER NOT NULL, "
    "losses INTEGER NOT NULL, seen REAL NOT NULL)"
)
_ADD_NODE = (
    "INSERT INTO nodes VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET host = excluded.host, "
    "runs = runs + excluded.runs, losses = losses + excluded.losses, seen = MAX(seen, excluded.seen)"
)
# Nodes come and go under new names, and say themselves what they are called.
_MOST_NODES, _LONGEST_NODE = 1000, 200
OTHER_NODES = "other nodes"

_LAST = "SELECT session, MAX(elapsed) FROM timeline GROUP BY session"

_FINDINGS = (
    "SELECT bucket, target, run, seed, version, lines, calls, time FROM findings "
    "JOIN damps ON damps.id = findings.damp ORDER BY findings.rowid"
)
_COUNTED = "SELECT 1 FROM findings WHERE bucket = ? AND target = ? AND run = ?"
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
    "told",
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


# More runs than any campaign has under way: a folder that claims more is damaged, or a stranger's.
_MOST_OPEN = 1 << 23
_Size = Annotated[int, msgspec.Meta(ge=1, le=_MOST_OPEN)]


@dataclass(slots=True)
class TargetState:
    """The progress of a target: the index of its next run, and the lower indices of runs that are not
    done: of each span of neighbours the first, and how many they are. Earlier releases stored each index.
    """

    name: str
    solver: str
    version: str
    next: int = 0
    open: tuple[tuple[int, _Size] | int, ...] = ()

    def numbers(self) -> tuple[int, ...]:
        """The indices of runs that are not done."""
        spans = ((one, 1) if isinstance(one, int) else one for one in self.open)
        return tuple(index for first, count in spans for index in range(first, first + count))


@dataclass(slots=True)
class Changes:
    """The changes that one transaction writes. `session` is its start, its end, the reason of its
    end, and its arguments as JSON.
    """

    targets: Iterable[TargetState] = ()
    buckets: Iterable[Bucket] = ()
    rows: list[FindingRow] = field(default_factory=list)
    counters: Counter[str] = field(default_factory=Counter)
    meta: dict[str, Any] = field(default_factory=dict)
    session: tuple[float, float | None, str | None, str] | None = None
    yields: dict[tuple[str, Key], Yield] = field(default_factory=dict)
    learnt: Learnt = field(default_factory=Learnt)
    points: list[Point] = field(default_factory=list)
    # what is to be added to what is kept of the nodes
    nodes: list[NodeSum] = field(default_factory=list)


def dump(bucket: Bucket) -> str:
    """The column `data` of the row of a bucket."""
    data: dict[str, Any] = {name: getattr(bucket, name) for name in _BUCKET}
    data["traces"] = [
        [kept.file, kept.seed, kept.lines, kept.size, kept.confirmed] for kept in bucket.traces
    ]
    data["reproducers"] = [asdict(form) for form in bucket.reproducers]
    return json.dumps(data)


# The functions that read the rows of each table. A function takes all columns of its table, and
# raises one of `damage.WRONG` for values that murxpy cannot have written.

_KEPT = [one.name for one in fields(Kept)]
_KEY = re.compile(r"(?!\.)[^/\\\0]+")


def is_key(name: str) -> bool:
    """Whether `name` can be the key of a bucket, and so the name of a folder."""
    return bool(_KEY.fullmatch(name))


def _read_bucket(key: str, kind: str, state: str, count: int, first: float, text: str) -> Bucket:
    data = json.loads(text)
    kept = [dict(zip(_KEPT, one, strict=True)) for one in data["traces"]]
    told = state != "pending"  # earlier releases did not note it
    data = {"reproducers": (), "told": told, **data, "key": key, "traces": kept}
    bucket = msgspec.convert(data, Bucket)
    if (kind, state, count, first) != (bucket.kind, bucket.state, bucket.count, bucket.first):
        raise ValueError(f"its columns say something else of bucket {key!r} than its data")
    files = [one.file for one in bucket.traces] + [one.file for one in bucket.reproducers]
    for file in filter(None, files):
        folder, _, name = file.rpartition("/")
        if folder != f"findings/{key}" or not is_key(key) or not is_key(name):
            raise ValueError(f"bucket {key!r} names {file!r}, which is no file of its folder")
    return bucket


_Hex = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]+$")]
_RunSeed = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{1,64}\Z")]
# What a campaign counts or measures stays below this: sums and quotients of strangers' figures are finite.
_Most = 10**15
_Count = Annotated[int, msgspec.Meta(ge=0, le=_Most)]
_Gain = Annotated[float, msgspec.Meta(ge=0, le=_Most)]
_Natural = Annotated[int, msgspec.Meta(ge=0)]  # of any number of digits, such as a run seed


class _Mixed(TypedDict):
    """The state that `Shares.state` returns."""

    spent: dict[str, _Gain]
    shown: dict[str, str]


_Mutated = tuple[_Natural, list[tuple[str, str]], dict[str, _Count], list[str]]


class _Steering(TypedDict, total=False):
    """The state that `Steering.state` returns: runs by their numbers, buckets that were paid for, what
    the runs of each source cost and how many these were, the numbers of seed files by fuzzer and by
    the reason why they cannot be used, and what the sources of a mix that learns gave.
    """

    open: dict[int, _Mutated]
    over: dict[int, _Mutated]
    paid: list[str]
    costs: dict[str, tuple[_Gain, _Count]]
    offered: dict[str, dict[str, _Count]]
    mixed: _Mixed


class _Guided(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """A run of a guided campaign. Earlier releases left out the last parts."""

    seed: _RunSeed
    arms: list[str]
    news: list[int] = []
    counts: dict[str, _Count] = {}
    buckets: list[str] = []
    wrong: bool = False
    killed: bool = False
    mutates: bool = False
    earlier: _RunSeed | None = None
    steps: _Count = 0


class _Varied(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """A walk of a corpus, as `KeptWalks.state` gives it."""

    steps: Annotated[int, msgspec.Meta(ge=1, le=MOST_STEPS)]
    source: str
    gained: Annotated[float, msgspec.Meta(ge=LEAST, le=_Most)]
    tried: _Count = 0


class _Guidance(TypedDict, total=False):
    """The state that `Guidance.state` returns."""

    open: dict[int, _Guided]
    over: dict[int, _Guided]
    paid: list[str]
    typical: Annotated[float, msgspec.Meta(ge=1, le=_Most)]
    corpus: Annotated[list[tuple[_RunSeed, _Varied]], msgspec.Meta(max_length=KEPT)]


class _Damped(msgspec.Struct, array_like=True):
    """Neighbouring runs of a campaign that damps calls, as the row that `Damping.state` gives. Earlier
    releases had a row for each run.
    """

    known: int
    call: tuple[str, str, str] | None
    count: int = 1


class _Damping(TypedDict, total=False):
    """The state that `Damping.state` returns."""

    open: dict[int, _Damped]
    over: dict[int, _Damped]
    calls: list[tuple[str, str, str]]


_Some = Annotated[int, msgspec.Meta(ge=1)]
_Index = _Natural  # of a script in a grammar: that of a large script has hundreds of digits


class _Enumerated(TypedDict, total=False):
    """The state that `Enumerated.state` returns."""

    rests: dict[int, _Hex]
    marks: dict[int, tuple[str, int]]
    costs: list[tuple[str, int, int, int, list[tuple[int, int, int]]]]
    given_up: dict[str, list[tuple[str, str, str, _Some, _Count, _Count, _Index]]]
    settled: bool
    counts: dict[str, int]
    open: dict[str, int]


class _Callables(TypedDict):
    """The public callables of a binding, as the campaign keeps them."""

    spelled: dict[str, list[str]]
    skipped: dict[str, int]


# The named values of a campaign; those behind a colon are those of a target.
_META: dict[str, Any] = {
    "seed": int,
    "lag": Annotated[int, msgspec.Meta(ge=1, le=_Most)],
    "shard": tuple[_Count, _Count] | Literal["merged"],
    "release": str,
    "parts": list[int],
    "operators": dict[str, list[str]],
    "pair": str,
    "enumerated": str,
    "suspects": list[str],
    "callables:": _Callables,
    "ended:": dict[int, str],
    "steering:": _Steering,
    "guidance:": _Guidance,
    "damping:": _Damping,
    "enumerated:": _Enumerated,
}


def _read_meta(name: str, text: str) -> tuple[str, Any]:
    value, (first, colon, _) = json.loads(text), name.partition(":")
    read = msgspec.convert(value, _META.get(first + colon, Any), str_keys=True)
    if name == "shard" and read != "merged" and not 1 <= read[0] <= read[1]:
        raise ValueError(f"there is no shard {read[0]} of {read[1]}")
    return name, value


def _read_target(name: str, solver: str, version: str, following: int, left: str) -> TargetState:
    data = {"name": name, "solver": solver, "version": version, "next": following}
    state = msgspec.convert({**data, "open": json.loads(left)}, TargetState)
    if sum(1 if isinstance(one, int) else one[1] for one in state.open) > _MOST_OPEN:
        raise ValueError(f"more than {_MOST_OPEN} runs are not done")
    return state


def _read_finding(
    bucket: str, target: str, run: int, seed: str, version: str, lines: int, damp: int, time: float
) -> tuple[Any, ...]:
    values = (bucket, target, run, int(seed, 16), version, lines, damp, time)
    return msgspec.convert(values, tuple[str, str, int, int, str, int, int, float])


def _read_session(
    started: float, ended: float | None, reason: str | None, text: str
) -> dict[str, Any]:
    msgspec.convert((started, ended, reason), tuple[float, float | None, str | None])
    return msgspec.convert(json.loads(text), dict[str, Any])


def _read_yield(target: str, source: str, seed: str, text: str) -> tuple[str, Yield]:
    entry = msgspec.convert(json.loads(text), Yield)
    if entry.key != (source, seed):
        raise ValueError(f"its columns say something else of seed {seed!r} than its data")
    return msgspec.convert(target, str), entry


def _read_arm(target: str, arm: str, text: str) -> tuple[str, ArmYield]:
    entry = msgspec.convert(json.loads(text), ArmYield)
    msgspec.convert((entry.gains, entry.losses), tuple[_Gain, _Gain])
    if entry.arm != arm:
        raise ValueError(f"its columns say something else of arm {arm!r} than its data")
    return msgspec.convert(target, str), entry


def _read_point(session: float, elapsed: float, text: str) -> Point:
    point = msgspec.convert(json.loads(text), Point)
    if (point.session, point.elapsed) != (session, elapsed):
        raise ValueError(f"its columns say something else of {elapsed} s than its data")
    return point


def _read_node(name: str, host: str, runs: int, losses: int, seen: float) -> NodeSum:
    data = {"name": name, "host": host, "runs": runs, "losses": losses, "seen": seen}
    return msgspec.convert(data, NodeSum)


def _of_types(*types: Any) -> Callable[..., Any]:
    whole: Any = tuple.__class_getitem__(types)
    return lambda *values: msgspec.convert(values, whole)


ROWS: dict[str, Callable[..., Any]] = {
    "meta": _read_meta,
    "targets": _read_target,
    "buckets": _read_bucket,
    "damps": _of_types(int, str),
    "findings": _read_finding,
    "counters": _of_types(str, int),
    "sessions": _read_session,
    "yields": _read_yield,
    "arms": _read_arm,
    "news": _of_types(str, int),
    "timeline": _read_point,
    "nodes": _read_node,
}
# tables that the folders of earlier releases lack
LATER = ("yields", "arms", "news", "timeline", "nodes")
_RENAMED = {"cpu-ns:aftermath": "cpu-ns:follow-up"}  # counters of earlier releases
_NAMED = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"


class Store:
    """The database in `folder`. Raises InputError for another version, for a file that is no
    database, and for a database that is damaged; a method that reads raises InputError for a value
    that it cannot understand. With `rebuild` a new database is made although the folder has findings.
    """

    def __init__(self, folder: Path, *, read_only: bool = False, rebuild: bool = False) -> None:
        self._path = folder / FILE
        if not rebuild:
            self._refuse_missing(read_only)
        with contextlib.ExitStack() as opened:  # closes the database where it cannot be used
            try:
                self._db = opened.enter_context(
                    contextlib.closing(connect_below(folder, FILE, read_only=read_only))
                )
                with self.reading():
                    self._open(read_only)
            except sqlite3.Error as error:
                other = "name another folder" if read_only else "choose another folder with --out"
                raise InputError(
                    f"the campaign's database cannot be used ({error}); {other}",
                    file=str(self._path),
                ) from error
            opened.pop_all()

    def _refuse_missing(self, read_only: bool) -> None:
        """Raise InputError where there is no database, although one is to be read, or there are
        findings of a campaign that had one.
        """
        if self._path.is_file() and self._path.stat().st_size:
            return
        if has_traces(self._path.parent):
            raise Damaged("it is missing or empty, although there are findings", self._path)
        if read_only:
            raise InputError(
                "no campaign was run here; name the folder that was given to 'fuzz' as --out",
                file=str(self._path.parent),
            )

    def reading(self, what: str = "its data") -> contextlib.AbstractContextManager[None]:
        """The context in which `what` is read from the store and understood: what goes wrong there is
        raised as Damaged.
        """
        return reading(self._path, what)

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
            raise Damaged(
                f"it is damaged, or of a newer release: it has version {version}, this murxpy reads version {_OLDEST} to {SCHEMA}",
                self._path,
            )
        elif not read_only:
            check_pages(self._db, self._path)
            if version == 1:
                self._update()
        if not read_only:
            self._db.execute(_YIELDS)
            self._db.execute(_TIMELINE)
            self._db.execute(_NODES)

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
            [(b.key, b.kind, b.state, b.count, b.first, dump(b)) for b in changes.buckets],
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
        run(
            "INSERT OR REPLACE INTO timeline VALUES (?, ?, ?)",
            [(one.session, one.elapsed, json.dumps(asdict(one))) for one in changes.points],
        )
        if changes.nodes:
            self._add_nodes(changes.nodes)
        if changes.session is not None:
            run("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?)", [changes.session])

    def _add_nodes(self, nodes: Iterable[NodeSum]) -> None:
        """Add to what is kept of nodes. Of very many, the later ones share a row."""
        there = {str(name): None for (name,) in self._db.execute("SELECT name FROM nodes")}
        for node in nodes:
            name, host = _short(node.name), _short(node.host)
            if name not in there and len(there) >= _MOST_NODES:
                name, host = OTHER_NODES, ""
            there[name] = None
            self._db.execute(_ADD_NODE, (name, host, node.runs, node.losses, node.seen))

    def _select(self, query: str, *values: object) -> list[Any]:
        """The rows that a query gives. Raises Damaged."""
        with self.reading():
            return self._db.execute(query, values).fetchall()

    def _read(self, table: str, order: str) -> list[Any]:
        """The rows of a table, each as `ROWS` reads it; nothing where the table is missing, as in a
        folder of an earlier release. Raises Damaged.
        """
        read = ROWS[table]
        with self.reading(f"a row of table {table}"):
            if not self._db.execute(_NAMED, (table,)).fetchone() and table in LATER:
                return []
            rows = self._db.execute(f"SELECT * FROM {table} ORDER BY {order}")
            return [read(*row) for row in rows]

    def copy_to(self, folder: Path) -> None:
        """Copy all that is stored into a new database in another folder, also where the file of this
        one was removed. Raises sqlite3.Error.
        """
        with contextlib.closing(connect_below(folder, FILE)) as copy:
            self._db.backup(copy)

    def insert(self, table: str, rows: Iterable[tuple[Any, ...]]) -> int:
        """Insert rows of another store, all or none of them, and return how many are new. The damped
        calls of findings stand in the rows themselves, so the table of damped calls is passed over.
        """
        if table == "damps":
            return 0
        for learnt in LEARNT if table in ("arms", "news") else ():
            self._db.execute(learnt)
        before = self._db.total_changes
        if table == "findings":
            self._transact(Changes(rows=list(rows)))
            return int(self._db.execute("SELECT COUNT(*) FROM findings").fetchone()[0])
        self._db.execute("BEGIN")
        for row in rows:
            marks = ", ".join("?" * len(row))
            self._db.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)
        self._db.execute("COMMIT")
        return self._db.total_changes - before

    def meta(self) -> dict[str, Any]:
        """The named values of the campaign, such as its `seed`."""
        return dict(self._read("meta", "name"))

    def targets(self) -> dict[str, TargetState]:
        """The progress of each target, by its name."""
        return {state.name: state for state in self._read("targets", "rowid")}

    def buckets(self) -> list[Bucket]:
        """All buckets, oldest first."""
        return self._read("buckets", "first, key")

    def rows(self, bucket: str) -> list[tuple[str, int, int]]:
        """The findings of `bucket`: target, run index, run seed; in the order of targets and runs."""
        rows = self._select(
            "SELECT target, run, seed FROM findings WHERE bucket = ? ORDER BY 1, 2", bucket
        )
        with self.reading("a row of table findings"):
            return [(target, run, int(seed, 16)) for target, run, seed in rows]

    def findings(self) -> list[FindingRow]:
        """All rows of the table `findings`, with the damped calls as JSON."""
        with self.reading("a row of table findings"):
            return msgspec.convert(self._db.execute(_FINDINGS).fetchall(), list[FindingRow])

    def session_rows(self) -> list[tuple[float, float | None, str | None, str]]:
        """All rows of the table `sessions`, with the arguments as JSON."""
        self.arguments()  # each of them can be read
        rows = self._select("SELECT * FROM sessions ORDER BY started")
        return msgspec.convert(rows, list[tuple[float, float | None, str | None, str]])

    def has(self, bucket: str, target: str, run: int) -> bool:
        """Whether the run of this index of a target was counted in a bucket. Raises sqlite3.Error."""
        row = (bucket, target, run)
        return self._db.execute(_COUNTED, row).fetchone() is not None

    def yields(self) -> dict[str, list[Yield]]:
        """By target, what each used seed gave, in the order of the seeds' names; nothing in a folder
        of an earlier release.
        """
        found: dict[str, list[Yield]] = {}
        for target, entry in self._read("yields", "target, source, seed"):
            found.setdefault(target, []).append(entry)
        return found

    def arms(self) -> dict[str, list[ArmYield]]:
        """The yield of each arm, by target."""
        found: dict[str, list[ArmYield]] = {}
        for target, entry in self._read("arms", "target, arm"):
            found.setdefault(target, []).append(entry)
        return found

    def news(self, target: str) -> list[int]:
        """The pairs of signals that the campaign has seen from a target."""
        return [pair for name, pair in self._read("news", "pair") if name == target]

    def versions(self) -> dict[str, str]:
        """The solver's version in which each bucket was last seen, by key."""
        rows = self._select("SELECT bucket, version, MAX(time) FROM findings GROUP BY bucket")
        return {str(bucket): str(version) for bucket, version, _ in rows}

    def releases(self) -> dict[str, list[str]]:
        """The solver's versions in which each bucket was seen, in the order of their first findings."""
        rows = self._select(
            "SELECT bucket, version FROM findings GROUP BY bucket, version ORDER BY MIN(time)"
        )
        found: dict[str, list[str]] = {}
        for bucket, version in rows:
            found.setdefault(str(bucket), []).append(str(version))
        return found

    def timeline(self) -> list[Point]:
        """The figures of each session over time, in order; empty in a folder of an earlier release."""
        return self._read("timeline", "session, elapsed")

    def nodes(self) -> list[NodeSum]:
        """The nodes of a cluster that made runs; empty in the folder of one machine."""
        return self._read("nodes", "name")

    def sessions(self) -> list[tuple[float, float | None, str | None]]:
        """When each session began and ended, and why; an end is None where it runs or was killed."""
        rows = self._select("SELECT started, ended, reason FROM sessions ORDER BY started")
        with self.reading("a row of table sessions"):
            return msgspec.convert(rows, list[tuple[float, float | None, str | None]])

    def arguments(self) -> list[dict[str, Any]]:
        """The arguments of each session, the last one first."""
        return self._read("sessions", "started DESC")

    def seconds(self, now: float | None = None) -> float:
        """The seconds of all sessions. A session that was killed or runs has those until its last figures
        over time; the last session, where it has no end, goes on until `now` if that is given.
        """
        there = self._select(_NAMED, "timeline")
        rows = self._select(_LAST) if there else []
        with self.reading("a row of table timeline"):
            last = dict(msgspec.convert(rows, list[tuple[float, float]]))
        spent = 0.0
        sessions = self.sessions()
        for started, ended, _ in sessions:
            open_end = ended is None and now is not None and started == sessions[-1][0]
            until = now if open_end else ended
            spent += last.get(started, 0.0) if until is None else max(0.0, until - started)
        return spent

    def untold(self) -> list[str]:
        """The buckets that were opened since the last session that ended by itself."""
        return [key for (key,) in self._select(_UNTOLD)]

    def changes(self) -> int:
        """A number that is another one when somebody else has written since the last call."""
        ((number,),) = self._select("PRAGMA data_version")
        return int(number)

    def counter(self, name: str) -> int:
        """One of the counters of all runs that ended."""
        rows = self._select("SELECT value FROM counters WHERE name = ?", name)
        return int(rows[0][0]) if rows else 0

    def counters(self) -> dict[str, int]:
        """The counters of all runs that ended, by name. A counter that earlier releases kept under
        another name counts under its present one.
        """
        found: Counter[str] = Counter()
        for name, value in self._read("counters", "name"):
            found[_RENAMED.get(name, name)] += value
        return dict(found)

    def close(self) -> None:
        """Close the database."""
        self._db.close()


def _short(text: str) -> str:
    """The beginning of what a node says of itself, which the database can store."""
    return text[:_LONGEST_NODE].encode("utf-8", "replace").decode()


def has_traces(folder: Path) -> bool:
    """Whether the output folder `folder` has traces of findings."""
    return next(folder.glob("findings/*/*.trace"), None) is not None


def read_buckets(folder: Path) -> list[Bucket]:
    """The buckets of the campaign in `folder`, which may be running. Raises InputError when no
    campaign is there.
    """
    with closing(Store(folder, read_only=True)) as store:
        return store.buckets()


def read_seed(folder: Path) -> int | None:
    """The seed of the campaign in `folder`; None where none is there yet. Raises InputError."""
    if not (folder / FILE).is_file():
        return None
    with closing(Store(folder, read_only=True)) as store:
        seed = store.meta().get("seed")
        return None if seed is None else int(seed)


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


def read_scripts(folder: Path, target: str) -> Counter[str]:
    """The counters of the scripts that the campaign in `folder` enumerated on a target, by name, also of
    blocks that its end stopped. Raises InputError when no campaign is there.
    """
    with closing(Store(folder, read_only=True)) as store:
        kept = store.meta().get(f"enumerated:{target}", {})
        # a folder of an earlier release counts all targets together
        counts = Counter(kept.get("counts") or store.counters())
        counts.update(kept.get("open", {}))
        return counts


def read_given_up(folder: Path, target: str) -> dict[str, list[list[Any]]]:
    """The causes for which judges, or the target, gave up on scripts that the other decided in the campaign
    in `folder`, as the enumeration stores them. Raises InputError when no campaign is there.
    """
    with closing(Store(folder, read_only=True)) as store:
        return dict(store.meta().get(f"enumerated:{target}", {}).get("given_up", {}))


def read_operators(folder: Path) -> dict[str, list[str]]:
    """The operators that the targets of the campaign in `folder` draw from, by theory; empty for a
    folder of an earlier release. Raises InputError when no campaign is there.
    """
    with closing(Store(folder, read_only=True)) as store:
        return dict(store.meta().get("operators", {}))


def read_callables(folder: Path) -> dict[str, dict[str, Any]]:
    """The public callables of each target's binding in the campaign in `folder`, as the campaign
    describes them; empty for a folder of an earlier release. Raises InputError when no campaign is
    there.
    """
    with closing(Store(folder, read_only=True)) as store:
        parts = [(name.partition(":"), value) for name, value in store.meta().items()]
        return {target: value for (first, _, target), value in parts if first == "callables"}


def read_nodes(folder: Path) -> list[NodeSum]:
    """The nodes of a cluster that made runs of the campaign in `folder`. Raises InputError when no campaign
    is there.
    """
    with closing(Store(folder, read_only=True)) as store:
        return store.nodes()


def read_learnt(folder: Path) -> dict[str, list[ArmYield]]:
    """Return, by target, the yield of each arm in the campaign in `folder`. Raises InputError when no
    campaign is there.
    """
    with closing(Store(folder, read_only=True)) as store:
        return store.arms()


def read_offered(folder: Path) -> dict[str, Offered]:
    """Return, by target, how many seeds each fuzzer of the campaign in `folder` can use. Raises InputError
    when no campaign is there.
    """
    with closing(Store(folder, read_only=True)) as store:
        meta = store.meta()
        return {
            name: meta.get(f"steering:{name}", {}).get("offered", {}) for name in store.targets()
        }


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
