"""The shards of a campaign, and one folder made of theirs."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from campaigns import run
from commands import error, fuzz_fake, outcome

from murxpy.campaign.behind.queue import Queue
from murxpy.cli import run as murxpy
from murxpy.errors import InputError
from murxpy.findings.merging import merge
from murxpy.findings.store import FILE, Store

FAULTS = {"every": {"segfault": 12, "exception": 10}, "lines": 3}
SHARDS, RUNS = 3, 30


def shard(out: Path, number: int, **options: Any) -> Path:
    options = {"runs": RUNS, "damp": False, "shard": (number, SHARDS), **options}
    run(out, FAULTS, **options)
    return out


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folders of the three shards of a campaign."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Queue, "add", lambda self, request: None)
        base = tmp_path_factory.mktemp("shards")
        return [shard(base / f"part{number}", number) for number in range(1, SHARDS + 1)]


def content(out: Path) -> dict[str, Any]:
    """All that a folder says, in an order of its own, without the seconds."""
    with closing(Store(out, read_only=True)) as store:
        buckets, counters = store.buckets(), store.counters()
        rows = [row[:7] for row in store.findings()]
        return {
            "rows": sorted(rows),
            "buckets": {
                b.key: (b.count, b.state, [(kept.file, kept.seed) for kept in b.traces])
                for b in buckets
            },
            "counters": {name: n for name, n in counters.items() if "-ns:" not in name},
            "sessions": len(store.sessions()),
            "files": {
                str(path.relative_to(out)): path.read_bytes()
                for path in sorted(out.glob("findings/*/*.trace"))
            },
        }


def test_shards_make_the_runs_of_the_whole_campaign(tmp_path: Path, shards: list[Path]) -> None:
    merged = merge(shards, tmp_path / "all")
    assert (merged.shards, merged.of, merged.runs) == ((1, 2, 3), 3, SHARDS * RUNS)
    run(tmp_path / "whole", FAULTS, runs=SHARDS * RUNS, damp=False, backtrace=False)
    whole, found = content(tmp_path / "whole"), content(tmp_path / "all")
    assert found["rows"] == whole["rows"] and found["counters"] == whole["counters"]
    assert {key: one[:2] for key, one in found["buckets"].items()} == {
        key: one[:2] for key, one in whole["buckets"].items()
    }
    named = [file for *_, traces in found["buckets"].values() for file, _ in traces]
    assert set(named) <= set(found["files"])


def test_a_merge_depends_neither_on_the_order_nor_on_earlier_merges(
    tmp_path: Path, shards: list[Path]
) -> None:
    one, two, three = shards
    out = tmp_path / "all"
    merge([two], out)
    merge([three, two], out)
    merge([three, one, two, one], out)
    again = content(out)
    merge([one, two, three], out)
    assert content(out) == again
    assert [path.name for path in tmp_path.iterdir()] == ["all"]


def test_a_shard_goes_on_in_its_folder_with_its_own_runs(tmp_path: Path) -> None:
    out = shard(tmp_path / "part", 2, runs=5)
    run(out, FAULTS, runs=5, damp=False)
    with closing(Store(out, read_only=True)) as store:
        assert store.targets()["fake"].next == 1 + 10 * SHARDS
    with pytest.raises(InputError, match="has shard 2/3, not 1/3; leave --shard out"):
        shard(out, 1, runs=5)


def test_learning_in_a_shard_sees_this_shard_only(tmp_path: Path) -> None:
    """It waits for no run of another shard: with the lag of the whole campaign, it could not begin 40."""
    out = shard(tmp_path / "part", 3, runs=40, damp=True)
    with closing(Store(out, read_only=True)) as store:
        assert store.counters()["run:total"] == 40


def refused(parts: list[Path], out: Path, words: str) -> None:
    with pytest.raises(InputError, match=words):
        merge(parts, out)


def test_what_is_no_shard_of_the_campaign_is_refused(tmp_path: Path, shards: list[Path]) -> None:
    out = tmp_path / "all"
    run(tmp_path / "whole", FAULTS, runs=2)
    refused([shards[0], tmp_path / "whole"], out, "whole: this is no folder of a shard")
    other = shard(tmp_path / "other", 2, seed=2, runs=2)
    refused(
        [shards[0], other], out, "other: it is a shard of another campaign than .*its seed is 2"
    )
    copy = shutil.copytree(shards[0], tmp_path / "copy")
    refused([shards[0], copy], out, "it is shard 1/3, and so is")
    refused([shards[0], tmp_path / "none"], out, "none: no campaign was run here")
    assert not out.exists()


def test_a_shard_of_another_release_is_refused(tmp_path: Path, shards: list[Path]) -> None:
    copy = shutil.copytree(shards[0], tmp_path / "copy")
    with closing(sqlite3.connect(copy / FILE)) as database, database:
        database.execute("UPDATE meta SET value = '\"0.0.9\"' WHERE name = 'release'")
    refused([copy], tmp_path / "all", "written by murxpy 0.0.9, and this is murxpy")


def test_a_damaged_shard_is_refused(tmp_path: Path, shards: list[Path]) -> None:
    copy = shutil.copytree(shards[0], tmp_path / "copy")
    (trace, *_) = sorted(copy.glob("findings/*/*.trace"))
    trace.unlink()
    refused(
        [copy, shards[1]],
        tmp_path / "all",
        f"{trace.name}: the store names this file, which is gone",
    )
    (copy / FILE).write_bytes(b"\0" * 5000)
    refused([copy, shards[1]], tmp_path / "all", "murxpy repair")
    assert list(tmp_path.iterdir()) == [copy]


def test_a_merge_never_replaces_other_work(tmp_path: Path, shards: list[Path]) -> None:
    refused(shards, shards[0], "this is the folder of a campaign")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").touch()
    refused(shards, tmp_path / "mine", "the folder is not empty")
    out = tmp_path / "all"
    merge(shards, out)
    refused(shards[:2], out, "shard 3 was merged here before and is not named now")
    with pytest.raises(InputError, match="merged from shards, and no runs are made in it"):
        run(out, FAULTS, runs=1)
    with closing(sqlite3.connect(out / FILE)) as database, database:
        database.execute("INSERT INTO sessions VALUES (1e10, NULL, NULL, '{}')")
    refused(shards, out, "'murxpy finish' has worked in this folder")


def test_the_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Queue, "add", lambda self, request: None)
    for number in (1, 3):
        out = tmp_path / f"part{number}"
        code, _, _ = fuzz_fake(capsys, out, "--runs", "2", "--shard", f"{number}/3")
        assert code == 0
    code, text, _ = outcome(
        capsys, "merge", *sorted(tmp_path.glob("part*")), "--out", tmp_path / "all"
    )
    assert code == 0 and "2 shards of 3, 4 runs" in text and "not merged yet: shard 2" in text
    assert murxpy(["findings", str(tmp_path / "all")]) == 0
    capsys.readouterr()
    assert error(capsys, "fuzz", "z3", "--shard", "1/2", "--out", tmp_path / "new") == (
        2,
        "--shard: all shards of a campaign have one seed: give --seed, too",
    )
    assert "expected K/N" in error(capsys, "fuzz", "z3", "--shard", "4/3")[1]
