"""The table of known defects by which guidance is measured."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def bench(bench_module: Callable[[str], Any]) -> Any:
    """The bench as a module."""
    return bench_module("known_bugs")


def row(*keys: str, marks: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    return {
        "kind": "crash",
        "message": "it died",
        "buckets": [{"key": key} for key in keys],
        "marks": list(marks),
        "lines": 9,
        "trace": None,
        **more,
    }


def test_what_has_a_bucket_or_a_mark_in_common_is_one_defect(bench: Any, tmp_path: Path) -> None:
    known = bench.Known(tmp_path / "defects.json")
    assert known.place("z3 4.8.12", row("a", marks=("here",)), "walks") == 0
    assert known.place("z3 4.8.12", row("b"), "walks") == 1
    assert known.place("z3 4.8.12", row("c", marks=("here",)), "opfuzz") == 0
    assert known.place("z3 4.13.0", row("a", marks=("here",)), "walks") == 2
    # a finding with the marks of two entries shows that they are one
    assert known.place("z3 4.8.12", row("d", "b", marks=("here",)), "walks") == 0
    assert known.place("z3 4.8.12", row("b"), "walks") == 0
    known.save()
    again = bench.Known(tmp_path / "defects.json").defects
    assert set(again[0].buckets) == {"a", "b", "c", "d"} and again[0].sources == ["opfuzz", "walks"]
    assert again[1].buckets == [] and again[1].message.startswith("the same as")


def test_the_smallest_trace_stays(bench: Any, tmp_path: Path) -> None:
    known = bench.Known(tmp_path / "defects.json")
    for lines in (9, 4, 6):
        (tmp_path / f"{lines}.trace").write_text("line\n" * lines)
        shown = row("a", lines=lines, trace=str(tmp_path / f"{lines}.trace"))
        known.place("z3 4.8.12", shown, "walks")
    assert known.defects[0].lines == 4 and known.defects[0].trace == "line\n" * 4


def test_the_kept_table_can_be_read(bench: Any) -> None:
    known = bench.Known(bench.TABLE)
    assert len(known.defects) > 10
    for release in {defect.release for defect in known.defects}:
        keys = [key for d in known.defects if d.release == release for key in d.buckets]
        assert len(keys) == len(set(keys)), release
    assert json.loads(bench.TABLE.read_text()) == [vars(defect) for defect in known.defects]


def test_an_interrupted_campaign_keeps_what_it_spent(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it is killed, for which it notes the time at each look."""
    looks, kept = iter([1.5, 2.5]), tmp_path / "cpu.json"
    noted = []

    def spent(pid: int) -> float:
        noted.append(json.loads(kept.read_text()) if kept.is_file() else 0.0)
        if (seconds := next(looks, None)) is None:
            raise KeyboardInterrupt
        return seconds

    monkeypatch.setattr(bench, "tree_cpu", spent)
    monkeypatch.setattr(bench, "LOOK", 0.01)
    with pytest.raises(KeyboardInterrupt):
        bench.fuzz([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path, 10.0)
    assert json.loads(kept.read_text()) == 2.5 and noted == [0.0, 1.5, 2.5]
