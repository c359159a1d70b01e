"""Random streams: the same on every machine, even, independent of each other."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from murxpy.machine.random import Distribution, Stream, Weighted, mix, point


def test_numbers_are_fixed() -> None:
    assert (mix(0, 0), mix(1, 0), mix(0, 1)) == (
        0xE220A8397B1DCDAF,
        0x910A2DEC89025CC1,
        0x6E789E6AA1B965F4,
    )
    stream = Stream(42)
    assert [stream.below(1000) for _ in range(4)] == [639, 25, 275, 223]


def test_streams_do_not_depend_on_the_hash_seed() -> None:
    code = "from murxpy.machine.random import *; s = Stream(5); print(s.sample(list('abcdefgh'), 5), s.bits(90), point(77))"
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        for seed in ("0", "1")
    ]
    assert runs[0].stdout == runs[1].stdout


@given(st.integers(0, 1 << 64), st.integers(1, 1 << 70))
def test_below(seed: int, limit: int) -> None:
    stream = Stream(mix(seed, 0))
    drawn = [stream.below(limit) for _ in range(5)]
    assert all(0 <= n < limit for n in drawn)
    stream.reset(mix(seed, 0))
    assert [stream.below(limit) for _ in range(5)] == drawn


def test_points_are_even() -> None:
    tenths = Counter(int(point(seed) * 10) for seed in range(20_000))
    assert all(1800 < tenths[k] < 2200 for k in range(10))


@given(st.lists(st.floats(0, 10), min_size=1, max_size=6), st.floats(0, 1, exclude_max=True))
def test_weighted(weights: list[float], at: float) -> None:
    choice = Weighted(list(enumerate(weights)))
    if choice.items:
        assert weights[choice.at(at)] > 0


def test_shuffle_and_sample_keep_what_is_there() -> None:
    stream, items = Stream(1), list(range(50))
    shuffled = list(items)
    stream.shuffle(shuffled)
    assert shuffled != items and sorted(shuffled) == items
    assert len(set(stream.sample(items, 10))) == 10 and sorted(stream.sample(items, 99)) == items


def test_distributions() -> None:
    stream = Stream(9)
    distribution = Distribution([[1, 1], [[5, 8], 3], ["name", 0]])
    drawn = Counter(distribution.draw(stream) for _ in range(4000))
    assert set(drawn) == {1, 5, 6, 7, 8} and 800 < drawn[1] < 1200
    assert all(2 <= distribution.within(stream, 2, 4) <= 4 for _ in range(50))
