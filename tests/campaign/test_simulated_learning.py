"""What learns from earlier runs finds more than chance, in the simulations of `bench/learning.py`: each
row has a rare choice behind which the defects of a simulated solver stand.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean
from typing import Any

import pytest

SEEDS, RUNS = 4, 1500

# By row, how many times as much is found as by chance, at least. A theory of ten is drawn so often by
# chance that no learner can find ten times as much, and a walk that is varied goes only halfway to a
# defect behind two steps.
LEAST = {
    "BanditFuzz: 1 operator of 200, 30 %": 3.0,
    "behind a group of operators of 200": 3.0,
    "behind an option of 200": 3.0,
    "behind a shape of 60": 3.0,
    "behind a theory of 10": 2.0,
    "behind an option that moves no counter": 2.0,
    "behind two steps of a walk": 1.1,
    "behind three steps of a walk": 2.0,
    "mix: one source of four has all": 1.5,
}


@pytest.mark.slow
@pytest.mark.parametrize("row", LEAST)
def test_learning_finds_more_than_chance(bench_module: Callable[[str], Any], row: str) -> None:
    made = bench_module("learning").simulated(RUNS)[row]
    learning, chance = (
        fmean(made(seed, told) for seed in range(1, SEEDS + 1)) for told in (True, False)
    )
    assert learning >= LEAST[row] * max(chance, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("row", ["mix: four equal sources", "behind one step of a walk"])
def test_learning_costs_little_where_there_is_nothing_to_learn(
    bench_module: Callable[[str], Any], row: str
) -> None:
    made = bench_module("learning").simulated(RUNS)[row]
    learning, chance = (
        fmean(made(seed, told) for seed in range(1, SEEDS + 1)) for told in (True, False)
    )
    assert learning >= 0.9 * chance
