"""The bench of early triggers: what a sample that thins out says of all scripts."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def bench(bench_module: Callable[[str], Any]) -> Any:
    """The bench as a module."""
    return bench_module("early")


def test_a_sample_counts_for_all_scripts_between_its_bounds(bench: Any) -> None:
    """Two of ten scripts below 10, each asked, and one of three of the ninety behind them."""
    strata = bench.strata_of([*range(10), 10, 40, 99], [3, 7, 40], [10, 100])
    assert strata == [bench.Stratum(10, 10, 2), bench.Stratum(90, 3, 1)]
    assert [one.all for one in strata] == [2.0, 30.0]
    (share, low, high), whole = bench.shares(strata)
    assert share == 2 / 32 and low < share < high and whole == (1.0, 1.0, 1.0)


def test_scripts_that_were_all_asked_leave_nothing_to_chance(bench: Any) -> None:
    strata = [bench.Stratum(10, 10, 3), bench.Stratum(20, 20, 1)]
    assert bench.shares(strata) == [(0.75, 0.75, 0.75), (1.0, 1.0, 1.0)]


def test_evenly_spread_triggers_have_the_shares_of_their_bounds(bench: Any) -> None:
    places = list(range(0, 100_000, 10))
    strata = bench.strata_of(places, places[::5], [1_000, 10_000, 100_000])
    (first, *_), (second, low, high), _ = bench.shares(strata)
    assert first == pytest.approx(0.01) and second == pytest.approx(0.1)
    assert low < 0.1 < high and high - low < 0.03


def test_a_measurement_that_was_stopped_says_nothing_of_what_it_did_not_ask(bench: Any) -> None:
    """Its draws of scripts that nobody was asked about would hide all others."""
    bounds = [10, 100, 1000]
    assert bench.measured({"a": [3, 40], "b": [5, 50, 500]}, bounds) == [10, 100]
    assert bench.measured({"a": [3, 40, 400], "b": [5, 50, 500]}, bounds) == bounds
    assert bench.measured({"a": [3], "b": []}, bounds) == bench.measured({}, bounds) == []


def test_the_page_has_command_and_table(bench: Any, tmp_path: Path, monkeypatch: Any) -> None:
    import common

    monkeypatch.setattr(common, "RESULTS", tmp_path)
    common.save_page(
        "x", Namespace(no_save=False), "Title", ["a", "b"], [["1", "2"]], "3 s a check"
    )
    title, _, command, _, about, _, *lines = (tmp_path / "x.md").read_text().splitlines()
    assert title == "# Title" and command.startswith("    python bench/")
    assert "commit" in about and about.endswith("3 s a check.")
    assert lines == ["| a | b |", "| --- | --- |", "| 1 | 2 |"]
    common.save_page("y", Namespace(no_save=True), "Title", ["a"], [])
    assert not (tmp_path / "y.md").exists()
