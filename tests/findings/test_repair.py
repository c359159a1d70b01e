"""Damaged stores: one line that says what is wrong and what to do, and `murxpy repair`, which keeps
what can be read and makes the rest from the traces.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from campaigns import found, run
from commands import error, outcome

from murxpy.campaign.enumeration import GivenUp
from murxpy.errors import InputError
from murxpy.findings.buckets import Bucket, new_bucket
from murxpy.findings.store import FILE, SCHEMA, Changes, Store, read_buckets, read_given_up
from murxpy.machine.trace.finished import Call
from murxpy.oracles.crash import Verdict
from murxpy.records.events import Ended

SETUP = {"every": {"segfault": 3, "abort+x": 3, "exception": 3}, "lines": 10}
READERS = ("findings", "statistics", "seeds", "arms", "triage")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a campaign with three buckets."""
    out = tmp_path_factory.mktemp("sound") / "out"
    run(out, SETUP, runs=40, jobs=2)
    return out


@pytest.fixture
def out(sound: Path, tmp_path: Path) -> Path:
    """A copy of the folder, to be damaged."""
    return Path(shutil.copytree(sound, tmp_path / "out"))


def change(out: Path, statement: str, *values: object) -> None:
    """Change rows of the database."""
    with closing(sqlite3.connect(out / FILE)) as db, db:
        db.execute(statement, values)


def spoil(out: Path, at: int, data: bytes) -> None:
    """Write `data` over the database at a place."""
    with (out / FILE).open("r+b") as file:
        file.seek(at)
        file.write(data)


def said(buckets: list[Bucket]) -> list[tuple[object, ...]]:
    """What was found, without its time."""
    return [(b.key, b.kind, b.solver, b.signal, b.message, b.state, b.count) for b in buckets]


DAMAGES: dict[str, Callable[[Path], None]] = {
    "magic": lambda out: spoil(out, 3, b"\x00"),
    "version": lambda out: spoil(out, 60, (SCHEMA + 7).to_bytes(4, "big")),
    "head": lambda out: spoil(out, 0, bytes(100)),
    "page 1": lambda out: spoil(out, 0, bytes(4096)),
    "schema": lambda out: spoil(out, 3000, b"\x9e\xff" * 40),
    "empty": lambda out: (out / FILE).write_bytes(b""),
    "missing": lambda out: (out / FILE).unlink(),
    "no database": lambda out: (out / FILE).write_text("this is no database" * 400),
    "half": lambda out: (out / FILE).write_bytes((out / FILE).read_bytes()[:24_000]),
    "json": lambda out: change(out, "UPDATE buckets SET data = '{' WHERE kind = 'abort'"),
    "json of another kind": lambda out: change(out, "UPDATE buckets SET data = '[1]'"),
    "a text for a number": lambda out: change(
        out, "UPDATE buckets SET data = json_set(data, '$.count', 'many') WHERE kind = 'crash'"
    ),
    "a file elsewhere": lambda out: change(
        out, "UPDATE buckets SET data = json_set(data, '$.traces[0][0]', '../../secret.trace')"
    ),
    "no table": lambda out: change(out, "DROP TABLE buckets"),
    "meta": lambda out: change(out, "UPDATE meta SET value = '{\"a\"' WHERE name = 'seed'"),
    "targets": lambda out: change(out, "UPDATE targets SET open = '7'"),
    "causes of no scripts": lambda out: change(
        out,
        """INSERT INTO meta VALUES ('enumerated:fake', '{"given_up": {"judges": [["a", "b", "c", 0, 1, 1, 1]]}}')""",
    ),
    "more runs than there can be": lambda out: change(
        out, "UPDATE targets SET open = '[[0, 1000000000000]]'"
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_told_and_repaired(
    damage: str, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = said(read_buckets(out))
    DAMAGES[damage](out)
    with pytest.raises(InputError, match=r"(damaged|missing).*'murxpy repair .*out'") as caught:
        run(out, SETUP, runs=1)
    assert "\n" not in str(caught.value)
    for command in READERS:
        code, _, err = outcome(capsys, command, out)
        assert code in (0, 2) and err.count("\n") <= 1, err
        assert "repair" in err or code == 0 or "this campaign" in err
    code, text, err = outcome(capsys, "repair", out)
    assert code in (0, 3) and not err and ("lost: " in text or "rebuilt" in text), text
    assert outcome(capsys, "findings", out)[0] == 0
    after = said(read_buckets(out))
    assert [row[:4] for row in after] == [row[:4] for row in before] or sorted(
        row[:4] for row in after
    ) == sorted(row[:4] for row in before)
    _, events = run(out, SETUP, runs=3, seed=None)  # the campaign goes on
    ended = events[-1]
    assert isinstance(ended, Ended) and not ended.unkept
    assert {row[:5] for row in said(read_buckets(out))} == {row[:5] for row in before}
    assert {row[5] for row in said(read_buckets(out))} == {"confirmed"}
    assert not any(event.new for event in found(events))  # they were told before


def test_what_an_enumeration_keeps_of_given_up_scripts_is_read(out: Path) -> None:
    """Large scripts have indices of many digits."""
    causes = GivenUp()
    causes.add("ints", "judge", "<", (0.5, 0.0), 10**40)
    kept = json.dumps({"given_up": {"judges": causes.state(), "target": []}})
    change(out, f"INSERT INTO meta VALUES ('enumerated:fake', '{kept}')")
    assert read_given_up(out, "fake") == {
        "judges": [["ints", "judge", "<", 1, 500, 0, 10**40]],
        "target": [],
    }


def test_what_can_be_read_is_kept(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row that cannot be read costs that row only."""
    before = {row[0]: row for row in said(read_buckets(out))}
    change(out, "UPDATE buckets SET data = '{' WHERE kind = 'abort'")
    _, text, _ = outcome(capsys, "repair", out)
    assert "1 row of table buckets" in text and "1 bucket" in text
    after = {row[0]: row for row in said(read_buckets(out))}
    assert after.keys() == before.keys()
    for key, row in after.items():
        assert row == before[key] if "abort" not in key else row[6] == before[key][6]
    with closing(Store(out)) as store:
        assert store.meta()["seed"] == 1 and store.counters()["run:total"] == 40
    assert (out / f"{FILE}.damaged-1").is_file()
    assert outcome(capsys, "repair", out)[1].endswith("every trace is there\n")


def test_a_finding_of_no_bucket_is_lost_once(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A flipped bit in the name of its bucket."""
    before = read_buckets(out)
    change(out, "UPDATE findings SET bucket = 'another' WHERE rowid = 3")
    code, text, _ = outcome(capsys, "repair", out)
    assert code == 3 and "bucket another, of which there are findings and no trace" in text
    assert outcome(capsys, "repair", out)[1].endswith("every trace is there\n")
    assert [bucket.key for bucket in read_buckets(out)] == [bucket.key for bucket in before]


def test_sound_store_is_left_as_it_is(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (out / FILE).read_bytes()
    assert outcome(capsys, "repair", out)[0] == 0
    assert (out / FILE).read_bytes() == before


def test_repair_of_what_is_no_campaign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = error(capsys, "repair", tmp_path)
    assert code == 2 and "no campaign was run here" in text
    code, text = error(capsys, "repair", tmp_path / "nowhere")
    assert code == 2 and not (tmp_path / "nowhere").exists()


def test_repair_that_was_killed_goes_on(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The damaged database has its new name, and the new one is not there yet."""
    before = said(read_buckets(out))
    (out / FILE).rename(out / f"{FILE}.damaged-1")
    assert outcome(capsys, "repair", out)[0] == 0
    assert said(read_buckets(out)) == before


def test_rows_around_a_damaged_page_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(Store(tmp_path)) as store:
        rows = [("k", "z3", run, f"{run:x}", "5.4", 3, "[]", 1.5 + run) for run in range(2000)]
        verdict = Verdict("crash", "solver", "SIGSEGV", "SIGSEGV", Call("mk-term"))
        bucket = new_bucket("k", "z3", verdict, known=False, now=1.0)
        store.save(Changes(buckets=[bucket], rows=rows))
    data = (tmp_path / FILE).read_bytes()
    leaves = [
        at for at in range(0, len(data), 4096) if data[at] == 13 and b"5.4" in data[at:][:4096]
    ]
    spoil(tmp_path, leaves[len(leaves) // 2], bytes(4096))
    code, text, _ = outcome(capsys, "repair", tmp_path)
    assert code == 3 and "a part of table findings" in text
    with closing(Store(tmp_path)) as store:
        assert 1800 < len(store.rows("k")) < 2000
