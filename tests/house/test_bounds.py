"""The bench of STORM's bounds: which findings it looks for, and how it counts instances."""

from __future__ import annotations

import argparse
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def bench(bench_module: Callable[[str], Any]) -> Any:
    """The bench as a module."""
    return bench_module("bounds")


def write_trace(path: Path, source: str, mutants: int) -> None:
    path.parent.mkdir(parents=True)
    header = ["# murxpy-trace 1", "# solver z3 4.8.12", f"# source {source}", "# seed-file a.smt2"]
    path.write_text("\n".join([*header, *['     1 run-script@eval "(check-sat)"'] * mutants, ""]))


def test_defects_of_storm_are_looked_for_once(bench: Any, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        write_trace(tmp_path / folder / "findings" / "crash-a" / "1.trace", "storm", 2)
        write_trace(tmp_path / folder / "findings" / "crash-b" / "1.trace", "opfuzz", 2)
    found = list(bench.defects([tmp_path / "one", tmp_path / "two"]))
    assert [(one.key, one.release, one.seed_file) for one in found] == [
        ("crash-a", "z3@4.8.12", Path("a.smt2"))
    ]


@pytest.mark.parametrize(("rows", "expected"), [([("crash-a", 3, "5a")], 3 * 25 + 7), ([], None)])
def test_instances_are_those_up_to_the_finding(
    bench: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rows: Sequence[tuple[str, int, str]],
    expected: int | None,
) -> None:
    """The fourth run found it with its seventh mutant. A second look runs nothing."""
    asked: list[tuple[str, ...]] = []

    def murxpy(*words: str) -> str:
        asked.append(words)
        out = Path(words[-1])
        write_trace(out / "findings" / "crash-a" / f"{'5a':0>16}.trace", "storm", 7)
        with closing(sqlite3.connect(out / "campaign.sqlite")) as store, store:
            store.execute("CREATE TABLE findings (bucket TEXT, run INTEGER, seed TEXT)")
            store.executemany("INSERT INTO findings VALUES (?, ?, ?)", rows)
        return ""

    monkeypatch.setattr(bench, "murxpy", murxpy)
    shown = bench.Shown("crash-a", "z3@4.8.12", Path("a.smt2"))
    args = argparse.Namespace(keep=tmp_path, instances=300)
    for _ in range(2):
        assert bench.instances(args, shown, 4, 64, 101) == expected
    assert len(asked) == 1 and asked[0][asked[0].index("--runs") + 1] == "12"
