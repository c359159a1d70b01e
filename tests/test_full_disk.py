"""Campaigns on a disk that is too small: what fits is kept, what does not is told of, and folder
and database agree.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from campaigns import found, run
from disks import disk as disk

from murxpy.campaign.events import Ended, Event, Notice
from murxpy.campaign.findings.store import Store
from murxpy.errors import InputError

SETUP = {"every": {"segfault": 3, "abort+x": 3, "exception": 3}, "lines": 40}
KIB = 1024


def check_agreement(out: Path, events: list[Event]) -> int:
    """The database and the folder agree, and what the end says of them is so. Gives the number of
    findings that were kept.
    """
    ended = events[-1]
    assert isinstance(ended, Ended)
    with closing(Store(out, read_only=True)) as store:
        buckets, counters = store.buckets(), store.counters()
        rows = sum(len(store.rows(bucket.key)) for bucket in buckets)
    assert sum(bucket.count for bucket in buckets) == rows
    named = {kept.file for bucket in buckets for kept in bucket.traces}
    written = {str(path.relative_to(out)) for path in out.glob("findings/*/*.trace")}
    assert named <= written
    assert all((out / name).read_text().startswith("# fake run") for name in written)
    if ended.unkept:
        assert ended.exit_code == 3 and Notice(ended.unkept) in events
        assert rows == len(found(events)) or "findings are not in the database" in ended.unkept
    else:
        assert ended.exit_code == 1
        assert (rows, named, counters["run:total"]) == (
            len(found(events)),
            written,
            ended.snapshot.runs,
        )
    return rows


@pytest.mark.parametrize("size", [140 * KIB, 300 * KIB, 4096 * KIB])
def test_disk_of(size: int, disk: Callable[[int], Path]) -> None:
    out = disk(size) / "out"
    _, events = run(out, SETUP, runs=60, jobs=2)
    kept = check_agreement(out, events)
    assert kept == len(found(events)) or size < 300 * KIB
    notices = [
        event.text
        for event in events
        if isinstance(event, Notice) and "kept in memory" in event.text
    ]
    assert len(notices) <= 1


def test_disk_that_others_fill(disk: Callable[[int], Path]) -> None:
    """Not one byte is left while the campaign runs; then there is room again."""
    folder = disk(600 * KIB)
    out, ballast = folder / "out", folder / "ballast"

    def fill(campaign: object, event: Event) -> None:
        if len(found(events)) == 3:
            with ballast.open("wb", buffering=0) as file:
                try:
                    while True:
                        file.write(b"x" * 4096)
                except OSError:
                    pass
        events.append(event)

    events: list[Event] = []
    run(out, SETUP, fill, runs=60, jobs=2)
    ended = events[-1]
    assert isinstance(ended, Ended) and ended.unkept and ended.exit_code == 3
    check_agreement(out, events)
    ballast.unlink()
    again: list[Event] = []
    run(out, SETUP, lambda campaign, event: again.append(event), runs=20)
    with closing(Store(out, read_only=True)) as store:
        assert sum(bucket.count for bucket in store.buckets()) == sum(
            len(store.rows(b.key)) for b in store.buckets()
        )
    assert isinstance(again[-1], Ended) and not again[-1].unkept


def test_disk_without_room_for_a_database(disk: Callable[[int], Path]) -> None:
    with pytest.raises(InputError, match=r"cannot be (used|written)") as caught:
        run(disk(8 * KIB) / "out", SETUP, runs=60)
    assert "\n" not in str(caught.value) and os.sep in str(caught.value)
