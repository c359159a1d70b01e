"""The search for slow scripts, on fake solvers whose costs are planted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from campaigns import FAKES
from commands import error, outcome
from releases import SOURCE

from murxpy.campaign.performance.journal import FILE
from murxpy.campaign.performance.weights import Weight, margin

ALONE = """
def run_alone(text, limit, wall_ms):
    cost = {cost}
    return ("unknown\\n", limit) if limit and cost > limit else ("sat\\n", cost)
"""
COSTS = {
    "quick": "100",
    "slow-at-xor": "100 + 2000 * text.count('(xor ') ** 2",
    "even": "100 + 10 * len(text)",
    "refusing": "1 / 0",
}


def solver(folder: Path, cost: str) -> str:
    """A target with these costs."""
    package = folder / cost / "fakesolver"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text(SOURCE["__init__.py"] + ALONE.format(cost=COSTS[cost]))
    (folder / cost / "faults.py").write_text((FAKES / "faults.py").read_text())
    return f"fake@{folder / cost}"


def wrapper(folder: Path) -> Path:
    """The file of a wrapper of the fake solver that weighs scripts: a unit is a tenth of a microsecond."""
    file = folder / "scripts.yaml"
    file.write_text(
        (FAKES / "scripts.yaml").read_text()
        + 'limit-per-ms: 10\nreaders: {alone: "f.run_alone({v}, {0}, {1})"}\n'
    )
    return file


def perf(folder: Path, *words: str | Path, out: str = "out") -> tuple[str | Path, ...]:
    """A command that searches where xor is slow."""
    return (
        *("perf", solver(folder, "slow-at-xor"), "--reference", solver(folder, "quick")),
        *("--wrapper", wrapper(folder), "--theories", "BOOL", "--out", folder / out, *words),
    )


def journal(folder: Path, out: str = "out") -> list[dict[str, object]]:
    """The lines of a journal behind its head."""
    lines = (folder / out / FILE).read_text().splitlines()
    return [json.loads(line) for line in lines[1:]]


def test_the_search_finds_what_is_slow(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = outcome(capsys, *perf(tmp_path, "--steps", "80", "--depth", "4"))
    assert code == 0 and out.startswith("80 scripts")
    steps = [line for line in journal(tmp_path) if "step" in line and "loop" in line]
    best = [line for line in steps if line["margin"] is not None]
    margins = [float(str(line["margin"])) for line in best]
    assert len(steps) == 80 and max(margins) > 2000
    gains = [line for line in steps if line.get("construct") == "OP_XOR" and line["margin"]]
    assert gains


def test_the_same_seed_gives_the_same_journal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    texts = []
    for out, seed in (("a", "7"), ("b", "7"), ("c", "8")):
        outcome(capsys, *perf(tmp_path, "--steps", "40", "--seed", seed, out=out))
        texts.append((tmp_path / out / FILE).read_bytes())
    assert texts[0] == texts[1] != texts[2]


def test_a_search_goes_on_where_it_was_killed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    outcome(capsys, *perf(tmp_path, "--steps", "50", out="whole"))
    whole = (tmp_path / "whole" / FILE).read_text()
    outcome(capsys, *perf(tmp_path, "--steps", "20", out="parts"))
    file = tmp_path / "parts" / FILE
    file.write_text(file.read_text()[:-30])  # in the middle of a line
    outcome(capsys, *perf(tmp_path, "--steps", "50", out="parts"))
    assert file.read_text() == whole


def test_a_folder_takes_no_other_search(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    outcome(capsys, *perf(tmp_path, "--steps", "2"))
    code, message = error(capsys, *perf(tmp_path, "--steps", "4", "--seed", "2"))
    assert code == 2 and "this folder has a search with seed 1, not 2" in message


def test_what_a_solver_refuses_is_no_margin(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("perf", solver(tmp_path, "refusing"), "--wrapper", wrapper(tmp_path))
    outcome(capsys, *words, "--theories", "BOOL", "--out", tmp_path / "out", "--steps", "5")
    assert [line["margin"] for line in journal(tmp_path)] == [None] * 5


def weight(answer: str, ms: float, limit: float = 100.0) -> Weight:
    return Weight(answer, ms, limit)


@pytest.mark.parametrize(
    ("targets", "references", "expected"),
    [
        ([weight("sat", 30)], [weight("unsat", 10)], 20),
        ([weight("sat", 30), weight("sat", 20)], [weight("sat", 5), weight("sat", 8)], 12),
        ([weight("exhausted", 100)], [weight("sat", 10)], 190),
        ([weight("late", 100)], [weight("sat", 10)], 190),
        ([weight("sat", 30)], [], 30),
        ([weight("sat", 30)], [weight("exhausted", 10, 10)], None),
        *[
            ([weight(answer, 0)], [weight("sat", 1)], None)
            for answer in ("error", "unknown", "memory", "crash")
        ],
        *[
            ([weight("exhausted", 1)], [weight(answer, 0)], None)
            for answer in ("error", "unknown", "memory", "crash")
        ],
    ],
)
def test_margins(targets: list[Weight], references: list[Weight], expected: float | None) -> None:
    assert margin(targets, references) == expected
