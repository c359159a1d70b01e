"""Campaigns whose folder cannot be written any more: a disk that is too small or that others fill, a
folder that is removed or renamed. They end at once, and what was found is in another folder.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from campaigns import found, run
from disks import disk as disk

from murxpy.campaign.campaign import Campaign
from murxpy.errors import FolderLost, InputError
from murxpy.findings.folder import MATRIX, Lines
from murxpy.findings.store import Store
from murxpy.processes.inquiries import Answer
from murxpy.records.events import Ended, Event, Notice
from murxpy.studies.study import Store as Answers

SETUP = {"every": {"segfault": 3, "abort+x": 3, "exception": 3}, "lines": 40}
LONG = 10_000  # runs, of which a campaign that ends at once makes few
KIB = 1024


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def rescued(ended: Event) -> Path:
    """The folder that the end of a campaign names."""
    assert isinstance(ended, Ended)
    match = re.search(r"what was found is in (\S+)", ended.unkept)
    assert match is not None, ended
    return Path(match[1])


def check_agreement(out: Path) -> int:
    """The database and the folder agree. Gives the number of findings that were kept."""
    with closing(Store(out, read_only=True)) as store:
        buckets = store.buckets()
        rows = sum(len(store.rows(bucket.key)) for bucket in buckets)
    assert sum(bucket.count for bucket in buckets) == rows
    named = {kept.file for bucket in buckets for kept in bucket.traces}
    written = {str(path.relative_to(out)) for path in out.glob("findings/*/*.trace")}
    assert named <= written
    assert all((out / name).read_text().startswith("# fake run") for name in written)
    return rows


def check_end(events: list[Event]) -> Path:
    """The campaign ended at once, and said why and where all is that was found. Gives that folder."""
    ended = events[-1]
    assert isinstance(ended, Ended) and ended.exit_code == 3
    assert ended.snapshot.runs < LONG and Notice(ended.unkept) in events
    assert "\n" not in ended.unkept
    place = rescued(ended)
    assert check_agreement(place) >= len(found(events))
    _, again = run(place, SETUP, runs=5, seed=None)  # a campaign goes on there
    assert isinstance(again[-1], Ended) and not again[-1].unkept
    return place


@pytest.mark.parametrize("size", [180 * KIB, 300 * KIB, 4096 * KIB])
def test_disk_of(size: int, disk: Callable[[int], Path], temporary: Path) -> None:
    out = disk(size) / "out"
    _, events = run(out, SETUP, runs=60, jobs=2)
    check_agreement(out)
    ended = events[-1]
    assert isinstance(ended, Ended)
    if size > 1024 * KIB:
        assert (ended.exit_code, ended.unkept) == (1, "")
    if ended.unkept:
        assert "No space left" in ended.unkept or "full" in ended.unkept
        assert rescued(ended).parent == temporary
        check_end(events)


def test_no_other_folder_can_be_written(
    disk: Callable[[int], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What could not be kept is told."""
    folder = disk(600 * KIB)
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    _, events = run(folder / "out", SETUP, after(3, lambda: fill(folder)), runs=LONG, jobs=2)
    ended = events[-1]
    assert isinstance(ended, Ended) and ended.exit_code == 3
    assert "no other folder can be written" in ended.unkept
    assert "not written: findings/" in ended.unkept or "not in the database" in ended.unkept
    check_agreement(folder / "out")
    assert not list(folder.glob("*rescued*"))


def after(count: int, act: Callable[[], object]) -> Callable[[Campaign, Event], None]:
    """Does something to the folder when so many findings were told."""
    told: list[Event] = []

    def watch(campaign: Campaign, event: Event) -> None:
        before = len(found(told))
        told.append(event)
        if before < count == len(found(told)):
            act()

    return watch


def fill(folder: Path) -> None:
    """Leave not one byte on a disk."""
    with contextlib.suppress(OSError), (folder / "ballast").open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)


def test_disk_that_others_fill(disk: Callable[[int], Path], temporary: Path) -> None:
    """Not one byte is left while the campaign runs."""
    folder = disk(600 * KIB)

    _, events = run(folder / "out", SETUP, after(3, lambda: fill(folder)), runs=LONG, jobs=2)
    assert check_end(events).parent == temporary
    check_agreement(folder / "out")
    (folder / "ballast").unlink()
    _, events = run(folder / "out", SETUP, runs=5, seed=None)
    assert isinstance(events[-1], Ended) and not events[-1].unkept


def test_folder_that_is_removed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    _, events = run(out, SETUP, after(3, lambda: shutil.rmtree(out, ignore_errors=True)), runs=LONG)
    assert check_end(events).parent == tmp_path
    assert isinstance(events[-1], Ended) and "traces are gone" in events[-1].unkept


def test_folder_that_is_renamed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    _, events = run(out, SETUP, after(3, lambda: out.rename(tmp_path / "other")), runs=LONG)
    check_end(events)
    assert isinstance(events[-1], Ended) and f"renamed to {tmp_path}/other" in events[-1].unkept
    check_agreement(tmp_path / "other")


def test_folder_in_whose_place_another_stands(tmp_path: Path) -> None:
    out = tmp_path / "out"

    def swap() -> None:
        out.rename(tmp_path / "other")
        out.mkdir()

    _, events = run(out, SETUP, after(3, swap), runs=LONG)
    check_end(events)
    assert not list(out.iterdir())


def test_database_that_is_removed(tmp_path: Path) -> None:
    """The traces are still there."""
    out = tmp_path / "out"
    _, events = run(out, SETUP, after(3, lambda: (out / "campaign.sqlite").unlink()), runs=LONG)
    place = check_end(events)
    assert isinstance(events[-1], Ended) and "traces are gone" not in events[-1].unkept
    # the campaign that went on there may have put smaller traces in the place of some
    assert {path.parent.name for path in out.glob("findings/*/*.trace")} <= {
        path.parent.name for path in place.glob("findings/*/*.trace")
    }


def test_lines_of_a_study_whose_folder_is_gone(tmp_path: Path) -> None:
    """All lines are in another folder, and the error says in which."""
    out = tmp_path / "out"
    out.mkdir()
    with closing(Lines(out, "perf.jsonl")) as lines:
        lines.append("1")
        shutil.rmtree(out)
        with pytest.raises(FolderLost, match=r"all of perf.jsonl is in (\S+)") as caught:
            lines.append("2")
    place = Path(caught.value.kept.split()[-1])
    assert caught.value.exit_code == 3 and place.parent == tmp_path
    assert (place / "perf.jsonl").read_text() == "1\n2\n"


def test_answers_of_a_matrix_whose_folder_is_gone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with closing(Answers(out, MATRIX, make=True)) as answers:
        answers.keep(1, 1, [(0, Answer("sat"))])
        shutil.rmtree(out)
        with pytest.raises(FolderLost, match="all answers are in") as caught:
            answers.keep(1, 1, [(1, Answer("unsat"))])
    with closing(Answers(Path(caught.value.kept.split()[-1]), MATRIX)) as answers:
        assert answers.done(1, 1) == {0, 1}


def test_disk_without_room_for_a_database(disk: Callable[[int], Path]) -> None:
    with pytest.raises(InputError, match=r"cannot be (used|written)") as caught:
        run(disk(8 * KIB) / "out", SETUP, runs=60)
    assert "\n" not in str(caught.value) and os.sep in str(caught.value)
