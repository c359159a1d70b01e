"""Scripts that cost more than they may: a finding by the solver's own count, that the exit code of a
campaign leaves out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from campaigns import FAKES
from commands import outcome

from murxpy.campaign.campaign import Campaign
from murxpy.campaign.enumeration import Enumerated as Runs
from murxpy.campaign.enumeration import SizeCosts, SlowScripts
from murxpy.findings.buckets import bucket_key, failing, new_bucket
from murxpy.findings.store import read_counters
from murxpy.fuzzers.setups import Enumerated, checked
from murxpy.machine.tokens import quote
from murxpy.machine.trace.finished import Call
from murxpy.machine.witnesses.slowness import AGAINST, KIND, mark_of, marked
from murxpy.oracles.crash import Verdict
from murxpy.processes.plans import Request, make_plans
from murxpy.records.config import CampaignConfig
from murxpy.records.events import Ended

pytestmark = pytest.mark.usefixtures("kept_solvers")

SCRIPT = """(declare-const a Int)(declare-const b Int)(declare-const c Int)
(assert (> (* a b) 7))(assert (= c 1))
(check-sat)
"""


def trace(solver: str, text: str, *before: str) -> str:
    lines = "".join(f"1 {line}\n" for line in ("new", "set-limit 900000", *before))
    return f"# murxpy-trace 1\n# solver {solver}\n{lines}1 run-script {quote(text)}\n"


def test_a_script_is_marked_with_what_it_may_cost() -> None:
    for against in AGAINST:
        text = marked(SCRIPT, against, 17)
        assert mark_of(text) == f"(set-info :slow-against-{against} 17)\n"
        assert text == mark_of(text) + SCRIPT
    assert mark_of(SCRIPT) == mark_of(marked(SCRIPT, "nothing", 17)) == ""


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_only_a_script_that_costs_more_than_it_may_is_slow(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, solver: str
) -> None:
    path = tmp_path / "a.trace"
    for text, code in (
        (SCRIPT, 0),
        (marked(SCRIPT, "size", 10), 1),
        (marked(SCRIPT, "size", 800_000), 0),
    ):
        # what ran before does not count
        path.write_text(trace(solver, text, f"run-script {quote(SCRIPT)}"))
        ended, out, err = outcome(capsys, "replay", path)
        assert ended == code, out + err
        assert (KIND in out and "expected at most 10 by scripts of its size" in out) == bool(code)


def test_a_smaller_script_still_costs_more(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    whole, small = tmp_path / "a.trace", tmp_path / "small.trace"
    whole.write_text(trace("z3", marked(SCRIPT, "reference", 40)))
    ended, out, err = outcome(capsys, "minimize", whole, "-o", small, "--jobs", "1")
    assert ended == 0, out + err
    text = small.read_text()
    assert "(set-info :slow-against-reference 40)" in text and "(= c 1)" not in text
    ended, out, err = outcome(capsys, "replay", small)
    assert ended == 1 and KIND in out, out + err


def test_a_bucket_says_against_what_and_fails_only_on_request() -> None:
    keys = []
    for against in AGAINST:
        message = f"cost 123 units of the solver, expected at most 17 by {AGAINST[against]}"
        call = Call("run-script", "INT", "helper")
        verdict = Verdict(KIND, "solver", message, "", call, against=against)
        other = Verdict(KIND, "solver", message.replace("123", "4567"), "", call, against=against)
        keys.append(bucket_key("z3", verdict))
        assert keys[-1] == bucket_key("z3", other)
        assert keys[-1].startswith(f"slow-{against}-z3-run-script-int")
        bucket = new_bucket(keys[-1], "z3", verdict, known=False, now=0.0)
        bucket.state = "confirmed"
        assert bucket.against == against and bucket.severity == "low"
        assert not failing(bucket) and failing(bucket, (KIND,))
    assert len(set(keys)) == len(AGAINST)


NAMES = [f"c{number}" for number in range(24)]
GRAMMAR = f"""grammar: monotone
about: formulas that are true where all constants are
sorts: {{B: Bool}}
declare: {[f"(declare-const {name} Bool)" for name in NAMES]}
rules: {{B: ["{{{" ".join(NAMES)}}}", "({{and or}} B B)"]}}
script: [(assert B), (check-sat)]
"""
SCRIPTS = 24 + 2 * 24 * 24  # of sizes 1 and 3
SLOW = "(assert (or c1 c2))"


def campaign(out: Path, planted: str, **options: Any) -> Campaign:
    """Enumerate scripts on the fake solver, which counts much for the planted script."""
    grammar, wrapper = out / "monotone.yaml", out / "slow.yaml"
    grammar.write_text(GRAMMAR)
    text = (FAKES / "scripts.yaml").read_text()
    wrapper.write_text(
        text.replace("f.run_script({v})", f"f.counted_script({{v}}, '{planted}')")
        + 'readers: {script-cost: "f.spent()"}\nlimit-per-ms: 1000\n'
    )
    request = Request(
        (f"fake@{FAKES}",),
        wrapper=str(wrapper),
        enumeration=Enumerated((str(grammar),), SCRIPTS, block=500),
    )
    return Campaign(
        CampaignConfig(make_plans(request), out / "out", seed=1, backtrace=False, **options)
    )


@pytest.mark.usefixtures("bare_findings")
def test_an_enumeration_looks_at_what_costs_more_than_nearly_all_of_its_size(
    tmp_path: Path,
) -> None:
    made = campaign(tmp_path, SLOW, fail_on=(KIND,))
    *_, ended = list(made)
    assert isinstance(ended, Ended) and ended.exit_code == 1
    (bucket,) = made.buckets
    assert (bucket.kind, bucket.against, bucket.state) == (KIND, "size", "confirmed")
    assert "cost 30000 units of the solver, expected at most 5000 by" in bucket.message
    kept = bucket.smallest()
    assert kept is not None
    trace = (tmp_path / "out" / kept.file).read_text()
    assert SLOW in trace and "(set-info :slow-against-size 5000)" in trace
    # it is looked at once, and its script is counted once
    again = campaign(tmp_path, SLOW)
    *_, ended = list(again)
    assert isinstance(ended, Ended) and ended.exit_code == 0
    counts = read_counters(tmp_path / "out")
    assert sum(n for name, n in counts.items() if name.startswith("enumerate:")) == SCRIPTS
    assert counts["check-cost:slow"] == 1


def test_a_script_of_a_few_costs_what_it_may(tmp_path: Path) -> None:
    made = campaign(tmp_path, "(or c1")
    list(made)
    assert made.buckets == []
    counts = read_counters(tmp_path / "out")
    assert sum(n for name, n in counts.items() if name.startswith("enumerate:")) == SCRIPTS


def test_a_script_is_measured_against_what_it_costs_a_judge() -> None:
    slow = SlowScripts(0, 10, 90_000, 1000.0)
    ours = {0: 1_000, 1: 90_000, 2: 90_000, 3: 5_500}
    found = slow.of_judge(7, ours, {0: 2.0, 1: 2.5, 2: 4.0, 3: 2.0})
    assert [(one.place, one.against, one.bound) for one in found] == [(1, "reference", 51_000)]
    assert slow.of_judge(7, ours, {}) == []


def test_a_theory_that_the_solver_counts_faster_makes_no_script_slow() -> None:
    """(bvult a b) costs cvc5 3,034 units, which take it 3.6 ms."""
    enumeration = {"grammars": [checked("ints").plain], "at": "0", "take": 10, "block": 10}
    wrapper = {"limit-per-ms": 300, "limit-per-ms-of": {"BV": 700, "FP": 800}}
    rows = "".join(f'1 run-script "{number}"\n  answer sat\n' for number in range(3))
    for cost, number in ((3_034, 1), (4_400, 2)):
        runs = Runs({"enumeration": {**enumeration, "check-ms": 25.0}, "wrapper": wrapper}, "cvc5")
        costs, judged = {0: 45, 1: cost, 2: 45}, {2: 0.01, 4: 0.01, 6: 0.01}
        runs.compared(runs.seed_of(0), f"# seed 1\n{rows}", costs, judged)
        assert runs.number == number


def test_costs_of_a_size_keep_what_is_told_later() -> None:
    costs = SizeCosts(3_000)
    for number in range(3_000):
        costs.add(number % 1_500 * 10, 7, number)
    # of 3,000 scripts three may cost more: two cost 14990, two 14980
    assert [(one.place, one.bound) for one in costs.slow(0)] == [(1499, 14980), (2999, 14980)]
    assert len(costs.top) == 4
    again = SizeCosts(costs.wanted, costs.count, costs.top)
    assert again.slow(0) == costs.slow(0) and again.slow(20_000) == []
    few = SizeCosts(999)
    few.add(10**6, 7, 0)
    assert few.slow(0) == []


def test_a_script_that_a_judge_finds_cheap_is_run_again() -> None:
    enumeration = {"grammars": [checked("ints").plain], "at": "0", "take": 10, "block": 10}
    setup = {
        "enumeration": {**enumeration, "check-ms": 25.0},
        "wrapper": {"limit-per-ms": 1000},
        "checks": ["models"],
    }
    runs = Runs(setup, "z3 5.4.1")
    rows = "".join(f'1 run-script "{number}"\n  answer sat\n' for number in range(3))
    # the rows of the scripts are 2, 4 and 6; the second one costs too much
    judged = {2: 1.0, 4: 1.0, 6: 1.0}
    runs.compared(runs.seed_of(0), f"# seed 1\n{rows}", {0: 100, 1: 25_000, 2: 100}, judged)
    assert runs.number == 2 and runs.text_of(0) is None
    text = runs.text_of(1)
    assert text is not None and "(set-info :slow-against-reference 5100)" in text
    assert "# indices 1 1" in text and "set-limit 25000 50" in text and "(get-model)" in text
    # what that run shows leads to no other run, also in a later session
    again = Runs(setup, "z3 5.4.1", json.loads(json.dumps(runs.state())))
    again.compared(again.seed_of(1), text, {0: 25_000}, judged)
    assert again.number == 2 and again.text_of(1) == text
    assert again.ended_early(again.seed_of(1), text, reported=True, killed=False) == {}


@pytest.mark.usefixtures("bare_findings")
def test_a_mutant_that_costs_far_more_than_its_parent_is_slow(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The fake solver counts 300 times as much where it sees a double negation."""
    (tmp_path / "seed.smt2").write_text(
        "(set-info :status sat)(declare-const a Bool)(declare-const b Bool)"
        "(assert (or a b))(assert (not (and a b)))(check-sat)"
    )
    wrapper = tmp_path / "slow.yaml"
    wrapper.write_text(
        (FAKES / "scripts.yaml")
        .read_text()
        .replace("f.run_script({v})", "f.counted_script({v}, '(not (not')")
        + 'readers: {script-cost: "f.spent()"}\nlimit-per-ms: 1000\n'
    )
    words = ("janus", f"fake@{FAKES}", tmp_path / "seed.smt2", "--wrapper", wrapper)
    words = (*words, "--rules", "not-not", "--check", "none", "--no-option-fuzzing")
    words = (*words, "--jobs", "1", "--seed", "1", "--runs", "1", "--out", tmp_path / "out")
    code, out, err = outcome(capsys, *words)
    assert code == 0 and "expected at most 5000 by the script that it was made from" in out, (
        out + err
    )
    (trace,) = (tmp_path / "out" / "findings").glob("slow-parent-*/*.trace")
    assert "(set-info :slow-against-parent 5000)" in trace.read_text()
    named = ("--solver", f"fake@{FAKES}", "--wrapper", wrapper)
    assert outcome(capsys, "replay", trace, *named)[0] == 1
