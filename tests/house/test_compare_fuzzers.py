"""The comparison of the mutation fuzzers: who gets which time and judge, and what counts for whom."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def bench(bench_module: Callable[[str], Any]) -> Any:
    """The bench as a module."""
    return bench_module("compare_fuzzers")


def test_all_fuzzers_and_releases_have_a_seed_before_any_gets_the_next(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[list[str], Path, float]] = []
    monkeypatch.setattr(bench, "fuzz", lambda *asked: begun.append(asked))
    monkeypatch.setattr(bench, "measured", lambda *_: [])
    monkeypatch.setattr(bench, "compare", lambda *_: None)
    variants = "opfuzz,diver,diver --no-weights"
    options = ["--fuzzers", variants, "--seeds", "2", "--cpu", "60", "--keep", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["compare_fuzzers.py", "z3@4.8.12", "cvc5@1.0.8", *options])
    bench.main()
    names = ["opfuzz-{}", "diver-{}", "diver-no-weights-{}"]
    assert [out.name for _, out, _ in begun] == [
        f"{solver}-{name.format(seed)}"
        for seed in (1, 2)
        for solver in ("z3@4.8.12", "cvc5@1.0.8")
        for name in names
    ]
    assert {cpu for _, _, cpu in begun} == {60.0}
    judged = {out.name: words[words.index("--cross-check") + 1] for words, out, _ in begun[:6:3]}
    assert judged == {"z3@4.8.12-opfuzz-1": "cvc5", "cvc5@1.0.8-opfuzz-1": "z3"}
    assert "--cross-check" not in begun[1][0] and "--no-weights" in begun[2][0]


def test_a_defect_that_two_fuzzers_find_is_one_and_giving_up_is_none(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {
        "storm": [("a", "here"), ("b", "there")],
        "diver": [("c", "here"), ("d", "there"), ("e", "alone"), ("f", "unknown")],
    }
    kinds = {"unknown": "incompleteness"}
    known = bench.Known(tmp_path / "defects.json")

    def places(fuzzer: str) -> tuple[int, ...]:
        return tuple(
            known.place(
                "z3 4.8.12",
                {
                    "kind": kinds.get(mark, "wrong-answer"),
                    "message": "",
                    "buckets": [{"key": key}],
                    "marks": [mark],
                },
                fuzzer,
            )
            for key, mark in found[fuzzer]
        )

    made = [(name, places(name)) for name in found]
    campaigns = [
        bench.Campaign(name, "off", 1, 60.0, 9, 100, each, tuple(map(float, each)))
        for name, each in made
    ]
    counted = [bench.without_unknown(known, one) for one in campaigns]
    assert [(len(one.defects), len(one.found)) for one in counted] == [(2, 2), (3, 3)]
    monkeypatch.setattr(sys, "argv", ["compare_fuzzers.py"])
    bench.report(bench.argparse.Namespace(no_save=True), "z3@4.8.12", known, campaigns)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[2:]]
    header, storm, diver = rows
    assert header[-5:] == ["different", "answers", "alone", "gave", "up"]
    assert storm[0] == "storm" and storm[-4:] == ["2", "2", "0", "0"]
    assert diver[0] == "diver" and diver[-4:] == ["3", "3", "1", "1"]


def test_walks_take_no_seeds_and_mixes_have_a_judge(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: dict[str, list[str]] = {}
    monkeypatch.setattr(bench, "fuzz", lambda words, out, _: begun.update({out.name: words}))
    monkeypatch.setattr(bench, "measured", lambda *_: [])
    monkeypatch.setattr(bench, "compare", lambda *_: None)
    options = [
        "--fuzzers",
        "walks;fuzz --mix api:3,storm:1",
        "--seeds",
        "1",
        "--keep",
        str(tmp_path),
    ]
    monkeypatch.setattr(sys, "argv", ["compare_fuzzers.py", "z3@4.8.12", *options])
    bench.main()
    walks, mix = begun.values()
    assert walks[2:6] == ["murxpy", "fuzz", "z3@4.8.12", "--seed"] and "--cross-check" not in walks
    assert mix[-2:] == ["--mix", "api:3,storm:1"] and "--cross-check" in mix
    assert Path(mix[5]).is_dir()


def test_all_releases_are_one_table_and_one_chart(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mix finds twice as much as walks on one release, and three times as much on the other."""

    def made(source: str, counts: list[int]) -> list[Any]:
        return [
            bench.Campaign(
                source,
                "off",
                seed,
                100.0,
                9,
                9,
                tuple(range(n)),
                tuple(10.0 * at for at in range(n)),
            )
            for seed, n in enumerate(counts)
        ]

    import common

    monkeypatch.setattr(common, "RESULTS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["compare_fuzzers.py"])
    mix, none = "fuzz --mix auto", made("storm", [0, 0, 0])
    bench.compare(
        bench.argparse.Namespace(no_save=False),
        {
            "z3@1": [*made("walks", [1, 2, 3]), *made(mix, [4, 4, 4]), *none],
            "z3@2": [*made("walks", [1, 1, 1]), *made(mix, [3, 3, 3]), *none],
        },
    )
    page, chart = ((tmp_path / f"sources.{end}").read_text() for end in ("md", "svg"))
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    walks, mixed, storm, split = rows[2:]
    assert walks[:3] == ["walks", "72 (36 to 108)", "36 (36 to 36)"] and walks[3] == "-"
    assert mixed[0] == mix and mixed[3].startswith("2.5 (") and storm[3] == "0 (0 to 0)"
    assert split[1] == "72: 12 walks of 12" and split[3] == "1"
    assert chart.count("polyline") > 6
    points = bench.curve([made("walks", [1, 3])], 100.0)
    assert points[-1] == (100.0, 2.0) and (10.0, 1.5) in points


def test_two_seeds_have_no_interval(bench: Any) -> None:
    assert bench.resampled(lambda drawn: 1.0, [1.0, 2.0]) == ""


def test_the_best_split_in_hindsight_gives_each_source_what_it_gains(bench: Any) -> None:
    """Two sources find other defects early and nothing afterwards, so each gets its beginning."""

    def made(source: str, found: dict[int, float]) -> Any:
        return bench.Campaign(
            source, "off", 1, 120.0, 9, 9, tuple(found), tuple(map(float, found.values()))
        )

    early, late = made("walks", {1: 10, 2: 30, 3: 119}), made("storm", {4: 10, 5: 20, 1: 5})
    rate, parts = bench.split_in_hindsight([early, late])
    assert rate == 4 * 30.0 and parts["walks"] >= 3 and parts["storm"] >= 2
    assert sum(parts.values()) == bench.PARTS
    # what every second campaign of a source finds is expected half of the time
    rate, parts = bench.split_in_hindsight([early, made("walks", {})])
    assert rate == 1.5 * 30.0 and parts == {"walks": bench.PARTS}
    assert bench.split_text((120.0, {"walks": 12, "storm": 0})) == "120: 12 walks of 12"
    assert bench.split_text(bench.split_in_hindsight([made("walks", {})])) == "0"
    # campaigns of other lengths are measured by their own
    longer = bench.Campaign("storm", "off", 1, 1200.0, 9, 9, (4,), (100.0,))
    assert bench.split_in_hindsight([early, longer])[0] >= early.rate
