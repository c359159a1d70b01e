"""Numbers of runs as spans, and what is chosen for neighbouring runs at once."""

from __future__ import annotations

import itertools
import random
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from murxpy.learning.guide import Lag
from murxpy.learning.spans import Spans
from murxpy.steering.guidance import Damping
from murxpy.steering.seeds import Ledger

STEPS = st.lists(
    st.tuples(st.booleans(), st.integers(0, 40), st.integers(1, 12), st.integers(0, 2)), max_size=40
)


@given(STEPS)
def test_spans_are_a_dict_of_numbers(steps: list[tuple[bool, int, int, int]]) -> None:
    spans, plain = Spans(), dict[int, int]()
    for adds, first, count, value in steps:
        numbers = range(first, first + count)
        if adds:
            if any(number in plain for number in numbers):
                continue
            spans.add(first, count, value)
            plain |= dict.fromkeys(numbers, value)
        else:
            expected = {number: plain.pop(number) for number in numbers if number in plain}
            removed = spans.remove(first, count)
            assert {n: v for at, size, v in removed for n in range(at, at + size)} == expected
        assert list(spans.numbers()) == sorted(plain)
        assert spans.lowest == min(plain, default=None)
        assert [spans.get(number) for number in range(60)] == [plain.get(n) for n in range(60)]
        rows = [*spans]
        assert not any(a[0] + a[1] == b[0] and a[2] == b[2] for a, b in itertools.pairwise(rows))


def verdict(call: str) -> Any:
    return SimpleNamespace(
        kind="crash", call=SimpleNamespace(action=call, operator="", spelling="")
    )


def damped(seed: int, size: int, lag: int, stored: int = 0) -> list[Any]:
    """What each of 300 runs damps, where `size` neighbours are begun at a time, at most, and end in any
    order. After `stored` runs, the choices go through the store.
    """
    chance, findings = random.Random(seed), random.Random(9)
    calls = {index: f"c{findings.randrange(20)}" for index in range(300) if findings.random() < 0.2}
    damping, ledger = Damping(None, Lag(lag)), Ledger(limit=300)
    found: dict[int, Any] = {}
    running: list[int] = []
    while not ledger.exhausted:
        ready = damping.ready_from(ledger.next, ledger.most(size))
        if ready:
            first = ledger.next
            count = damping.alike_from(first, ready)
            damp = damping.of(first, count)
            assert ledger.take_span(count) == first
            found |= dict.fromkeys(range(first, first + count), damp)
            running += range(first, first + count)
        chance.shuffle(running)
        for index in running[: chance.randrange(1, 2 * size)]:
            running.remove(index)
            if index in calls:
                damping.found(index, verdict(calls[index]))
            damping.over(index)
            ledger.done(index)
        if stored and len(found) > stored:
            damping = Damping(damping.state(), Lag(lag), ledger.spans())
    return [found[index] for index in range(300)]


@pytest.mark.parametrize("lag", [32, 64, 512])
def test_runs_damp_the_same_whatever_the_size_of_blocks(lag: int) -> None:
    alone = damped(1, 1, lag)
    assert len(set(alone)) > 5
    for seed, size, stored in ((2, 3, 0), (3, 16, 0), (4, 40, 0), (5, 16, 100), (6, 1, 150)):
        assert damped(seed, size, lag, stored) == alone


def test_what_an_earlier_release_stored_of_each_run_is_read() -> None:
    saved = {
        "open": {"7": [1, None], "8": [1, ["a", "b", "c"]], "9": [1, None]},
        "over": {"3": [0, ["d", "e", "f"]]},
        "calls": [["x", "y", "z"]],
    }
    damping = Damping(saved, Lag(), Spans([(7, 2, 0)]))
    assert damping.of(7) == damping.of(8) == (("x", "y", "z"),)
    assert damping.state()["open"] == {"7": [1, None, 1], "8": [1, ["a", "b", "c"]]}


def test_rows_that_overlap_are_read_once() -> None:
    """A stranger's folder can have two rows for one run."""
    saved = {"open": {"3": [0, None, 5], "4": [1, None, 2]}, "calls": [["x", "y", "z"]]}
    damping = Damping(saved, Lag(), Spans([(0, 10, 0)]))
    assert damping.state()["open"] == {"3": [0, None, 5]}
    for index in range(3, 8):
        damping.over(index)
    assert damping.state()["open"] == {}
