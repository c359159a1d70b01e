"""The bugs that papers print, as scripts: each is well-sorted and says what it shows."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from toy import catalogue

from murxpy.smtlib.reading.scripts import read_script

CATALOGUE = catalogue()


def test_a_program_of_a_solver_is_asked_about_the_samples_of_that_solver(
    monkeypatch: pytest.MonkeyPatch, bench_module: Callable[[str], Any]
) -> None:
    printed = bench_module("printed")
    program = Path(__file__).parents[1] / "fakes" / "smtprogram.py"
    command = f"smt2:{sys.executable} {program}"
    assert printed.named(f"cvc5={command}") == ("cvc5", command)
    assert printed.named("z3@4.8.12") == ("z3", "z3@4.8.12")
    asked: list[str] = []
    monkeypatch.setattr(printed, "answered", lambda sample, to, _: asked.append(to) or "sat")
    rows = printed.rows([f"cvc5={command}"], 1.0)
    assert len(rows) == 18 and set(asked) == {command}
    assert [row[2] == "-" for row in rows] == ["cvc5" not in s.solvers for s in printed.samples()]


def test_each_sample_is_well_sorted_and_says_what_it_shows(
    bench_module: Callable[[str], Any],
) -> None:
    found = bench_module("printed").samples()
    assert len(found) == 18 and "common" in sys.modules
    for sample in found:
        script = read_script(sample.text, sample.name, CATALOGUE)
        assert script.assertions(), sample.name
        assert sample.status in ("sat", "unsat") and sample.shows in ("unknown", "wrong")
        assert sample.solvers and set(sample.solvers) <= {"z3", "cvc5"}
        assert sample.judged(sample.status) == "right" and sample.source
