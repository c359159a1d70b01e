"""The benches: each explains itself, and a small measurement goes through to its result files'
figures.
"""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from murxpy.logic.sorts import SortTable

BENCH = Path(__file__).parents[2] / "bench"
SOLVERS = ("z3", "cvc5")
PROGRAMS = (
    "confirmed",
    "contract",
    "determinism",
    "faults",
    "kills",
    "overtime",
    "own_faults",
    "quality",
    "reach",
    "supervisor_memory",
    "throughput",
    "translation",
    "validity",
)


def bench(program: str, *args: str) -> str:
    """Standard output of a bench. Raises CalledProcessError."""
    command = [sys.executable, str(BENCH / f"{program}.py"), *args]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.usefixtures("bench_module")
@pytest.mark.parametrize("program", PROGRAMS)
def test_explains_itself(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [program, "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(BENCH / f"{program}.py"), run_name="__main__")
    assert not ended.value.code and "--no-save" in capsys.readouterr().out


def test_the_first_lines_of_a_program_name_each_table() -> None:
    """Some tables come from commands of murxpy, and each names its command."""
    about = [ast.get_docstring(ast.parse(file.read_text())) or "" for file in BENCH.glob("*.py")]
    tables = {file.stem for file in (BENCH / "results").glob("*.md")}
    named = set(re.findall(r"bench/results/([\w-]+)\.md", " ".join(about)))
    named |= {f"translation-{name}" for name in (*SOLVERS, "standard")}
    assert tables - named == {
        *("README", "compare", "cross-checked", "enumeration-ci", "matrix", "mutation-newest"),
        "perf-searches",
    }


@pytest.mark.slow
def test_reports_share_the_runs(tmp_path: Path) -> None:
    shared = (
        "z3",
        "--theories",
        "BV",
        "--runs",
        "8",
        "--no-save",
        "--data",
        str(tmp_path / "counts.json"),
    )
    assert "Quality over 8 runs of z3" in bench("quality", *shared)
    assert "Refused calls in 8 runs of z3" in bench("validity", *shared)
    assert "Reach over 8 runs of z3" in bench("reach", *shared)


@pytest.mark.slow
def test_translations_are_judged() -> None:
    shown = bench(
        "translation",
        "cvc5",
        "--theories",
        "BV",
        "--runs",
        "3",
        "--programs",
        "1",
        "--murxla",
        "1",
        "--no-save",
    )
    assert "smt2: 100.0 %" in shown
    assert "Translations of 3 runs of cvc5" in shown


@pytest.mark.parametrize(
    ("kind", "params", "value", "expected"),
    [
        ("SORT_BV", (8,), 0x80, ["least signed", "power of two", "negative"]),
        ("SORT_BV", (8,), 0x13, ["random"]),
        ("SORT_INT", (), -8, ["negative", "power of two"]),
        ("SORT_REAL", (), Fraction(1, 3), ["fraction"]),
        ("SORT_FP", (5, 11), 0x7C00, ["infinity"]),
        ("SORT_FP", (5, 11), 0x8001, ["negative", "least subnormal"]),
        ("SORT_FF", (7,), 6, ["greatest"]),
        ("SORT_STRING", (), "", ["empty"]),
        ("SORT_STRING", (), "\\", ["one character", "special"]),
    ],
)
def test_classes_of_literals(
    kind: str,
    params: tuple[int, ...],
    value: Any,
    expected: list[str],
    bench_module: Callable[[str], Any],
) -> None:
    assert bench_module("literals").classes(SortTable().get(kind, *params), value) == expected


def test_no_two_defects_of_the_labelled_buckets_are_merged() -> None:
    rows = bench("dedup", "--no-save").splitlines()[3:]
    assert len(rows) > 10 and all(row.split()[-1] == "0" for row in rows)
