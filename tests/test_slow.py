"""Scripts that cost more than they may: a finding by the solver's own count, that the exit code of a
campaign leaves out.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import outcome

from murxpy.campaign.findings.buckets import failing, new_bucket
from murxpy.campaign.findings.keys import bucket_key
from murxpy.machine.tokens import quote
from murxpy.machine.witnesses.slowness import AGAINST, KIND, mark_of, marked
from murxpy.oracles.crash import Verdict
from murxpy.trace.finished import Call

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
