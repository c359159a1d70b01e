"""The store: what is written is read back, and what is no store of ours is refused."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from murxpy.errors import InputError
from murxpy.findings.archive import Archive
from murxpy.findings.buckets import Bucket, Kept, Known
from murxpy.findings.folder import Folder
from murxpy.findings.store import (
    _FROM_1,
    FILE,
    SCHEMA,
    Changes,
    FindingRow,
    Store,
    TargetState,
    read_buckets,
)
from murxpy.machine.trace.finished import Call
from murxpy.oracles.crash import Outcome, Verdict
from murxpy.processes.handles import Job
from murxpy.records.finding import Finding, Reproducer

BUCKET = Bucket(
    "k",
    "crash",
    "solver",
    "high",
    "z3",
    "SIGSEGV",
    "m\ud800",
    "a",
    "OP_X",
    "s",
    "confirmed",
    1.0,
    2.0,
    3,
    1,
    "#0 f",
    [Kept("findings/k/1.trace", 2**64 - 1, 3, 40, True)],
)


def test_round_trip(tmp_path: Path) -> None:
    store = Store(tmp_path)
    state = TargetState("z3@x", "z3", "5.4", 10, (3, 7))
    row: FindingRow = ("k", "z3@x", 3, f"{2**64 - 1:x}", "5.4", 3, "[]", 1.5)
    store.save(
        Changes([state], [BUCKET], [row, row], {"a": 2}, {"seed": 2**70}, (0.0, None, None, "{}"))
    )
    store.save(Changes(counters={"a": 3, "b": 1}))
    store.close()
    store = Store(tmp_path)
    assert store.targets() == {"z3@x": state}
    assert store.buckets() == read_buckets(tmp_path) == [BUCKET]
    assert store.rows("k") == [("z3@x", 3, 2**64 - 1)]  # the same finding is not counted twice
    assert store.counters() == {"a": 5, "b": 1}
    assert store.meta() == {"seed": 2**70}
    store.close()


def test_a_run_counts_once_in_a_bucket_also_where_it_is_made_again(tmp_path: Path) -> None:
    """A supervisor may be killed after a finding was stored, and before its run was done."""

    def counted(*runs: int) -> tuple[int, int]:
        """What the bucket counts, and its findings in the database, when these runs found it."""
        with closing(Folder(tmp_path)) as folder, closing(Store(tmp_path)) as store:
            archive = Archive(folder, store, Known(), lambda text: None)
            for run in runs:
                verdict = Verdict("crash", "solver", "SIGSEGV", "SIGSEGV", Call("mk-term"))
                job = Job(2**63 + run, 1.0, index=run)
                found = Finding(0, "fake", "1", job, (), Outcome("died"), verdict, "k-00000000")
                archive.count(found, "fake", 1.0)
            archive.flush(())
            return archive.buckets["k-00000000"].count, len(store.rows("k-00000000"))

    assert counted(7, 8, 7) == (2, 2)
    assert counted(8, 9) == (3, 3)


def test_no_program_that_only_the_folder_names_is_given_to_gdb(tmp_path: Path) -> None:
    """The folder may come from a stranger, and gdb runs the program."""
    program = Reproducer("python", "findings/k/1.py", True, "expected no signal, got SIGSEGV")
    with closing(Folder(tmp_path)) as folder, closing(Store(tmp_path)) as store:
        store.save(Changes(buckets=[replace(BUCKET, reproducers=(program,))]))
        archive = Archive(folder, store, Known(), lambda text: None)
        assert archive.buckets["k"].reproducers == (program,)
        assert archive.shown_by("k") is None
        archive.set_reproducers("k", (program,))  # this session has written it
        assert archive.shown_by("k") == tmp_path / "findings/k/1.py"
        archive.set_reproducers("k", (replace(program, reproduces=False),))
        assert archive.shown_by("k") is None


def test_all_or_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(sqlite3.Error):
        store.save(Changes(meta={"seed": 1}, counters={"a": None}))  # type: ignore[dict-item]
    assert store.meta() == {}
    store.save(Changes(meta={"seed": 2}))
    assert store.meta() == {"seed": 2}
    store.close()


def test_other_version_is_refused(tmp_path: Path) -> None:
    Store(tmp_path).close()
    db = sqlite3.connect(tmp_path / FILE)
    db.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    db.close()
    with pytest.raises(
        InputError, match=f"has version {SCHEMA + 1}, this murxpy reads version 1 to {SCHEMA}"
    ):
        Store(tmp_path)


def test_no_database(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no campaign was run here"):
        read_buckets(tmp_path)
    (tmp_path / FILE).write_text(
        "this is no database at all, but it is long enough to be taken for one" * 20
    )
    with pytest.raises(InputError, match="is damaged"):
        read_buckets(tmp_path)


# The tables of version 1 that are others now.
OLD_FINDINGS = """
DROP TABLE findings;
DROP TABLE damps;
CREATE TABLE findings (bucket TEXT NOT NULL, target TEXT NOT NULL, run INTEGER NOT NULL, seed TEXT NOT NULL,
  version TEXT NOT NULL, lines INTEGER NOT NULL, damp TEXT NOT NULL, time REAL NOT NULL,
  UNIQUE (bucket, target, run));
PRAGMA user_version = 1;
"""
LONG = json.dumps([["mk-term", f"OP_{number}", "spelling"] for number in range(200)])


def make_old(folder: Path, rows: int) -> None:
    """A database of version 1 with one bucket and so many findings in it, the first without damped
    calls.
    """
    store = Store(folder)
    store.save(
        Changes(
            [TargetState("z3", "z3", "5.4", rows)],
            [BUCKET],
            counters={"run:total": rows},
            meta={"seed": 1},
        )
    )
    store.close()
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        db.executescript(OLD_FINDINGS)
        db.executemany(
            "INSERT INTO findings VALUES ('k', 'z3', ?, ?, '5.4', 3, ?, ?)",
            [(run, f"{run + 1:x}", LONG if run else "[]", 1.5 + run) for run in range(rows)],
        )


def content(folder: Path) -> list[object]:
    """All that a reader gets of a database."""
    with closing(Store(folder, read_only=True)) as store:
        return [
            store.buckets(),
            store.rows("k"),
            store.versions(),
            store.counters(),
            store.meta(),
            store.targets(),
        ]


def test_database_of_version_1_is_read_and_brought_up_to_date(tmp_path: Path) -> None:
    make_old(tmp_path, 100)
    before, size = content(tmp_path), (tmp_path / FILE).stat().st_size
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)  # reading changes nothing
    store = Store(tmp_path)
    store.save(
        Changes(
            rows=[
                ("k", "z3", 100, "5", "5.4", 3, LONG, 101.5),
                ("k", "z3", 7, "8", "5.4", 3, LONG, 9.0),
            ]
        )
    )
    store.close()
    after = content(tmp_path)
    assert after[:1] + after[2:] == before[:1] + before[2:]
    assert after[1] == [*before[1], ("z3", 100, 5)]
    db = sqlite3.connect(tmp_path / FILE)
    assert db.execute("PRAGMA user_version").fetchone() == (SCHEMA,)
    assert db.execute(
        "SELECT run, calls, time FROM findings JOIN damps ON id = damp WHERE run IN (0, 1, 99, 100)"
    ).fetchall() == [(0, "[]", 1.5), (1, LONG, 2.5), (99, LONG, 100.5), (100, LONG, 101.5)]
    assert db.execute("SELECT COUNT(*) FROM damps").fetchone() == (2,)
    db.close()
    assert (tmp_path / FILE).stat().st_size < size / 4


def test_a_counter_under_its_earlier_name_is_read(tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as store:
        store.save(Changes(counters={"cpu-ns:aftermath": 3}))
        store.save(Changes(counters={"cpu-ns:follow-up": 2}))
        assert store.counters() == {"cpu-ns:follow-up": 5}


def test_damped_calls_are_stored_once(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for run in range(500):
        store.save(Changes(rows=[("k", "z3", run, f"{run:x}", "5.4", 3, LONG, 1.5)]))
    store.close()
    assert (tmp_path / FILE).stat().st_size < 200_000


def test_update_that_has_no_room_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_old(tmp_path, 10)
    before = content(tmp_path)
    monkeypatch.setattr(
        "murxpy.findings.store._FROM_1",
        _FROM_1.replace("DROP TABLE findings;", "DROP TABLE nowhere;"),
    )
    with pytest.raises(InputError, match="is damaged"):
        Store(tmp_path)
    assert content(tmp_path) == before


LARGE = 10**400


@pytest.mark.parametrize(
    "meta",
    [
        *({"lag": lag} for lag in (0, -1, LARGE)),
        *({"shard": shard} for shard in ([0, 0], [5, 2], [0, 3], [-1, 3], "split")),
        *({"steering:z3": {"costs": {"api": cost}}} for cost in ([-1.0, 1], [1e308, 1], [1.0, -3])),
        {"steering:z3": {"costs": {"api": [1.0, LARGE]}}},
        *({"steering:z3": {"mixed": {"spent": {"api": ms}, "shown": {}}}} for ms in (-1.0, 1e308)),
        *({"steering:z3": {"over": {"28": [2, [], {"line:total": n}, []]}}} for n in (-20, LARGE)),
        {"steering:z3": {"over": {"28": [-1, [], {}, []]}}},
        *({"steering:z3": {"offered": {"storm": {"fits": n}}}} for n in (-5, LARGE)),
    ],
    ids=lambda meta: str(meta)[:60],
)
def test_what_no_campaign_can_have_stored_is_refused(tmp_path: Path, meta: dict[str, Any]) -> None:
    """A campaign that went on with it ended with an error of ours, or waited without an end."""
    fine = {"lag": 512, "shard": [1, 3], "steering:z3": {"over": {"28": [2**70, [], {"a": 1}, []]}}}
    for told in (fine, meta):
        store = Store(tmp_path)
        store.save(Changes(meta=told))
        store.close()
        with closing(Store(tmp_path, read_only=True)) as opened:
            if told is fine:
                assert opened.meta().keys() == fine.keys()
                continue
            with pytest.raises(InputError, match=r"a row of table meta cannot be understood"):
                opened.meta()
