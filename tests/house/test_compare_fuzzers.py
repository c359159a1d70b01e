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

    campaigns = [bench.Campaign(name, "off", 1, 60.0, 9, 100, places(name)) for name in found]
    monkeypatch.setattr(sys, "argv", ["compare_fuzzers.py"])
    bench.report(bench.argparse.Namespace(no_save=True), "z3@4.8.12", known, campaigns)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[2:]]
    header, storm, diver = rows
    assert header[-5:] == ["different", "answers", "alone", "gave", "up"]
    assert storm[0] == "storm" and storm[-4:] == ["2", "2", "0", "0"]
    assert diver[0] == "diver" and diver[-4:] == ["3", "3", "1", "1"]
