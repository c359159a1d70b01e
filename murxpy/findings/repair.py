"""Rebuilds the store of a campaign from every row of the damaged store that can still be read, and
from the traces in the folder, which need nothing else.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from murxpy.errors import InputError
from murxpy.findings.buckets import KEPT, Bucket, Kept, bucket_key, new_bucket
from murxpy.findings.damage import WRONG
from murxpy.findings.folder import Folder, read_if_there
from murxpy.findings.kinds.registry import KINDS
from murxpy.findings.store import FILE, LATER, ROWS, Changes, Store, TargetState, is_key
from murxpy.machine.trace.finished import header_value, last_call
from murxpy.oracles.crash import Outcome, Verdict, judge

DAMAGED = f"{FILE}.damaged"  # the name of a damaged store that is kept; a number stands behind it
_STEM = re.compile(r"([0-9a-f]{16,64})(?:-\d+)?")  # of a trace: the seed of its run
# Queries that may fail while the rows between two damaged pages are looked for, in each table. A page
# has about 40 findings, and takes about 80 queries of 30 us.
_TRIES = 20_000
# Numbers of rows behind the last one that was read, among which more are looked for.
_RANGE = 1 << 17
_CODES = range(1, 256)  # exit codes of processes
_TOLD = "repaired"  # the reason for which the session ended that a repair notes


@dataclass
class Repaired:
    """The result of a repair: the rows that were `kept`, by table; what was `lost`, in sentences; the
    keys of the buckets `made` from their traces; and the name of the file with the damaged store,
    empty if nothing was mended. `whole` says that no finding was lost.
    """

    kept: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    damaged: str = ""
    whole: bool = True


def repair(out: Path) -> Repaired:
    """Rebuild the store of the campaign in the folder `out` if it is damaged. Raises InputError
    where there is nothing to make it from, or the folder cannot be written.
    """
    sources = [out / FILE, *sorted(out.glob(f"{DAMAGED}*"), key=_number, reverse=True)]
    source = next((file for file in sources if file.is_file() and not file.is_symlink()), None)
    if source is None and not any(_trace_folders(out)):
        raise InputError(
            "no campaign was run here: there is neither a database nor a trace; name the folder that was "
            "given to 'fuzz' as --out",
            file=str(out),
        )
    with contextlib.closing(Folder(out)), tempfile.TemporaryDirectory(prefix="murxpy-") as scratch:
        return _Repair(out, source, Path(scratch)).done()


def _number(file: Path) -> int:
    """The number behind the name of a damaged store."""
    number = file.name.removeprefix(f"{DAMAGED}-")
    return int(number) if number.isdecimal() else 0


def _trace_folders(out: Path) -> Iterator[Path]:
    """The folders of buckets that have a trace."""
    for folder in sorted((out / "findings").glob("*")):
        if is_key(folder.name) and not folder.is_symlink() and _traces(folder):
            yield folder


def _traces(folder: Path) -> list[Path]:
    """The traces in the folder of a bucket as they were found, the smallest first."""
    found = [
        file
        for file in folder.glob("*.trace")
        if _STEM.fullmatch(file.stem) and file.is_file() and not file.is_symlink()
    ]
    return sorted(found, key=lambda file: (file.stat().st_size, file.name))


class _Repair:
    """One repair of the folder `out`, whose database is `source`."""

    def __init__(self, out: Path, source: Path | None, scratch: Path) -> None:
        self._out, self._source, self._scratch = out, source, scratch
        self._result = Repaired()
        self._tables: dict[str, list[tuple[Any, ...]]] = {}

    def done(self) -> Repaired:
        if self._source is not None:
            self._salvage(self._source)
        buckets = self._buckets()
        if self._source == self._out / FILE and not self._result.lost and not self._result.made:
            if self._is_sound(self._source):
                return self._result
            self._result.lost.append("nothing but the head of the database")
        self._write(buckets)
        return self._result

    # Reading the rows of the damaged store that can still be read.

    def _salvage(self, source: Path) -> None:
        copy = _copied(source, self._scratch / "damaged.sqlite")
        files = (copy, self._with_first_page(copy))
        with contextlib.ExitStack() as stack:
            databases = [stack.enter_context(contextlib.closing(_Damaged(f))) for f in files]
            # the first of those with most tables
            database = max(databases, key=lambda one: len(ROWS.keys() & one.tables))
            if database.tables:
                self._take(database)
                return
        self._lose("all of the damaged database: nothing of it can be read", finding=True)

    def _is_sound(self, source: Path) -> bool:
        """Whether a campaign could go on with the database."""
        inside = self._scratch / "sound"
        inside.mkdir()
        _copied(source, inside / FILE)
        try:
            Store(inside).close()
        except InputError:
            return False
        return True

    def _with_first_page(self, copy: Path) -> Path:
        """A copy whose first page, which says where the tables begin, is that of a new database: these
        are made by the same statements, so their tables begin on the same pages.
        """
        inside = self._scratch / "new"
        inside.mkdir()
        Store(inside).close()
        fresh, old = (inside / FILE).read_bytes(), copy.read_bytes()
        size = int.from_bytes(fresh[16:18], "big")
        pages = (len(old) // size).to_bytes(4, "big")
        mended = self._scratch / "mended.sqlite"
        mended.write_bytes(fresh[:28] + pages + fresh[32:size] + old[size:])
        return mended

    def _take(self, database: _Damaged) -> None:
        for table in ROWS:
            if table in database.tables:
                rows, failed = database.rows(table)
                self._tables[table] = self._understood(table, rows)
                if failed:
                    self._lose(f"a part of table {table} that cannot be read", _is_found(table))
            elif table not in (*LATER, "damps"):
                self._lose(f"table {table}, which is missing", _is_found(table))
        if database.problem and not self._result.lost:
            self._lose(f"nothing but the order of the database ({database.problem})", finding=False)

    def _understood(self, table: str, rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """The rows that can be understood, each once."""
        calls = dict(self._tables.get("damps", ()))
        found: dict[tuple[Any, ...], None] = {}
        bad = 0
        for raw in rows:
            try:
                row = tuple(one.decode() if isinstance(one, bytes) else one for one in raw)
                if table == "findings" and len(row) == 8:
                    # The calls that were damped stand in the row itself in version 1.
                    text = row[6] if isinstance(row[6], str) else calls.get(row[6], "[]")
                    ROWS[table](*row[:6], 0, row[7])
                    row = (*row[:6], text, row[7])
                else:
                    ROWS[table](*row)
                found[row] = None
            except WRONG:
                bad += 1
        if bad:
            rows_lost = "1 row" if bad == 1 else f"{bad:,} rows"
            self._lose(f"{rows_lost} of table {table} that cannot be understood", _is_found(table))
        return list(found)

    def _lose(self, sentence: str, finding: bool) -> None:
        self._result.lost.append(sentence)
        self._result.whole &= not finding

    # Making buckets from the traces in the folder.

    def _buckets(self) -> dict[str, Bucket]:
        """The buckets that could be read, and those that only their traces show."""
        rows = self._tables.pop("buckets", [])
        found = {bucket.key: bucket for bucket in (ROWS["buckets"](*row) for row in rows)}
        counts = Counter(row[0] for row in self._tables.get("findings", ()))
        for bucket in found.values():
            gone = [kept for kept in bucket.traces if not (self._out / kept.file).is_file()]
            for kept in gone:
                bucket.traces.remove(kept)
                self._lose(f"{kept.file}, which is not there", finding=False)
        for folder in _trace_folders(self._out):
            bucket_here = found.get(folder.name)
            if bucket_here is None:
                found[folder.name] = _bucket_of(folder, counts[folder.name])
                self._result.made.append(folder.name)
            elif not bucket_here.traces and not bucket_here.known:
                bucket_here.traces = _kept(folder)
                self._result.made.append(folder.name)
        for key in sorted(counts.keys() - found.keys()):
            self._lose(f"bucket {key}, of which there are findings and no trace", finding=True)
        rows = self._tables.get("findings", [])
        self._tables["findings"] = [row for row in rows if row[0] in found]
        return found

    # The new store.

    def _write(self, buckets: dict[str, Bucket]) -> None:
        inside = self._scratch / "made"
        inside.mkdir()
        now = time.time()
        with contextlib.closing(Store(inside)) as store:
            for table, rows in self._tables.items():
                self._result.kept[table] = store.insert(table, rows)
            self._result.kept["buckets"] = len(buckets) - len(self._result.made)
            state = [*_advanced(store, self._tables.get("findings", ()))]
            session = (now, now, _TOLD, "{}")
            store.save(Changes(state, buckets.values(), session=session))
        self._replace(inside / FILE)

    def _replace(self, made: Path) -> None:
        """Put the new store in the place of the damaged one, which gets another name."""
        part = self._out / f".{os.urandom(4).hex()}.part"
        try:
            shutil.copyfile(made, part, follow_symlinks=False)
            if self._source == self._out / FILE:
                self._result.damaged = self._set_aside()
            os.replace(part, self._out / FILE)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise InputError(
                f"the new database cannot be written ({error.strerror}); the damaged one is as it was",
                file=str(self._out),
            ) from error
        if self._source is not None and not self._result.damaged:
            self._result.damaged = self._source.name

    def _set_aside(self) -> str:
        numbers = [_number(file) for file in self._out.glob(f"{DAMAGED}-*")]
        name = f"{DAMAGED}-{max(numbers, default=0) + 1}"
        for ending in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                os.rename(self._out / f"{FILE}{ending}", self._out / f"{name}{ending}")
        (self._out / f"{FILE}-shm").unlink(missing_ok=True)
        return name


def _is_found(table: str) -> bool:
    """Whether the rows of a table are findings; the others are figures and what sessions did."""
    return table in ("findings", "buckets")


def _advanced(store: Store, rows: Sequence[tuple[Any, ...]]) -> Iterator[TargetState]:
    """The targets whose next run would be one that was made: their rows were lost or are old."""
    known = store.targets()
    ends: dict[str, int] = {}
    for _, target, run, *_ in rows:
        ends[target] = max(ends.get(target, 0), run + 1)
    for name, end in ends.items():
        state = known.get(name) or TargetState(name, name.partition("@")[0], "")
        if state.next < end:
            state.next = end
            yield state


def _copied(source: Path, copy: Path) -> Path:
    """A copy of a database with the log of its changes."""
    for ending in ("", "-wal"):
        file = source.with_name(source.name + ending)
        if file.is_file() and not file.is_symlink():
            shutil.copyfile(file, f"{copy}{ending}")
    return copy


class _Damaged:
    """A copy of a damaged database, of which is read what can be read. `tables` are its tables, and
    `problem` is what SQLite says of it as a whole, empty where that is nothing.
    """

    def __init__(self, file: Path) -> None:
        self._db = sqlite3.connect(file, isolation_level=None)
        self._db.text_factory = bytes  # a text that is not UTF-8 costs its row only
        self.tables: list[str] = []
        self.problem = ""
        try:
            rows = self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            self.tables = [name.decode("utf-8", "replace") for (name,) in rows]
            (said,) = self._db.execute("PRAGMA integrity_check(1)").fetchone()
            words = said.decode("utf-8", "replace").splitlines()
            self.problem = "" if words == ["ok"] else words[-1]
        except (sqlite3.Error, *WRONG) as error:
            self.problem = str(error)

    def close(self) -> None:
        self._db.close()

    def rows(self, table: str) -> tuple[list[tuple[Any, ...]], bool]:
        """The rows that can be read, and whether others cannot."""
        number = "pair" if table == "news" else "rowid"
        found: dict[Any, tuple[Any, ...]] = {}
        self._left = _TRIES
        order, query = f"ORDER BY {number}", f"SELECT {number}, * FROM {table} NOT INDEXED"
        if self._collect(f"{query} {order}", found):
            return list(found.values()), False
        first = max(found, default=-1)
        self._collect(f"{query} {order} DESC", found)
        behind = [one for one in found if one > first]
        last = min(behind, default=first + _RANGE)
        self._between(f"{query} WHERE {number} > ? AND {number} < ? {order}", first, last, found)
        return [found[one] for one in sorted(found)], True

    def _collect(self, query: str, found: dict[Any, tuple[Any, ...]], *values: int) -> bool:
        """Add the rows of a query by their numbers, until one cannot be read; whether all could."""
        try:
            for number, *row in self._db.execute(query, values):
                found[number] = tuple(row)
        except (sqlite3.Error, *WRONG):
            return False
        return True

    def _between(self, query: str, low: int, high: int, found: dict[Any, tuple[Any, ...]]) -> None:
        """Add the rows with numbers between two others, by halves where a page cannot be read."""
        if high - low < 2 or self._left <= 0 or self._collect(query, found, low, high):
            return
        self._left -= 1
        middle = (low + high) // 2
        if high - low > 2:
            self._between(query, low, middle + 1, found)
            self._between(query, middle, high, found)


def _kept(folder: Path) -> list[Kept]:
    """The smallest traces in the folder of a bucket, as its row names them."""
    kept = []
    for file in _traces(folder)[:KEPT]:
        text, match = read_if_there(file), _STEM.fullmatch(file.stem)
        if text is not None and match is not None:
            name = f"findings/{folder.name}/{file.name}"
            kept.append(Kept(name, int(match[1], 16), text.count("\n"), len(text)))
    return kept


def _bucket_of(folder: Path, count: int) -> Bucket:
    """The bucket whose traces lie in `folder`, with at least `count` findings. The bucket waits for
    the next session of the campaign to confirm it.
    """
    traces = _traces(folder)
    text = read_if_there(traces[0]) or ""
    solver, verdict = _verdict(folder, text)
    times = [file.stat().st_mtime for file in traces]
    bucket = new_bucket(folder.name, solver, verdict, known=False, now=min(times))
    bucket.last, bucket.count, bucket.told = max(times), max(count, len(traces)), True
    bucket.backtrace = read_if_there(folder / "backtrace.txt") or ""
    bucket.traces = _kept(folder)
    return bucket


def _verdict(folder: Path, text: str) -> tuple[str, Verdict]:
    """The solver and the verdict of a bucket, from its key, its trace, and what its process printed.
    The key says whether the verdict is the one that was made; else it has no message.
    """
    key, call = folder.name, last_call(text)
    solver = header_value(text, "solver").partition(" ")[0]
    if f"-{solver}-" not in key:
        solver = _solver_in(key)
    output = read_if_there(folder / "stderr.txt") or ""
    named = re.search(r"-(sig[a-z0-9]+)-", key)
    name = named[1].upper() if named else ""
    number = signal.Signals.__members__.get(name)
    statuses = [int(number)] if number else [code << 8 for code in _CODES]
    for status in statuses:
        verdict = judge(Outcome("died", trace=text, output=output, status=status))
        if verdict is not None and bucket_key(solver, verdict) == key:
            return solver, verdict
    return solver, Verdict(_kind_in(key, solver), "solver", "", name, call)


def _kind_in(key: str, solver: str) -> str:
    """The kind of finding that a key begins with."""
    begins = [kind for kind in KINDS if key.startswith(f"{kind}-")]
    if begins:
        return max(begins, key=len)
    return key.partition(f"-{solver}-")[0] if f"-{solver}-" in key else key.partition("-")[0]


def _solver_in(key: str) -> str:
    """The solver in a key whose trace names none: the word behind kind and signal."""
    rest = key.removeprefix(_kind_in(key, "")).strip("-")
    return re.sub(r"^sig[a-z0-9]+-", "", rest).partition("-")[0]
