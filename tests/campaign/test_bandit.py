"""Thompson sampling with decay."""

from __future__ import annotations

import json
from collections import Counter
from statistics import fmean, pvariance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from murxpy.learning.bandit import Bandit, beta, chance
from murxpy.machine.random import Stream

SHAPES = st.floats(0.01, 50.0)


@pytest.mark.parametrize(
    ("alpha", "other"), [(1.0, 1.0), (0.3, 2.0), (5.0, 0.5), (20.0, 20.0), (0.05, 0.05)]
)
def test_samples_have_the_mean_and_the_spread_of_the_distribution(
    alpha: float, other: float
) -> None:
    stream = Stream(7)
    samples = [beta(stream, alpha, other) for _ in range(4000)]
    mean = alpha / (alpha + other)
    spread = mean * (1 - mean) / (alpha + other + 1)
    assert fmean(samples) == pytest.approx(mean, abs=4 * (spread / 4000) ** 0.5)
    assert pvariance(samples) == pytest.approx(spread, rel=0.15)


@given(st.integers(0, 10**6), SHAPES, SHAPES)
def test_a_sample_is_a_chance(seed: int, alpha: float, other: float) -> None:
    assert 0.0 <= beta(Stream(seed), alpha, other) <= 1.0


def test_tiny_parameters_still_give_a_sample() -> None:
    assert 0.0 <= beta(Stream(1), 1e-300, 1e-300) <= 1.0


def played(chances: dict[str, float], rounds: int, bandit: Bandit, seed: int = 1) -> Counter[str]:
    """How often each arm was drawn, where arm A pays with the chance `chances[A]`."""
    stream, world = Stream(seed), Stream(seed + 1)
    drawn: Counter[str] = Counter()
    for _ in range(rounds):
        arm = bandit.draw(stream)
        drawn[arm] += 1
        bandit.reward(arm, world.chance(chances[arm]))
    return drawn


def test_the_arm_that_pays_is_drawn_most_and_no_arm_is_given_up() -> None:
    chances = {"a": 0.05, "b": 0.6, "c": 0.1, "d": 0.0}
    drawn = played(chances, 2000, Bandit(list(chances)))
    assert drawn["b"] > 1400
    assert min(drawn[arm] for arm in chances) > 5


def test_one_arm_among_200_is_found_and_kept() -> None:
    """In 1,500 draws, each arm is drawn 8 times by chance. Where an arm is thought to pay half of the
    time before it was drawn, the one that pays gets 23 draws.
    """
    chances = {f"OP_{number}": 0.0 for number in range(200)} | {"OP_123": 0.3}
    drawn = [played(chances, 1500, Bandit(list(chances)), seed)["OP_123"] for seed in range(2)]
    assert fmean(drawn) > 20 * 1500 / 200


def test_decay_follows_a_change_that_a_long_memory_misses() -> None:
    shares = []
    for decay in (0.95, 1.0):
        bandit = Bandit(["old", "new"], decay)
        played({"old": 0.8, "new": 0.1}, 1000, bandit)
        shares.append(played({"old": 0.1, "new": 0.8}, 100, bandit, seed=5)["new"])
    assert shares[0] > 50 > shares[1]


def test_the_same_stream_draws_the_same_arms() -> None:
    chances = {"a": 0.5, "b": 0.5}
    states = []
    for _ in range(2):
        bandit = Bandit(list(chances))
        played(chances, 100, bandit, seed=3)
        states.append(bandit.state())
    assert states[0] == states[1]


def test_only_arms_that_can_be_drawn_are_drawn() -> None:
    bandit, stream = Bandit(["a", "b", "c"]), Stream(2)
    assert {bandit.draw(stream, ("c", "b")) for _ in range(50)} == {"b", "c"}
    with pytest.raises(ValueError, match="none of the arms"):
        bandit.draw(stream, ("d",))


def test_prices_are_weighed_against_what_arms_pay() -> None:
    bandit, stream = Bandit(["dear", "cheap"]), Stream(4)
    for _ in range(20):
        bandit.reward("dear", True)
        bandit.reward("cheap", 0.3)
    prices = {"dear": 10.0, "cheap": 1.0}
    drawn = Counter(bandit.draw(stream, prices=prices) for _ in range(100))
    assert drawn["cheap"] > 90 and bandit.draw(stream) == "dear"


def test_a_reward_decays_what_its_arm_remembers_and_no_other() -> None:
    bandit = Bandit(["a", "b"], decay=0.5)
    bandit.reward("b", True)
    for gain in (True, False, 0.25):
        bandit.reward("a", gain)
    assert bandit.state() == {"a": [0.5, 1.25], "b": [1.0, 0.0]}
    assert chance(*bandit.state()["a"]) == pytest.approx(1.5 / 3.75)


def test_a_damped_arm_is_drawn_less_until_it_pays_again() -> None:
    bandit = Bandit(["a", "b"])
    for _ in range(20):
        bandit.reward("a", True)
    bandit.damp("a", 10.0)
    assert chance(*bandit.state()["a"]) < 0.1
    assert played({"a": 1.0, "b": 0.0}, 300, bandit)["a"] > 200


def test_the_state_is_plain_data_and_survives_other_arms() -> None:
    bandit = Bandit(["a", "gone"])
    bandit.reward("a", True)
    again = Bandit(["new", "a"])
    again.restore(json.loads(json.dumps(bandit.state())))
    assert again.state() == {"new": [0.0, 0.0], "a": [1.0, 0.0]}
    assert again.arms == ("new", "a")


@pytest.mark.parametrize("arms", [[], ["a", "a"]])
def test_arms_have_names_of_their_own(arms: list[str]) -> None:
    with pytest.raises(ValueError, match="one or more arms"):
        Bandit(arms)


def test_a_decay_and_a_gain_have_their_ranges() -> None:
    with pytest.raises(ValueError, match=r"not 0\.0"):
        Bandit(["a"], decay=0.0)
    with pytest.raises(ValueError, match="not 2"):
        Bandit(["a"]).reward("a", 2)
