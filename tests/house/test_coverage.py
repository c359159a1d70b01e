"""The bench of coverage: campaigns go on from the counters of the seeds, and sources are put together."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from murxpy.processes.gcov import FOLDER, Reached, counters, gather, told

PARTS = """int main(int count, char **words) {
    if (count > 2)
        return 0;
    if (count > 1)
        return words[1][0] == 'x';
    return 1;
}
"""


@pytest.fixture
def bench(bench_module: Callable[[str], Any]) -> Any:
    """The bench as a module."""
    return bench_module("coverage")


def test_seeds_are_spread_and_keep_their_labels(bench: Any, tmp_path: Path) -> None:
    for at in range(10):
        place = tmp_path / "all" / f"QF_{at // 2}" / ("sat", "unsat")[at % 2]
        place.mkdir(parents=True)
        (place / "a.smt2").write_text("(check-sat)")
    found = bench.sample(tmp_path / "all", 4, tmp_path / "some")
    names = sorted(str(path.relative_to(found).parent) for path in found.rglob("*.smt2"))
    assert names == ["QF_0/sat", "QF_1/sat", "QF_2/unsat", "QF_3/unsat"]


def test_campaigns_begin_with_the_counters_of_the_seeds(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their rows have what seeds and mutants reach together, and what was measured is not run again."""
    begun: list[list[str]] = []
    pages: list[list[list[str]]] = []

    def counted(out: Path) -> Path:
        (out / FOLDER).mkdir(parents=True, exist_ok=True)
        return out / FOLDER

    def fuzz(words: list[str], out: Path, seconds: float) -> None:
        begun.append(words)
        (counted(out) / f"{out.name}.gcda").touch()

    def told(_: str, __: str, out: str, *words: str) -> str:
        number = len(list(Path(out, FOLDER).iterdir()))
        figures = {"_covered": number, "_total": 10}
        found = {f"{what}{key}": n for what in bench.COUNTED for key, n in figures.items()}
        return json.dumps({**found, "files": []})

    monkeypatch.setattr(bench, "fuzz", fuzz)
    monkeypatch.setattr(bench, "murxpy", told)
    monkeypatch.setattr(bench, "tests", lambda out: ("7", "60"))
    monkeypatch.setattr(
        bench, "ask_seeds", lambda args, _: (counted(tmp_path / "seeds") / "a.gcda").touch()
    )
    monkeypatch.setattr(bench.common, "save_page", lambda *page: pages.append(page[4]))
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "a.smt2").write_text("(check-sat)")
    options = ["--gcov", "b", "--source", "s", "--seeds", str(tmp_path / "all")]
    options += ["--keep", str(tmp_path), "--fuzzers", "fusion --concat-only,walks"]
    monkeypatch.setattr(sys, "argv", ["coverage.py", "z3@b/python", *options])
    bench.main()
    assert pages[0] == [
        ["seeds", "1", "", *["1 (10.0 %)"] * 3],
        ["fusion --concat-only", "7", "60", *["2 (20.0 %), +1"] * 3],
        ["walks", "7", "60", *["2 (20.0 %), +1"] * 3],
    ]
    fusion, walks = begun
    assert fusion[3:5] == ["fusion", "z3@b/python"] and "--concat-only" in fusion
    assert walks[3:6] == ["fuzz", "z3@b/python", "--options"]
    monkeypatch.setattr(bench, "murxpy", lambda *_: pytest.fail("it is known"))
    bench.main()
    assert pages[1] == pages[0]


@pytest.mark.skipif(shutil.which("gcov-tool") is None, reason="there is no gcov-tool")
def test_sources_together_reach_what_one_of_them_does(bench: Any, tmp_path: Path) -> None:
    build, args = tmp_path / "build", Namespace(keep=tmp_path)
    build.mkdir()
    (build / "parts.c").write_text(PARTS)
    command = ["gcc", "--coverage", "-O0", "-o", "parts", "parts.c"]
    subprocess.run(command, cwd=build, check=True)
    for name, words in {"a": [], "b": ["x"], "c": ["x", "y"]}.items():
        environment = {**os.environ, "GCOV_PREFIX": str(tmp_path / name / FOLDER)}
        subprocess.run([build / "parts", *words], env=environment, check=False)
    bench.join(args, "a+b+c")
    found = {}
    for name in ("a", "b", "c", "a+b+c"):
        gather(tmp_path / name, build, tmp_path / name / "data")
        reached = Reached(build)
        for text, _ in told(counters(tmp_path / name / "data")):
            reached.take(text)
        found[name] = reached.figures()["line_covered"]
    assert found == {"a": 4, "b": 4, "c": 3, "a+b+c": 6}
