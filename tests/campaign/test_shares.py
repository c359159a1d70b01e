"""The mix that learns: sources that give more new findings get more of the time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from murxpy.campaign.runs import stored_runs
from murxpy.errors import InputError
from murxpy.findings.store import Store
from murxpy.fuzzers.setups import is_auto, parse_mix, sources, walked_machines
from murxpy.learning.guide import LAG
from murxpy.learning.shares import FLOOR, Shares
from murxpy.machine.random import Stream
from murxpy.processes.targets import Plan, resolve
from murxpy.sources.mutation.registry import API, FUZZERS, entry_of
from murxpy.steering.seeds import Steering, cost_of

FILES = [
    [f"{at}.smt2", "(declare-const x Int)(assert (> x 0))(check-sat)", "sat"] for at in range(12)
]
MIX = [["api", 1.0], ["opfuzz", 1.0], ["typefuzz", 1.0], ["storm", 1.0]]
Pays = Callable[
    [str, float], float
]  # the chance that a run finds something new, by source and time


def steering(seed: int = 1) -> Steering:
    setup: Any = {"seeds": FILES, "mix": MIX, "walk": 10, "budget": None, "auto": True}
    return Steering(seed, setup)


def drive(
    mine: Steering,
    runs: int,
    pays: Pays,
    first: int = 0,
    spent: float = 0.0,
    behind: int = 1,
    shown: Callable[[str, int], str] = lambda source, index: f"bucket-{index}",
) -> tuple[list[int], list[tuple[str, float]]]:
    """Runs whose results come `behind` runs late: their seeds, and the source and time of each. A walk
    has 300 lines, a run of another source five mutants and as much of the solver's work."""
    seeds, made, waiting = list[int](), list[tuple[str, float]](), list[int]()
    for index in range(first, first + runs):
        while not mine.ready(index) or len(waiting) >= behind:
            mine.done(waiting.pop(0))
        seed = mine.seed_of(index)
        source = mine.fuzzer_of(seed) or API
        name = f"mutator:{source}"
        counts = {f"{name}:made": 5, f"{name}:spent": 50}
        counts = {"line:total": 300} if source == API else counts
        mine.count(index, counts)
        cost = cost_of(source, counts)
        spent += cost
        if Stream(index).chance(pays(source, spent)):
            mine.found(index, shown(source, index))
        seeds.append(seed)
        made.append((source, cost))
        waiting.append(index)
    for index in waiting:
        mine.done(index)
    return seeds, made


def parts(made: list[tuple[str, float]]) -> dict[str, float]:
    costs: dict[str, float] = {}
    for source, cost in made:
        costs[source] = costs.get(source, 0.0) + cost
    return {source: cost / sum(costs.values()) for source, cost in costs.items()}


def test_the_source_that_finds_most_gets_most_of_the_time_and_none_starves() -> None:
    pays = {"api": 0.004, "opfuzz": 0.05, "typefuzz": 0.004, "storm": 0.0}
    _, made = drive(steering(), 3000, lambda source, _: pays[source])
    late = parts(made[1500:])
    assert late["opfuzz"] > 0.7
    assert min(late.values()) > FLOOR / 8


def test_a_source_whose_yield_ends_loses_its_time() -> None:
    """It has 41 defects, each of which it then finds again and again."""

    def pays(source: str, _: float) -> float:
        return {"opfuzz": 0.2, "storm": 0.02}.get(source, 0.0)

    def shown(source: str, index: int) -> str:
        return f"old-{index % 41}" if source == "opfuzz" else f"new-{index}"

    _, made = drive(steering(), 3000, pays, shown=shown)
    assert parts(made[50:250])["opfuzz"] > 0.5
    late = parts(made[2400:])
    assert late["storm"] > 0.5 > 0.2 > late["opfuzz"]


def test_a_bucket_counts_for_the_only_run_that_showed_it() -> None:
    shares = Shares({"a": 1.0, "b": 1.0})
    shares.learn("a", ["x", "x"], 10.0)  # twice in one run
    before = shares.shares(("a", "b"))
    assert before["a"] > before["b"]
    shares.learn("b", ["x"], 10.0)
    assert shares.shares(("a", "b")) == {"a": pytest.approx(0.5), "b": pytest.approx(0.5)}


@pytest.mark.parametrize("spent", [-1.0, float("nan"), float("inf")])
def test_a_stored_time_that_is_none_is_refused(spent: float) -> None:
    """It comes from the folder of a campaign, which may be damaged or a stranger's."""
    with pytest.raises(ValueError, match="the time of a source"):
        Shares({"a": 1.0}, {"spent": {"a": spent}, "shown": {}})


def test_time_is_shared_by_weight_before_anything_is_found() -> None:
    shares = Shares({"a": 3.0, "b": 1.0})
    for _ in range(100):
        drawn = shares.shares(("a", "b"))
        source = max(drawn, key=lambda name: drawn[name])
        assert drawn["a"] + drawn["b"] == pytest.approx(1.0)
        shares.learn(source, (), 10.0)
    first = Shares({"a": 3.0, "b": 1.0}).shares(("a", "b"))
    assert first["a"] == pytest.approx(FLOOR / 2 + (1 - FLOOR) * 0.75)
    assert Shares({"a": 3.0, "b": 1.0}).shares(("b",)) == {"b": pytest.approx(1.0)}


def test_time_and_not_runs_is_shared_before_any_run_is_counted() -> None:
    """The first 32 runs are chosen before anything is known; a walk costs half of another run."""
    firsts = [parts(drive(steering(seed=seed), LAG, lambda *_: 0.0)[1]) for seed in range(20)]
    walks = sum(one.get(API, 0.0) for one in firsts) / len(firsts)
    assert 0.2 < walks < 0.5


def test_walks_keep_their_time_as_long_as_nothing_else_finds_more() -> None:
    """Of the sources that `auto` means, only walks find anything, one defect in a second."""
    shares, names = Shares(dict(parse_mix("auto"))), sources()
    walks = [API, *walked_machines()]

    def part() -> float:
        return sum(shares.shares(names)[name] for name in walks)

    begun = part()
    assert begun == pytest.approx(FLOOR * len(walks) / len(names) + (1 - FLOOR) * 0.95)
    for at in range(1000):
        source = shares.draw(Stream(at), names, dict.fromkeys(names, 30.0))
        shares.learn(source, [f"{at}"] if source in walks and at % 30 == 0 else (), 30.0)
    assert part() > 0.94


def test_a_source_with_a_small_weight_gets_the_time_when_it_finds_most() -> None:
    """Also if its runs cost twenty times what is thought before they are counted."""
    names = sources()
    shares, spent = Shares(dict(parse_mix("auto"))), dict.fromkeys(names, 0.0)
    for at in range(4000):
        source = shares.draw(Stream(at), names, dict.fromkeys(names, 30.0))
        cost, pays = {"storm": (600.0, 0.4), API: (30.0, 0.002)}.get(source, (30.0, 0.0))
        shares.learn(source, [f"{at}"] if Stream(5000 + at).chance(pays) else (), cost)
        spent[source] += cost if at >= 2000 else 0.0
    assert spent["storm"] > 0.8 * sum(spent.values())


def test_a_walk_that_a_limit_ended_costs_what_one_costs_of_which_nothing_is_known() -> None:
    """Whether the clock ends a walk hardly changes which source comes next."""
    usual = {"line:total": 128, "check:total": 4}
    assert cost_of(API, {}) == pytest.approx(cost_of(API, usual), rel=0.02)


def test_a_source_whose_scripts_take_longer_has_fewer_runs() -> None:
    """Nothing is found, and both sources have the same weight. Mutants through the API are no scripts."""

    def drawn(script_ms: float, through: str) -> int:
        mix = [[API, 1.0], ["fusion", 1.0]]
        setup: Any = {"seeds": FILES, "mix": mix, "walk": 5, "auto": True, "through": through}
        mine = Steering(1, setup, script_ms=script_ms)
        return [mine.fuzzer_of(mine.seed_of(index)) for index in range(20)].count("fusion")

    assert drawn(5.0, "text") > drawn(50.0, "text")
    assert drawn(5.0, "api") == drawn(50.0, "api")


def test_a_mix_that_learns_reads_no_seed_before_it_begins(tmp_path: Path) -> None:
    """It takes a second of 600 seeds. A seed that cannot be read is retired when it was drawn."""
    broken = {"seeds": [["a.smt2", "(assert", "sat"]], "mix": MIX, "walk": 10, "budget": None}
    plan = Plan(resolve("z3"), {"sources": {**broken, "auto": True}})
    runs = stored_runs(plan, {}, Store(tmp_path), 1, None)
    assert runs.steering is not None and not runs.steering.starved
    plan.setup["sources"].pop("auto")
    fixed = stored_runs(plan, {}, Store(tmp_path), 1, None)
    assert fixed.steering is not None and "opfuzz" in fixed.steering.starved


def test_the_order_in_which_runs_end_changes_nothing() -> None:
    """So a campaign makes the same runs with any number of workers."""

    def pays(source: str, _: float) -> float:
        return {"opfuzz": 0.05}.get(source, 0.01)

    assert drive(steering(), 600, pays)[0] == drive(steering(), 600, pays, behind=LAG)[0]


def test_a_mix_goes_on_where_it_was() -> None:
    def pays(source: str, _: float) -> float:
        return {"opfuzz": 0.05}.get(source, 0.01)

    whole = drive(steering(), 400, pays)[0]
    first = steering()
    begun = drive(first, 200, pays)[0]
    kept = json.loads(json.dumps(first.state()))
    yields = list(first.yields.values())
    setup: Any = {"seeds": FILES, "mix": MIX, "walk": 10, "budget": None, "auto": True}
    assert begun + drive(Steering(1, setup, yields, kept), 200, pays, 200)[0] == whole


def test_the_word_auto_stands_first_and_may_stand_alone() -> None:
    assert parse_mix("auto, api,opfuzz:2") == (("api", 1.0), ("opfuzz", 2.0))
    weights = dict(parse_mix("auto"))
    assert list(weights) == sources()
    others = sum(weights[name] for name in walked_machines())
    assert weights[API] == pytest.approx(9 * others)
    assert weights[API] + others == pytest.approx(19 * sum(weights[name] for name in FUZZERS))
    silent = [name for name in sources() if not entry_of(name).asks]
    assert list(dict(parse_mix("auto", API))) == silent != sources()
    assert is_auto("auto") and is_auto("auto,api") and not is_auto("api:1,opfuzz")
    for wrong in ("api,auto", "auto:2"):
        with pytest.raises(InputError, match="'auto' stands in front of the sources"):
            parse_mix(wrong)
