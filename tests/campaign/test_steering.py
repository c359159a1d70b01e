"""Which seeds runs work on: the code in a run seed, weights, budgets, and what is kept of them."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from campaigns import FAKES, run
from commands import error, fuzz_fake, outcome
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text

from murxpy.campaign.campaign import Campaign
from murxpy.campaign.runs import stored_runs
from murxpy.cli.report.seeds import seed_sections
from murxpy.errors import InputError
from murxpy.findings.store import Store, TargetState, read_yields
from murxpy.fuzzers.seeds import unusable
from murxpy.fuzzers.setups import Mutation
from murxpy.judging.operators import judge_plans
from murxpy.learning.guide import LAG, Lag, Pending
from murxpy.machine.random import mix, unmix
from murxpy.processes.plans import Request, make_plans
from murxpy.records.config import CampaignConfig
from murxpy.records.events import Ended, RunEnded
from murxpy.records.yields import LEAST, Begun, Yield, begun, seed_counts, settled
from murxpy.sources.mutation.corpus import Corpus
from murxpy.sources.mutation.registry import API
from murxpy.steering.seeds import Steering, cost_of

pytestmark = pytest.mark.usefixtures("kept_solvers")

FILES = [
    [f"{at}.smt2", "(declare-const x Int)(assert (> x 0))(check-sat)", "sat" if at % 3 else "unsat"]
    for at in range(12)
]
GOOD = {"mutator:opfuzz:made": 10, "mutator:opfuzz:accepted": 10, "mutator:opfuzz:decided": 10}
BAD = {"mutator:opfuzz:made": 10, "mutator:opfuzz:accepted": 10, "mutator:opfuzz:unknown": 10}


def sources(**more: Any) -> dict[str, Any]:
    return {"seeds": FILES, "mix": [["opfuzz", 1.0]], "walk": 10, **more}


def drive(steering: Steering, runs: int, first: int = 0) -> list[int]:
    """Runs one after another, in which the seeds 0 and 1 pay and the others do not; the run seeds."""
    seeds = []
    for index in range(first, first + runs):
        seed = steering.seed_of(index)
        (number,) = Corpus(FILES, [("opfuzz", 1.0)]).draw(seed).seeds
        steering.count(index, GOOD if number < 2 else BAD)
        steering.done(index)
        seeds.append(seed)
    return seeds


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**32))
def test_mixing_can_be_undone(seed: int, key: int) -> None:
    assert unmix(mix(seed, key), key) == seed


@given(st.integers(0, 2**64 - 1), st.data())
def test_a_run_seed_is_steered_to_what_is_wanted(seed: int, data: st.DataObject) -> None:
    corpus = Corpus(
        FILES,
        [("api", 1), ("storm", 2), ("fusion", 1e-6), ("typefuzz", 3)],
        {"fusion": {"oracle": "mixed"}},
    )
    source = data.draw(st.sampled_from(corpus.sources))
    wanted = [data.draw(st.sampled_from(pool)) for pool in corpus.among(source)[:2]]
    drawn = corpus.draw(corpus.steered(seed, source, wanted))
    assert drawn.source == source and list(drawn.seeds[:2]) == wanted
    assert len(drawn.seeds) == {"api": 0, "storm": 1, "fusion": 2, "typefuzz": 1}[source]


def test_run_seeds_draw_sources_by_weight() -> None:
    corpus = Corpus(FILES, [("api", 1), ("opfuzz", 3)])
    drawn = Counter(corpus.draw(seed).source for seed in range(4000))
    assert 850 < drawn[API] < 1150


def test_the_mix_balances_time_and_not_runs() -> None:
    """A run of the walk has 100 lines; one of opfuzz ten mutants and a second of the solver's effort."""
    steering = Steering(1, sources(mix=[["api", 1.0], ["opfuzz", 2.0]]))
    costs: Counter[str] = Counter()
    for index in range(1000):
        source = steering.fuzzer_of(steering.seed_of(index)) or API
        counts = {"line:total": 100} if source == API else {**GOOD, "mutator:opfuzz:spent": 1000}
        costs[source] += cost_of(source, counts)
        steering.count(index, counts)
        steering.done(index)
    assert 1.8 < costs["opfuzz"] / costs[API] < 2.2


def test_fusion_draws_seeds_with_a_label_in_common() -> None:
    steering = Steering(1, sources(mix=[["fusion", 1.0]], choices={"fusion": {"oracle": "any"}}))
    corpus = Corpus(FILES, [("fusion", 1.0)], {"fusion": {"oracle": "any"}})
    drawn = [corpus.draw(steering.seed_of(index)).seeds for index in range(100)]
    labels = Counter(tuple(FILES[number][2] for number in pair) for pair in drawn)
    assert set(labels) == {("sat", "sat"), ("unsat", "unsat")}


def test_what_pays_is_drawn_more_often() -> None:
    corpus = Corpus(FILES, [("opfuzz", 1.0)])
    drawn = Counter(
        corpus.draw(seed).seeds[0] for seed in drive(Steering(1, sources()), 1000)[300:]
    )
    assert drawn[0] + drawn[1] > 500
    assert all(drawn[number] for number in range(12)), "what does not pay gets its chance, too"


@settings(max_examples=25)
@given(st.randoms(use_true_random=False), st.integers(1, 40))
def test_what_a_run_is_chosen_by_does_not_depend_on_the_order_of_results(
    chance: Random, workers: int
) -> None:
    pending = Pending(begun, {})
    running: list[int] = []
    for index in range(200):
        while len(running) >= workers or not pending.ready(index):
            pending.done(running.pop(chance.randrange(len(running))))
        last = index - Lag().of(index)
        learnt = [number for number, _ in pending.due(index)]
        assert learnt == ([last] if last >= 0 and last > index - 1 - Lag().of(index - 1) else [])
        pending.open[index] = Begun(index, [])
        running.append(index)


def test_the_lag_grows_with_the_campaign() -> None:
    lags = [Lag().of(index) for index in range(3000)]
    assert lags[0] == lags[LAG] == LAG and 100 < lags[500] < lags[1500] < lags[2999]
    assert all(later - one in (0, 1) for one, later in itertools.pairwise(lags))


def test_the_same_campaign_chooses_the_same_whenever_results_come() -> None:
    """A run is chosen by those far before it, so results may be late, and in another order."""
    late = Steering(1, sources())
    corpus, seeds, waiting = Corpus(FILES, [("opfuzz", 1.0)]), [], []
    for index in range(400):
        if not late.ready(index):
            for other in reversed(waiting):
                late.count(other, GOOD if corpus.draw(seeds[other]).seeds[0] < 2 else BAD)
                late.done(other)
            waiting.clear()
        seeds.append(late.seed_of(index))
        waiting.append(index)
    assert seeds == drive(Steering(1, sources()), 400)


def _pairs(sorts: list[tuple[str, ...]], **choices: Any) -> tuple[set[tuple[int, int]], Steering]:
    """The pairs of seeds that a campaign of Fusion draws, where the seeds have constants of these
    sorts.
    """
    files = [
        [f"{at}.smt2", "".join(f"(declare-fun x{at} () {sort})" for sort in some), "sat"]
        for at, some in enumerate(sorts)
    ]
    setup = {"seeds": files, "mix": [["fusion", 1.0]], "walk": 10, "choices": {"fusion": choices}}
    corpus, steering = Corpus(files, [("fusion", 1.0)]), Steering(1, setup)
    drawn = {corpus.draw(steering.seed_of(index)).seeds for index in range(200)}
    return {(first, second) for first, second in drawn}, steering


def test_fusion_draws_pairs_that_can_be_tied() -> None:
    """A seed is drawn with one that has a sort in common with it, or a sort to convert."""
    words = ("String", "(_  BitVec\n8)")
    sorts = [(), ("Int",), ("Bool", "(_ BitVec 8)"), words, ("Real",), ("Float32",)]
    drawn, steering = _pairs([*sorts, ("(_ FloatingPoint 8 24)",)])
    assert drawn == {
        (1, 1), (1, 4), (4, 1), (4, 4), (2, 2), (2, 3), (3, 2), (3, 3), (5, 5), (5, 6), (6, 5), (6, 6)
    }  # fmt: skip
    assert steering.notices() == [
        "fusion: 1 of the seed files left out, no other seed has anything in common with it: 0.smt2"
    ]


def test_fusion_ties_within_one_seed_if_asked() -> None:
    drawn, _ = _pairs([(), ("Int", "Int"), ("Bool",)], within=True)
    assert drawn == {(0, 1), (1, 0), (1, 1), (1, 2), (2, 1), (2, 2)}


def test_fusion_that_ties_nothing_draws_any_pair() -> None:
    drawn, _ = _pairs([(), ("Int",)], concat_only=True)
    assert drawn == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_a_pair_whose_partner_is_used_up_is_drawn_no_more() -> None:
    """The budget of the only seed with integers ends, and with it the seed with reals."""
    files = [
        ["0.smt2", "(declare-const x Int)", "sat"],
        ["1.smt2", "(declare-const x Bool)", "sat"],
    ]
    setup = {"seeds": files, "mix": [["fusion", 1.0]], "walk": 10, "budget": 20}
    steering = Steering(1, setup)
    runs = 0
    while not steering.used_up:
        steering.seed_of(runs)
        runs += 1
    assert runs == 4, "two runs of each seed with itself"


def test_what_is_kept_goes_on_as_if_nothing_had_been() -> None:
    whole = drive(Steering(1, sources()), 300)
    first = Steering(1, sources())
    seeds = drive(first, 150)
    begun = first.seed_of(150)
    kept = json.loads(json.dumps(first.state()))
    again = Steering(1, sources(), [Yield(**vars(entry)) for entry in first.yields.values()], kept)
    assert again.seed_of(150) == begun, "a run that had begun keeps its seed"
    assert seeds + drive(again, 150, 150) == whole


def test_a_bucket_pays_the_run_that_filled_it_first() -> None:
    steering = Steering(1, sources())
    for index, bucket in ((0, "a"), (1, "a"), (2, "b")):
        steering.seed_of(index)
        steering.found(index, bucket)
    for index in (2, 1, 0):
        steering.done(index)
    yields = settled(steering.yields.values(), steering.state())
    assert sum(entry.new for entry in yields) == 2 and sum(entry.findings for entry in yields) == 3


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (Yield("a", "b"), Yield("a", "b", runs=1, made=10)),
        (
            Yield("a", "b", runs=1, made=9, accepted=9, decided=9),
            Yield("a", "b", runs=1, made=9, accepted=9, decided=8, unknown=1),
        ),
        (
            Yield("a", "b", runs=1, made=2, accepted=2, unknown=2),
            Yield("a", "b", runs=1, timeouts=1),
        ),
        (
            Yield("a", "b", runs=9, made=9, accepted=9, decided=9, new=1),
            Yield("a", "b", runs=9, made=9, accepted=9, decided=9),
        ),
        (
            Yield("a", "b", runs=9, decided=99, spent=99),
            Yield("a", "b", runs=9, decided=99, spent=999),
        ),
        (
            Yield("a", "b", runs=9, decided=9, findings=1, new=1),
            Yield("a", "b", runs=9, decided=9, findings=9, new=1),
        ),
    ],
)
def test_weights(better: Yield, worse: Yield) -> None:
    assert better.weight > worse.weight >= LEAST


def test_a_budget_ends_the_campaign(tmp_path: Path) -> None:
    """Each seed gets 30 mutants in runs of 10; a session that goes on has nothing left to do."""
    setup = {"sources": sources(budget=30)}
    _, events = run(tmp_path, setup, jobs=2)
    ended = events[-1]
    assert isinstance(ended, Ended) and ended.reason == "all seeds used up"
    assert sum(isinstance(event, RunEnded) for event in events) == 36
    (yields,) = ended.seeds.values()
    assert [entry.runs for entry in yields] == [3] * 12 and {entry.seed for entry in yields} == {
        name for name, _, _ in FILES
    }
    assert sorted(read_yields(tmp_path)["fake"], key=lambda entry: entry.key) == sorted(
        yields, key=lambda entry: entry.key
    )
    _, events = run(tmp_path, setup)
    assert not any(isinstance(event, RunEnded) for event in events)


def test_a_budget_with_walks_goes_on_with_walks(tmp_path: Path) -> None:
    setup = {"sources": sources(budget=10, mix=[["opfuzz", 1.0], ["api", 1e-3]])}
    _, events = run(tmp_path, setup, runs=40)
    corpus = Corpus(FILES, setup["sources"]["mix"])
    drawn = Counter(
        corpus.draw(event.seed).source for event in events if isinstance(event, RunEnded)
    )
    assert drawn["opfuzz"] == 12 and drawn[API] == 28


def test_the_same_runs_with_any_number_of_workers_and_sessions(tmp_path: Path) -> None:
    def seeds(out: Path, **options: Any) -> list[int]:
        return [
            event.seed
            for event in run(out, {"sources": sources()}, **options)[1]
            if isinstance(event, RunEnded)
        ]

    first = seeds(tmp_path / "a", runs=150)
    assert len(set(first)) == 150 and sorted(first) == sorted(
        seeds(tmp_path / "b", runs=150, jobs=2)
    )
    assert first == seeds(tmp_path / "c", runs=80) + seeds(tmp_path / "c", runs=70)


def test_a_run_waits_for_those_from_which_it_learns() -> None:
    """And not for one that another session, without seed files, has made since."""
    left = {"open": {"3": [1, [["opfuzz", "0.smt2"]], {}, []]}}
    store: Any = SimpleNamespace(
        meta=lambda: {"steering:fake": left},
        targets=lambda: {"fake": TargetState("fake", "fake", "1", next=4)},
        yields=dict,
    )
    plan: Any = SimpleNamespace(
        target=SimpleNamespace(name="fake", family="fake"),
        setup={"sources": sources(), "guide": None},
    )
    runs = stored_runs(plan, {}, store, 1, None)
    taken = [runs.take() for _ in range(LAG + 1)]
    assert taken[-1] is None and [one[0] for one in taken if one] == [*range(4, 4 + LAG)]
    runs.done(5)
    assert runs.take() is None
    runs.done(4)
    assert runs.take() is not None


def test_a_label_that_no_seed_has() -> None:
    with pytest.raises(InputError, match="fusion: the only seed is not labelled sat "):
        Steering(1, sources(seeds=[["a", "(check-sat)", ""]], mix=[["fusion", 1]]))


def test_what_no_solver_could_use_is_never_drawn() -> None:
    none = {("fusion", f"{at}.smt2"): "nothing is asserted" for at in (1, 2)}
    steering = Steering(1, sources(mix=[["fusion", 1]]), unusable=none)
    corpus = Corpus(FILES, [("fusion", 1)])
    drawn = {n for index in range(200) for n in corpus.draw(steering.seed_of(index)).seeds}
    assert drawn == {4, 5, 7, 8, 10, 11}
    assert steering.offered == {
        "fusion": {"": 6, "nothing is asserted": 2, "no check is labelled sat": 4}
    }
    message = "fusion: 2 of the seed files left out, nothing is asserted: 1.smt2, 2.smt2"
    assert steering.notices() == [message]
    kept = settled(steering.yields.values(), steering.state())
    (counts,) = seed_counts(kept, steering.offered)
    assert (counts.gave, counts.gave_none, counts.waiting) == (0, 6, 0)
    assert counts.unusable == {"nothing is asserted": 2, "no check is labelled sat": 4}
    with pytest.raises(InputError, match="none of the 12 seeds can be used; most often: nothing"):
        all_ = {("opfuzz", name): "nothing is asserted" for name, _, _ in FILES}
        Steering(1, sources(), unusable=all_)


def test_why_seeds_cannot_be_used_is_known_without_a_solver() -> None:
    texts = {
        "good": "(declare-const x Int)(assert (< x 1))(check-sat)",
        "same": "(declare-const x Int)(assert (= x ((as const (Array Int Int)) 1)))(check-sat)",
        "foreign": FOREIGN,
        "plain": "(declare-const p Bool)(assert p)(check-sat)",
        "empty": "(check-sat)",
        "own": "(declare-const x Int)(assert (< x 1))(maximize x)(check-sat)",
    }
    setup: Any = {
        "seeds": [[name, text, "sat"] for name, text in texts.items()],
        "mix": [["opfuzz", 1], ["typefuzz", 1], ["fusion", 1], [API, 1]],
    }
    found = unusable(setup, "z3")
    assert {
        key: why for key, why in found.items() if key[1] in ("good", "plain", "empty", "own")
    } == {
        ("opfuzz", "plain"): "no operator can be replaced by another one",
        ("opfuzz", "empty"): "no operator can be replaced by another one",
        ("typefuzz", "empty"): "nothing is asserted",
        ("fusion", "own"): "it has the command 'maximize', which only some solvers know",
    }
    assert found["typefuzz", "foreign"] == "the dialect of z3 has no OP_BAG_COUNT"
    assert ("typefuzz", "foreign") not in unusable(setup, "cvc5")
    of_all = unusable({**setup, "dialect": "standard"}, "cvc5")
    assert of_all["typefuzz", "foreign"] == "SMT-LIB has no OP_BAG_COUNT"
    assert found["fusion", "same"].startswith("'=' takes")


@pytest.mark.parametrize("why", ["unreadable", "mislabelled"])
def test_what_cannot_be_used_is_drawn_no_more(why: str) -> None:
    steering = Steering(1, sources(mix=[["fusion", 1]]))
    corpus = Corpus(FILES, [("fusion", 1)])
    drawn = [corpus.draw(steering.seed_of(0)).seeds]
    steering.count(0, {f"{why}:1": 1})
    steering.done(0)
    drawn += [corpus.draw(steering.seed_of(index)).seeds for index in range(1, 4 * LAG)]
    bad = drawn[0][1]
    assert (
        not any(bad in seeds for seeds in drawn[LAG + 1 :])
        and len({number for seeds in drawn for number in seeds}) == 8
    )


FOREIGN = "(assert (= 0 (bag.count 1 (as bag.empty (Bag Int)))))(check-sat)"


def test_the_seeds_of_a_campaign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.smt2").write_text(
            "(declare-const x Int)(assert (< (+ x 1) (* 2 x)))(check-sat)"
        )
    bad = tmp_path / "bad.smt2"
    bad.write_text("(assert (foo))(check-sat)")
    foreign = tmp_path / "foreign.smt2"
    foreign.write_text(FOREIGN)
    args = ("--budget", "5", "--jobs", "1", "--seed", "1", "--out", tmp_path / "o")
    code, out, _ = outcome(capsys, "opfuzz", "z3", tmp_path, *args)
    assert (
        code == 0
        and "all seeds used up" in out
        and "Seeds: 2 files used, 0 with a new finding" in out
    )
    assert f"opfuzz: 1 of the seed files left out, unknown function 'foo': {bad}\n" in out
    assert f"left out, the dialect of z3 has no OP_BAG_COUNT: {foreign}\n" in out
    shown = outcome(capsys, "statistics", tmp_path / "o")[1]
    for text in (out, shown):
        assert re.search(r"^opfuzz +2 +- +- +2$", text, re.M), text
        assert "1 seed cannot be used by opfuzz: unknown function 'foo'\n" in text
    code, out, _ = outcome(capsys, "seeds", tmp_path / "o", "--json")
    rows = [row for row in json.loads(out)["seeds"] if not row["unreadable"]]
    assert {row["seed"] for row in rows} == {str(tmp_path / "a.smt2"), str(tmp_path / "b.smt2")}
    assert all(row["runs"] == 1 and row["made"] == row["accepted"] == 5 for row in rows)
    code, out, _ = outcome(capsys, "seeds", tmp_path / "o")
    assert code == 0 and re.search(r"^a\.smt2 +opfuzz +1 ", out, re.M), out


def test_reasons_that_differ_in_one_word_are_one_line() -> None:
    lacking = {f"the dialect of z3 has no OP_{letter}": 1 for letter in "ABCDEFG"}
    offered = {"opfuzz": {"": 3, "unknown function 'foo'": 2, **lacking}}
    (section,) = seed_sections({"z3": []}, {"z3": offered})
    lines = [part.plain for part in section.parts if isinstance(part, Text)]
    assert lines[:2] == [
        "7 seeds cannot be used by opfuzz: the dialect of z3 has no OP_A, OP_B, OP_C, OP_D, OP_E and 2 more",
        "2 seeds cannot be used by opfuzz: unknown function 'foo'",
    ]


@pytest.mark.parametrize(
    ("fuzzer", "text", "fault"),
    [
        ("opfuzz", "hello (check-sat)", "a.smt2:1:1: expected '(' before a command, found 'hello'"),
        ("janus", FOREIGN, "a.smt2: the dialect of z3 has no OP_BAG_COUNT"),
    ],
)
def test_seeds_that_cannot_be_used_are_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, fault: str, fuzzer: str
) -> None:
    """The campaign says so before its first run, and so does a second session in the folder."""
    (tmp_path / "seeds").mkdir()
    (tmp_path / "seeds" / "a.smt2").write_text(text)
    args = (fuzzer, "z3", tmp_path / "seeds", "--time", "20s", "--jobs", "1")
    for _ in range(2):
        code, out, err = outcome(capsys, *args, "--out", tmp_path / "o")
        assert code == 2
        assert "the only seed cannot be used: " in out + err and fault in out + err


def test_the_first_of_several_bad_seeds_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.smt2").write_text(f"{name} (check-sat)")
    code, message = error(capsys, "fusion", "z3", tmp_path, "--out", tmp_path / "o")
    assert code == 2 and "none of the 2 seeds can be used; of the first: " in message
    assert "a.smt2:1:1: expected '(' before a command, found 'a'" in message


def test_what_crashes_pays_once_unless_it_is_known(tmp_path: Path) -> None:
    """A bucket that nobody had filled is worth much, one that the user lists as known nothing."""
    for known in ((), ("crash-*",)):
        _, events = run(
            tmp_path / str(len(known)),
            {"sources": sources(), "every": {"segfault": 4}},
            runs=12,
            known=known,
        )
        ended = events[-1]
        assert isinstance(ended, Ended) and len(ended.seeds["fake"]) > 2
        assert sum(entry.new for entry in ended.seeds["fake"]) == (0 if known else 1)
        assert sum(entry.findings for entry in ended.seeds["fake"]) == ended.snapshot.findings
        assert ended.snapshot.findings > 1


@pytest.mark.usefixtures("bare_findings")
def test_a_disagreement_of_judges_pays_the_seed_that_it_came_from(tmp_path: Path) -> None:
    """The judge speaks when the run is over; the fake solver is wrong about exclusive or, which
    OpFuzz makes of one seed alone.
    """
    for name, formula in (("pays.smt2", "(or p q)"), ("barren.smt2", "(< 0 1)")):
        (tmp_path / name).write_text(
            f"(declare-const p Bool)(declare-const q Bool)(assert {formula})(check-sat)"
        )
    mutation = Mutation(
        (("opfuzz", 1.0),), (str(tmp_path / "pays.smt2"), str(tmp_path / "barren.smt2"))
    )
    plans = make_plans(
        Request((f"fake@{FAKES}",), wrapper=str(FAKES / "scripts.yaml"), mutation=mutation)
    )
    config = CampaignConfig(
        plans, tmp_path / "out", judges=judge_plans(["z3"]), runs=4, seed=1, jobs=1, backtrace=False
    )
    *_, ended = Campaign(config)
    assert isinstance(ended, Ended)
    ((paid, barren),) = [
        sorted(entries, key=lambda entry: -entry.findings) for entries in ended.seeds.values()
    ]
    assert Path(paid.seed).name == "pays.smt2" and paid.findings >= 1 and paid.new == 1
    assert (
        barren.runs > 0 and (barren.findings, barren.new) == (0, 0) and paid.weight > barren.weight
    )
    assert sorted(
        read_yields(tmp_path / "out").popitem()[1], key=lambda entry: -entry.findings
    ) == [paid, barren]


@pytest.mark.usefixtures("bare_findings")
def test_what_a_source_gave_has_the_checks_of_runs_that_died(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:abort")
    out = tmp_path / "out"
    fuzz_fake(capsys, out, "--mix", "api:3,opfuzz:1", "--through", "api", "--runs", "40")
    with closing(Store(out, read_only=True)) as store:
        counts = store.counters()
    by_source = {name: n for name, n in counts.items() if name.startswith("source:")}
    assert sum(n for name, n in by_source.items() if name.endswith(":findings")) > 1
    for what, whole in (("decided", "check:decided"), ("runs", "run:total")):
        assert sum(n for name, n in by_source.items() if name.endswith(f":{what}")) == counts[whole]
