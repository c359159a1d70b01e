"""The store: what is written is read back, and what is no store of ours is refused."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from murxpy.campaign.buckets import Bucket, Kept
from murxpy.campaign.store import FILE, SCHEMA, Changes, Row, Store, TargetState, read_buckets
from murxpy.errors import InputError

BUCKET = Bucket("k", "crash", "solver", "high", "z3", "SIGSEGV", "m\ud800", "a", "OP_X", "s", "confirmed", 1.0, 2.0,
                3, 1, "#0 f", [Kept("findings/k/1.trace", 2**64 - 1, 3, 40, True)])  # fmt: skip


def test_round_trip(tmp_path: Path) -> None:
    store = Store(tmp_path)
    state = TargetState("z3@x", "z3", "5.4", 10, (3, 7))
    row = Row("k", "z3@x", 3, 2**64 - 1, "5.4", 3, "[]", 1.5)
    store.save(Changes([state], [BUCKET], [row, row], {"a": 2}, {"seed": 2**70}, (0.0, None, None, "{}")))
    store.save(Changes(counters={"a": 3, "b": 1}))
    store.close()
    store = Store(tmp_path)
    assert store.targets() == {"z3@x": state}
    assert store.buckets() == read_buckets(tmp_path) == [BUCKET]
    assert store.rows("k") == [("z3@x", 3, 2**64 - 1)]  # the same finding is not counted twice
    assert store.counters() == {"a": 5, "b": 1}
    assert store.meta() == {"seed": 2**70}
    store.close()


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
    with pytest.raises(InputError, match=f"has version {SCHEMA + 1}, this murxpy reads version {SCHEMA}"):
        Store(tmp_path)


def test_no_database(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no campaign was run here"):
        read_buckets(tmp_path)
    (tmp_path / FILE).write_text("this is no database at all, but it is long enough to be taken for one" * 20)
    with pytest.raises(InputError, match="cannot be used"):
        read_buckets(tmp_path)
