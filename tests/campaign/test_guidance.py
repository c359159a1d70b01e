"""Guidance: arms in run seeds, what is learnt, and campaigns that are the same again."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from campaigns import run
from commands import FAKE, outcome
from hypothesis import given
from hypothesis import strategies as st
from toy import live, walk

from murxpy.cli.report.arms import ratio
from murxpy.data import load_catalogue, load_machine, load_wrapper
from murxpy.errors import InputError
from murxpy.findings.store import Store
from murxpy.learning.arms import (
    KINDS,
    MOST,
    OPTION,
    THEORY,
    TRANSITION,
    TURNS,
    WALK,
    Arm,
    Arms,
    Signals,
    Turn,
    is_guided,
    is_run_seed,
    is_varied,
    order,
    parse_arm,
    turns_of,
    varied,
)
from murxpy.learning.guide import (
    BANDIT,
    CORPUS,
    KEPT,
    LAG,
    OFF,
    STATISTICS,
    Choices,
    Gains,
    Guide,
    KeptWalks,
    Result,
)
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.generate.guided import Reader
from murxpy.machine.random import Stream, run_seed
from murxpy.machine.trace.finished import Call
from murxpy.oracles.crash import Verdict
from murxpy.processes.limits import MIB, Limits
from murxpy.records.yields import ArmYield, Learnt
from murxpy.solvers.facts import build_facts
from murxpy.solvers.wrapper import Wrapper
from murxpy.sources.walk import State, Transition
from murxpy.steering.guidance import Guidance

pytestmark = pytest.mark.usefixtures("kept_solvers")

NAMES = {kind: [f"{kind}{at}" for at in range(20)] for kind in KINDS}
ARMS = Arms(NAMES)
CRASH = Verdict("crash", "solver", "it died", "SIGSEGV", Call("mk-term", "OP_OR", "mk"))
THEORIES = Choices(theories=("good", "bad", "worse"))
OF_THEORIES = Arms({THEORY: THEORIES.theories})


def some_arms() -> st.SearchStrategy[list[Arm]]:
    return st.lists(
        st.sampled_from([Arm(kind, name) for kind in KINDS for name in NAMES[kind]]), max_size=MOST
    )


@given(st.integers(0, 2**64 - 1), some_arms())
def test_a_run_seed_carries_arms(base: int, arms: list[Arm]) -> None:
    seed = ARMS.guided(base, arms)
    assert is_guided(seed) and not is_guided(base)
    assert (
        is_run_seed(seed) and is_run_seed(base) and not is_run_seed(seed + (1 << seed.bit_length()))
    )
    assert list(ARMS.of(seed)) == arms and ARMS.of(base) == ()
    assert seed & (2**64 - 1) == base and seed < 2**256
    assert [parse_arm(str(arm)) for arm in arms] == arms


@given(
    st.integers(0, 2**64 - 1),
    st.lists(st.tuples(st.integers(1, 2**16 - 1), st.integers(0, 2**32 - 1)), max_size=TURNS),
)
def test_a_run_seed_carries_turns(base: int, drawn: list[tuple[int, int]]) -> None:
    seed, expected = base, list[Turn]()
    for step, own in drawn:
        seed = varied(seed, step, own)
        expected = [*(turn for turn in expected if turn.step < step), Turn(step, own)]
    assert list(turns_of(seed)) == expected and is_varied(seed) == bool(drawn)
    assert is_run_seed(seed) and seed < 2**256 and seed & (2**64 - 1) == base
    assert is_guided(seed) == bool(drawn) and ARMS.of(seed) == ()
    assert turns_of(ARMS.guided(base, [Arm(THEORY, "theory3")])) == ()


def test_digits_that_name_no_arm_are_left_out() -> None:
    seed = ARMS.guided(7, [Arm(THEORY, "theory19"), Arm(OPTION, "option3")])
    assert Arms({OPTION: NAMES[OPTION]}).of(seed) == (Arm(OPTION, "option3"),)


@pytest.mark.parametrize(
    ("value", "digits"), [(0, 0), (1, 1), (9, 1), (10, 2), (999, 3), (1000, 4), (-12, -2)]
)
def test_orders_of_magnitude(value: int, digits: int) -> None:
    assert order(value) == digits


def test_signals_are_pairs_of_key_and_order() -> None:
    numbers: dict[tuple[str, int], int] = {}
    first, again = Signals(numbers), Signals(numbers)
    first.note_all([("conflicts", 12), ("conflicts", 99), ("decisions", 12)])
    again.note("conflicts", 50)
    again.note("conflicts", 500)
    assert len(first.numbers()) == 2 and len(again.numbers()) == 2
    assert len({*first.numbers(), *again.numbers()}) == 3


def test_what_costs_more_than_usual_gains_less() -> None:
    gains = Gains(BANDIT)
    cheap, dear = (
        gains.of(Result(new=1, findings=1)),
        gains.of(Result(new=1, findings=1, spent=980)),
    )
    assert cheap == 1.0 and 0.01 < dear < 0.05


def test_only_news_count_by_statistics() -> None:
    found = Result(findings=1, new=1, decided=5)
    assert Gains(STATISTICS).of(found) == 0.0 < Gains(BANDIT).of(found)
    assert 0.0 < Gains(STATISTICS).of(Result(news=1)) < Gains(STATISTICS).of(Result(news=4)) < 1.0


def drive(guidance: Guidance, runs: int, first: int = 0) -> list[int]:
    """Runs one after another, in which the theory `good` opens a bucket each time; the run seeds."""
    seeds = []
    for index in range(first, first + runs):
        seed = guidance.seed_of(index, run_seed(1, index))
        if Arm(THEORY, "good") in OF_THEORIES.of(seed):
            guidance.found(index, f"bucket-{index}", CRASH)
        guidance.reported(index, {"counts": {"check:decided": 1}, "signals": [index % 7]})
        guidance.done(index)
        seeds.append(seed)
    return seeds


def guidance(**more: Any) -> Guidance:
    return Guidance(BANDIT, 1, OF_THEORIES, THEORIES, **more)


def stored(mine: Guidance) -> dict[str, Any]:
    """What the store keeps of a guidance, as the next session is given it."""
    learnt = Learnt()
    mine.hand_over("target", learnt)
    rows = [ArmYield(**json.loads(json.dumps(vars(row)))) for row in learnt.arms.values()]
    seen = [pair for _, pair in learnt.news]
    return {"yields": rows, "news": seen, "saved": json.loads(json.dumps(mine.state()))}


def share(seeds: list[int]) -> float:
    return sum(Arm(THEORY, "good") in OF_THEORIES.of(seed) for seed in seeds) / len(seeds)


# ----------------------------------------------------------------------
# A corpus: walks with news are varied.


def discover(mine: Guidance, runs: int, first: int = 0, *, rich: bool = True) -> list[int]:
    """Runs one after another; the run seeds. The first 20 walks have news, and of those later on the
    varied ones where the corpus is `rich`, else the new ones.
    """
    seeds = []
    for index in range(first, first + runs):
        seed = mine.seed_of(index, run_seed(1, index))
        news = [index] if index < 20 or is_varied(seed) is rich else []
        counts = {"check:decided": 1, "state:here": 30, "state:there": 10}
        mine.reported(index, {"counts": counts, "signals": news})
        mine.done(index)
        seeds.append(seed)
    return seeds


def corpus(**more: Any) -> Guidance:
    return Guidance(CORPUS, 1, OF_THEORIES, THEORIES, **more)


@pytest.mark.parametrize(("rich", "least", "most"), [(True, 0.8, 1.0), (False, 0.0, 0.2)])
def test_walks_with_news_are_varied_as_often_as_it_pays(
    rich: bool, least: float, most: float
) -> None:
    seeds = discover(corpus(), 600, rich=rich)
    assert not any(is_varied(seed) for seed in seeds[:LAG])  # nothing is kept yet
    assert all(is_guided(seed) for seed in seeds)
    assert least <= sum(map(is_varied, seeds[300:])) / 300 <= most
    for at, seed in enumerate(seeds):
        if is_varied(seed):
            assert seed & (2**64 - 1) in {one & (2**64 - 1) for one in seeds[:at]}
            assert 1 <= len(turns_of(seed)) <= TURNS and is_run_seed(seed)
            assert all(1 <= turn.step <= 40 for turn in turns_of(seed))
    depths = {len(turns_of(seed)) for seed in seeds}
    assert TURNS in depths or not rich


def test_a_corpus_goes_on_where_it_was() -> None:
    half = corpus()
    begun = discover(half, 150)
    rest = corpus(**stored(half))
    assert begun + discover(rest, 150, 150) == discover(corpus(), 300)


def test_a_corpus_has_no_walks_with_arms_and_stays_while_they_are_drawn() -> None:
    """A variation of a walk with arms would go another way from its first step on."""
    armed, more = guidance(), corpus()
    discover(more, 150)
    kept = more.state()["corpus"]
    discover(armed, 150)
    assert kept and not any(ARMS.of(int(seed, 16)) for seed, _ in armed.state()["corpus"])
    left = {"saved": {"corpus": kept}}
    assert guidance(**left).state()["corpus"] == kept
    mixed = corpus(saved=json.loads(json.dumps({**armed.state(), "corpus": kept})))
    discover(mixed, 150, 150)
    assert not any(OF_THEORIES.of(int(seed, 16)) for seed, _ in mixed.state()["corpus"])


def test_turns_of_a_run_seed_come_one_after_another() -> None:
    def seed(*steps: int) -> int:
        above = 2
        for step in steps:
            above = (above << 48) | (step << 32) | 7
        return (above << 64) | 9

    assert all(map(is_run_seed, (seed(1), seed(1, 2), seed(3, 9, 65535))))
    assert not any(map(is_run_seed, (seed(0), seed(2, 2), seed(3, 1), seed(1, 2, 3, 4))))
    assert len(turns_of(varied(seed(0, 0, 0), 5, 1))) == TURNS


def test_a_corpus_keeps_walks_of_each_source_and_those_that_pay() -> None:
    mine, news = KeptWalks(), Result(news=1)
    for seed in range(1, KEPT + 1):
        mine.learn(seed, 9, "api" if seed % 2 else "parts", news, 0.25, None)
    mine.learn(1000, 9, "api", Result(), 0.25, 8)  # a variation without news
    mine.learn(1001, 9, "api", Result(news=1, findings=1), 0.25, None)  # it would end there again
    mine.learn(1002, 9, "api", news, 0.25, 9)
    kept = [int(seed, 16) for seed, _ in mine.state()]
    assert len(kept) == KEPT and 1002 in kept and not {1000, 1001} & set(kept)
    drawn = [mine.draw(Stream(at), "parts") for at in range(50)]
    assert all(one is not None and one[0] % 2 == 0 for one in drawn)
    assert mine.draw(Stream(1), "chc") is None


def test_a_varied_walk_goes_as_the_earlier_one_up_to_its_turn() -> None:
    def trace(seed: int) -> list[str]:
        return [line for line in header_and(seed).splitlines() if not line.startswith("#")]

    def header_and(seed: int) -> str:
        return walk(live("cvc5"), seed)[0]

    first, later = trace(9), trace(varied(9, 40, 5))
    same = next(at for at, (a, b) in enumerate(zip(first, later, strict=False)) if a != b)
    assert same > 20 and first[same:] != later[same:]
    assert trace(varied(9, 40, 5)) == later != trace(varied(9, 40, 6))
    again = trace(varied(varied(9, 40, 5), 60, 1))
    assert again[: same + 1] == later[: same + 1] and again != later
    assert "# guided turn:40\n" in header_and(varied(9, 40, 5))


def test_what_pays_is_drawn_more_often() -> None:
    seeds = drive(guidance(), 400)
    assert share(seeds[:LAG]) < 0.5 < 0.75 < share(seeds[200:])
    assert all(is_guided(seed) for seed in seeds)
    assert any(not OF_THEORIES.of(seed) for seed in seeds)  # runs to compare with


def test_decided_checks_do_not_drown_findings() -> None:
    """Five theories are decided in all runs, and one of them opens a bucket in one run of 20."""
    names = ("a", "b", "good", "c", "d")
    arms, choices = Arms({THEORY: names}), Choices(theories=names)
    shares = []
    for seed in range(3):
        mine, world, drawn = Guidance(BANDIT, seed, arms, choices), Stream(seed), 0
        for index in range(900):
            good = Arm(THEORY, "good") in arms.of(mine.seed_of(index, run_seed(seed, index)))
            if good and world.chance(0.05):
                mine.found(index, f"bucket-{index}", CRASH)
            mine.reported(index, {"counts": {"check:decided": 5}})
            mine.done(index)
            drawn += good
        shares.append(drawn / 900)
    assert sum(shares) / 3 > 0.55


def test_guidance_goes_on_where_it_was() -> None:
    half = guidance()
    begun = drive(half, 150)
    rest = guidance(**stored(half))
    assert begun + drive(rest, 150, 150) == drive(guidance(), 300)


def test_a_run_is_drawn_by_runs_that_are_far_enough_before_it() -> None:
    """So the order in which the runs in between end does not matter."""
    one, other = guidance(), guidance()
    first = drive(one, LAG)
    assert [other.seed_of(index, run_seed(1, index)) for index in range(LAG)] == first
    assert one.seed_of(LAG - 1, 0) & 1 == 0  # it is over: a new one


def test_a_run_waits_for_those_from_which_it_learns() -> None:
    mine = guidance()
    for index in range(LAG):
        assert mine.ready(index)
        mine.seed_of(index, run_seed(1, index))
    assert not mine.ready(LAG)
    mine.done(0)
    assert mine.ready(LAG) and not mine.ready(LAG + 1)
    assert mine.ready(5)  # a run that was not begun is handed out again


def test_news_count_once_and_for_the_first_run() -> None:
    mine = guidance()
    drive(mine, LAG + 20)
    own = [entry for entry in mine.yields.values() if not entry.arm.endswith(":")]
    assert sum(entry.news for entry in own) == 7


@pytest.mark.parametrize(
    ("kind", "wrong"), [("wrong-unsat", 1), ("invalid-core", 1), ("crash", 0), ("hang", 0)]
)
def test_findings_about_answers_are_counted(kind: str, wrong: int) -> None:
    mine = guidance()
    mine.seed_of(0, 1)
    mine.found(0, "bucket", replace(CRASH, kind=kind))
    mine.done(0)
    mine.seed_of(LAG, 2)
    assert {entry.wrong for entry in mine.yields.values()} == {wrong}


def test_options_are_few_and_fit_the_theory() -> None:
    guide = Guide(Choices(("BV", "INT"), {}, {"a=true": ("BV",), "a=false": ("BV",), "b": ()}), {})
    stream = Stream(3)
    drawn = [guide.draw(stream) for _ in range(1000)]
    counts = [sum(arm.kind == OPTION for arm in arms) for arms in drawn]
    assert max(counts) == 2 and 400 < counts.count(0) < 560 and counts.count(2) < 120
    for arms in drawn:
        options = [arm.name for arm in arms if arm.kind == OPTION]
        assert len({name.partition("=")[0] for name in options}) == len(options)
        if Arm(THEORY, "INT") in arms:
            assert set(options) <= {"b"}


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_every_option_of_a_wrapper_is_an_arm(solver: str) -> None:
    wrapper = load_wrapper(solver)
    facts = build_facts(wrapper)
    reader = Reader(build_catalogue(SETUP["catalogue"]), SETUP["machine"], facts.every_option)
    options = reader.arms.names(OPTION)
    listed = [*wrapper["options"], *wrapper["process-options"]]
    assert {name.partition("=")[0] for name in options} == {entry["name"] for entry in listed}
    for name in options:
        ((first, value), *_) = reader.of(reader.arms.guided(5, [Arm(OPTION, name)])).options
        assert name in (first, f"{first}={value}")


SETUP = {
    "catalogue": load_catalogue(),
    "machine": load_machine("default"),
    "wrapper": load_wrapper("z3"),
    "every": {"segfault": 25},
    "signals": 40,
}
Learned = tuple[list[tuple[str, str]], list[str]]


def campaign(out: Path, way: str = BANDIT, jobs: int = 2, runs: int = 80) -> Learned:
    """A campaign with the fake session: what came of each arm, and the seeds of the runs with findings."""
    guide = {} if way == OFF else {"guide": way}
    limits = Limits(wall=60.0, memory=300 * MIB)  # kills by wall time depend on the machine
    run(out, {**SETUP, **guide}, jobs=jobs, runs=runs, limits=limits)
    with closing(sqlite3.connect(out / "campaign.sqlite")) as store:
        found = store.execute("SELECT seed FROM findings ORDER BY run")
        known = store.execute("SELECT 1 FROM sqlite_master WHERE name = 'arms'").fetchone()
        arms = store.execute("SELECT arm, data FROM arms ORDER BY arm").fetchall() if known else []
        return arms, [seed for (seed,) in found]


@pytest.mark.usefixtures("bare_findings")
def test_a_guided_campaign_is_the_same_again(tmp_path: Path) -> None:
    first = campaign(tmp_path / "first")
    assert len(first[0]) > 20 and first[1]
    assert all(is_guided(int(seed, 16)) for seed in first[1])
    assert campaign(tmp_path / "again", jobs=1) == first
    campaign(tmp_path / "halves", runs=40)  # and in two sessions
    assert campaign(tmp_path / "halves", runs=40) == first


@pytest.mark.usefixtures("bare_findings")
def test_a_campaign_with_a_corpus_is_the_same_again(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SETUP, "counts", {"state:terms": 30})
    first = campaign(tmp_path / "first", CORPUS)
    assert any(is_varied(int(seed, 16)) for seed in first[1])
    assert campaign(tmp_path / "again", CORPUS, jobs=1) == first
    campaign(tmp_path / "halves", CORPUS, runs=40)
    assert campaign(tmp_path / "halves", CORPUS, runs=40) == first
    rows = json.loads(outcome(capsys, "arms", tmp_path / "first", "--json")[1])["arms"]
    assert {(row["kind"], row["name"]) for row in rows} == {(WALK, ""), (WALK, "varied")}
    assert sum(row["runs"] for row in rows) == 80 - LAG


DATABASE: list[bytes] = []  # of a campaign with a corpus, which is made once
NAN, LARGE = float("nan"), 10**400
OVER = [
    "10000000000000000",
    ["walk:"],
    [],
    {"check:decided": 1},
    [],
    False,
    False,
    False,
    None,
    9,
]


@pytest.mark.usefixtures("bare_findings")
@pytest.mark.parametrize(
    "part",
    [
        *({"corpus": [["ab", kept]]} for kept in ([0, "", 0.5, 0], [5, "", 0.0, 0], [5, ""])),
        *({"corpus": [["ab", [5, "", gained, 0]]]} for gained in (NAN, 5e-324, LARGE)),
        *({"corpus": [["ab", [5, "", 0.5, tried]]]} for tried in (-1, LARGE, "1")),
        *({"corpus": [[seed, [5, "", 0.5, 0]]]} for seed in ("", "AB", "ab\n", "a" * 65)),
        {"corpus": [["ab", [5, "", 0.5, 0, 7]]]},
        {"corpus": [[f"{at:x}", [5, "", 0.5, 0]] for at in range(KEPT + 1)]},
        *({"typical": typical} for typical in (0.0, -1e9, NAN, LARGE)),
        *({"over": {"1": [*OVER[:3], {"signal:spent": ms}, *OVER[4:]]}} for ms in (-20, LARGE)),
        {"over": {"1": [*OVER, 1]}},
    ],
    ids=lambda part: str(part)[:60],
)
def test_a_stored_guidance_that_none_could_be_is_refused(tmp_path: Path, part: Any) -> None:
    if not DATABASE:
        campaign(tmp_path, CORPUS, runs=1)
        DATABASE.append((tmp_path / "campaign.sqlite").read_bytes())
    (tmp_path / "campaign.sqlite").write_bytes(DATABASE[0])

    def store(more: Any) -> None:
        with closing(sqlite3.connect(tmp_path / "campaign.sqlite")) as db, db:
            (saved,) = db.execute("SELECT value FROM meta WHERE name = 'guidance:fake'").fetchone()
            data = json.dumps({**json.loads(saved), **more})
            db.execute("UPDATE meta SET value = ? WHERE name = 'guidance:fake'", [data])

    fine = {"typical": 20.0, "corpus": [["ab", [5, "", 0.5, 0]]], "over": {"1": OVER}}
    store(fine)
    with closing(Store(tmp_path, read_only=True)) as opened:
        assert opened.meta()["guidance:fake"]["corpus"]
    store(part)
    with (
        closing(Store(tmp_path, read_only=True)) as opened,
        pytest.raises(InputError, match=r"a row of table meta cannot be understood"),
    ):
        opened.meta()


@pytest.mark.usefixtures("bare_findings")
@pytest.mark.parametrize("gains", [NAN, float("inf"), 1e308, -1.0])
def test_gains_that_no_arm_has_are_refused(tmp_path: Path, gains: float) -> None:
    """With NaN the draw of an arm never ended."""
    campaign(tmp_path, runs=40)
    with closing(sqlite3.connect(tmp_path / "campaign.sqlite")) as db, db:
        arm, text = db.execute("SELECT arm, data FROM arms").fetchone()
        data = json.dumps({**json.loads(text), "gains": gains})
        db.execute("UPDATE arms SET data = ? WHERE arm = ?", [data, arm])
    with (
        closing(Store(tmp_path, read_only=True)) as store,
        pytest.raises(InputError, match=r"a row of table arms cannot be understood"),
    ):
        store.arms()


@pytest.mark.usefixtures("bare_findings")
def test_the_run_seed_alone_makes_a_guided_run_again(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "or:segfault")
    guided = ("--guide", BANDIT, "--stop-at-first", "--jobs", "1", "--seed", "1")
    assert outcome(capsys, "fuzz", *FAKE, *guided, "--out", tmp_path)[0] == 1
    traces = (path.read_text() for path in sorted(tmp_path.rglob("findings/*/*.trace")))
    kept = next(text for text in traces if "# damped" not in text)
    assert "# guided" in kept
    seed = kept.partition("# seed ")[2].split()[0]
    assert is_guided(int(seed, 16))
    assert outcome(capsys, "fuzz", *FAKE, "--run-seed", seed)[:2] == (1, kept)


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_arms_show_in_the_trace(capsys: pytest.CaptureFixture[str], solver: str) -> None:
    wrapper = Wrapper(load_wrapper(solver), build_catalogue(load_catalogue()))
    wrapper.ask_options()
    facts = wrapper.facts
    reader = Reader(build_catalogue(load_catalogue()), load_machine("default"), facts.every_option)
    option = next(o.name for o in facts.every_option if o.type == "bool" and not o.theories)
    arms = [
        Arm(THEORY, "BV"),
        Arm(OPTION, f"{option}=true"),
        Arm(TRANSITION, "create-terms/simplify"),
    ]
    seed = reader.arms.guided(9, arms)
    code, trace, _ = outcome(capsys, "fuzz", solver, "--run-seed", f"{seed:x}")
    assert code in (0, 1)
    assert f"# guided theory:BV option:{option}=true transition:create-terms/simplify\n" in trace
    assert f"{option} true\n" in trace
    set_names = {line.split()[2] for line in trace.splitlines() if " set-option" in line}
    drawn = {o.name for o in facts.every_option if o.listed and o.weight > 0} - {option}
    assert set_names & drawn, "options at random stand beside those of arms"
    assert "BV" in trace.partition("# theories ")[2].split()[0].split(",")


def test_a_preferred_transition_is_drawn_more_often() -> None:
    transitions = [Transition({"do": name, "weight": 1}, "here") for name in ("push", "pop", "gc")]
    state = State(transitions, {})
    gen: Any = SimpleNamespace(preferred="here/pop", stream=Stream(1))
    drawn = Counter(chosen.action for _ in range(600) if (chosen := state.choose(gen)) is not None)
    assert drawn["pop"] > 2.5 * max(drawn["push"], drawn["gc"])
    gen.preferred = "elsewhere/pop"
    drawn = Counter(chosen.action for _ in range(600) if (chosen := state.choose(gen)) is not None)
    assert max(drawn.values()) < 1.5 * min(drawn.values())


@pytest.mark.usefixtures("bare_findings")
def test_without_guidance_nothing_is_learnt(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arms, seeds = campaign(tmp_path, OFF)
    assert arms == [] and seeds and not any(is_guided(int(seed, 16)) for seed in seeds)
    code, _, err = outcome(capsys, "arms", tmp_path)
    assert code == 2 and "--guide bandit" in err


@pytest.mark.usefixtures("bare_findings")
def test_arms_are_compared_with_runs_without_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    campaign(tmp_path)
    code, out, err = outcome(capsys, "arms", tmp_path, "--kind", "option", "--most", "3")
    lines = out.strip().splitlines()
    assert (code, err) == (0, "") and "Theory arms" not in out
    assert lines[0].startswith("Option arms of fake: ") and lines[2].startswith("(none) ")
    assert len(lines) == 7 and " more)" in lines[6], out
    rows = json.loads(outcome(capsys, "arms", tmp_path, "--json")[1])["arms"]
    named = {(row["kind"], row["name"]): row for row in rows}
    without, plain = named["option", ""], named["plain", ""]
    assert without["runs"] + plain["runs"] < 80 and without["times-findings"] is None
    guided = sum(row["runs"] for row in rows if row["kind"] == "transition")
    assert guided + plain["runs"] == 80 - LAG


@pytest.mark.usefixtures("bare_findings")
def test_guidance_can_be_switched_off_and_on(tmp_path: Path) -> None:
    """Runs that a guided session left open, and another session made, are waited for no more."""
    campaign(tmp_path, runs=40)
    with closing(sqlite3.connect(tmp_path / "campaign.sqlite")) as store, store:
        (saved,) = store.execute("SELECT value FROM meta WHERE name = 'guidance:fake'").fetchone()
        stale = {
            **json.loads(saved),
            "open": {"3": ["10000000000000000", [], [], {}, [], False, False]},
        }
        store.execute("UPDATE meta SET value = ? WHERE name = 'guidance:fake'", [json.dumps(stale)])
    before, _ = campaign(tmp_path, OFF, runs=2)
    arms, _ = campaign(tmp_path, runs=40)
    assert arms != before, "nothing is learnt any more"


def test_a_ratio_needs_some_runs() -> None:
    base = ArmYield("option:", runs=99, findings=9)
    assert ratio(ArmYield("option:a", runs=4, findings=4), base, "findings") is None
    assert ratio(ArmYield("option:a", runs=9, findings=9), base, "findings") == pytest.approx(10.0)


@pytest.mark.slow
def test_a_mix_learns_of_sources_seeds_and_options(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seed = tmp_path / "sat" / "seed.smt2"
    seed.parent.mkdir()
    seed.write_text("(declare-const x Int)(assert (and (> x 3) (< x 9)))(check-sat)")
    mix = ("--mix", "opfuzz:1,storm:1", "--iterations", "3", seed.parent, "--runs", "50")
    learnt = []
    for number, jobs in enumerate(("1", "2")):
        out = tmp_path / str(number)
        words = ("fuzz", "z3", *mix, "--guide", BANDIT, "--seed", "4", "--jobs", jobs, "--out", out)
        code, _, err = outcome(capsys, *words)
        assert (code in (0, 1), err) == (True, "")
        learnt.append(json.loads(outcome(capsys, "arms", out, "--json")[1])["arms"])
    sources = {row["name"]: row["runs"] for row in learnt[0] if row["kind"] == "source"}
    assert set(sources) == {"opfuzz", "storm"} and sum(sources.values()) == 50 - LAG
    options = [row for row in learnt[0] if row["kind"] == "option"]
    assert len(options) > 3 and not any(row["kind"] == "transition" for row in learnt[0])
    assert learnt[0] == learnt[1]


@pytest.mark.parametrize("solver", ["z3", pytest.param("cvc5", marks=pytest.mark.slow)])
def test_mutants_set_the_option_of_their_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, solver: str
) -> None:
    (tmp_path / "seed.smt2").write_text("(declare-const x Int)(assert (> x 3))(check-sat)")
    wrapper = Wrapper(load_wrapper(solver), build_catalogue(SETUP["catalogue"]))
    wrapper.ask_options()
    facts = wrapper.facts
    reader = Reader(build_catalogue(SETUP["catalogue"]), SETUP["machine"], facts.every_option)
    option = next(o.name for o in facts.every_option if o.type == "bool" and not o.theories)
    seed = reader.arms.guided(9, [Arm(OPTION, f"{option}=false")])
    words = (
        "opfuzz",
        solver,
        "--run-seed",
        f"{seed:x}",
        "--iterations",
        "4",
        tmp_path / "seed.smt2",
    )
    code, trace, _ = outcome(capsys, *words)
    scripts = [line for line in trace.splitlines() if " run-script@" in line]
    assert code == 0 and f"# guided option:{option}=false" in trace
    assert len(scripts) > 1 and all(f"{option} false)" in line for line in scripts)
