"""Minimizing traces that show planted faults, in supervised processes, and the command."""

from __future__ import annotations

import time
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from commands import FAKE, error, fuzz_fake, outcome
from plants import EXAMPLE, NEED_NOT, long_trace, planted, rows

from murxpy.errors import InputError
from murxpy.oracles.crash import Outcome
from murxpy.reduction.pipeline import Match, Minimized, Progress, Task, shows
from murxpy.reduction.traces import minimize

pytestmark = pytest.mark.usefixtures("kept_solvers")


def reduced(
    source: str, settings: dict[str, Any] | None = None, earlier: str | None = None, **fault: Any
) -> Minimized:
    return minimize(Task(planted(**fault), "a.trace", **(settings or {})), source, earlier)


@cache
def small() -> Minimized:
    """The result for the example with one job."""
    return reduced(EXAMPLE, **NEED_NOT)


SMALLEST = [
    "new",
    "mk-sort SORT_BOOL",
    "mk-value s1 False",
    "mk-term OP_NOT SORT_BOOL 1 t1",
    "assert-formula t2",
]


@pytest.mark.parametrize("how", ["segfault", "contract", "exit"])
def test_a_long_trace_becomes_the_smallest(how: str) -> None:
    """`exit` prints nothing: Murxla cannot reduce what has an empty standard error."""
    fault = {**NEED_NOT, "how": how}
    result = reduced(long_trace(fault, EXAMPLE, 1), **fault)
    assert len(rows(result)) <= len(SMALLEST) + 2
    assert rows(result)[-1].startswith("check-sat-assuming 1 ")
    assert result.ended == "complete"


def test_what_is_left_of_a_wrong_model_has_no_sort_that_only_its_message_needs() -> None:
    """The sorts of an assertion decide on the bucket of a wrong model, and are no part of its defect."""
    fault = {**NEED_NOT, "how": "invalid-model"}
    source = EXAMPLE.replace("1 push 2\n", '1 mk-sort SORT_BV 4\n return s2\n1 mk-const s2 "y"\n')
    result = reduced(source.replace("1 pop 2\n", ""), **fault)
    assert rows(result)[1:3] == SMALLEST[1:3] and "SORT_BV" not in result.text
    assert result.before == 10 and result.key.startswith("invalid-model-")
    kept = reduced(source.replace("1 pop 2\n", ""), **{**fault, "kinds": ["SORT_BV"]})
    assert "SORT_BV" in kept.text
    assert result.key == kept.key, "it is the smaller form of a finding in the same bucket"


def test_a_small_trace_becomes_the_smallest() -> None:
    result = small()
    assert rows(result) in ([*SMALLEST, f"check-sat-assuming 1 {term}"] for term in ("t1", "t2"))
    assert result.before == 10 and result.after == 6
    assert "     0 new@default\n      return o1\n" in result.text, "as its replay wrote it"


@pytest.mark.parametrize(
    ("fault", "last"),
    [
        ({"at": "check-sat-assuming", "count": 2}, "check-sat-assuming 2 t1 t1"),
        ({"at": "pop"}, "pop 1"),
        ({"at": "pop", "levels": 2}, "pop 1"),
        ({"at": "get-value", "history": ["check-sat-assuming"]}, "get-value 1 t1"),
        ({"at": "push", "options": ["depth"]}, "push 1"),
    ],
)
def test_counts_get_smaller(fault: dict[str, Any], last: str) -> None:
    """Murxla leaves assumptions, levels and options as they are."""
    source = EXAMPLE if "options" not in fault else EXAMPLE + "1 push 3\n"
    assert rows(reduced(source, how="contract", **fault))[-1] == last


def test_widths_indices_and_values_get_smaller() -> None:
    """Murxla leaves them as they are."""
    source = """1 new
1 mk-sort SORT_BV 32
 return s1
1 mk-value s1 "01010101010101010101010101010101" 2
 return t1 s1
1 mk-term OP_BV_EXTRACT SORT_BV 1 t1 2 17 3
 return t2 s2
1 simplify t2
"""
    result = reduced(source, at="simplify", how="contract", made=["OP_BV_EXTRACT"])
    assert rows(result) == [
        "new",
        "mk-sort SORT_BV 1",
        'mk-value s1 "0" 2',
        "mk-term OP_BV_EXTRACT SORT_BV 1 t1 2 0 0",
        "simplify t1",
    ]


def test_what_must_be_large_stays() -> None:
    source = EXAMPLE.replace('"x"', '"a|long one"')
    assert ' "|"\n' in reduced(source, at="check-sat-assuming", how="contract", symbol="|").text


def test_another_defect_is_not_accepted() -> None:
    """Murxla takes any failure for the same."""
    same = partial(shows, family="toy", key="crash-sigsegv-toy-check", kind="crash")
    assert all(not same(Outcome("died", status=status)) for status in (6, 256))
    malformed = Outcome(
        "report", {"status": "malformed", "finding": None, "message": "a.trace:1: no"}
    )
    assert not same(malformed)


def test_several_replays_at_a_time_find_the_same() -> None:
    """Murxla makes one after another, two processes each."""
    one, three = small(), reduced(EXAMPLE, {"jobs": 3}, **NEED_NOT)
    assert rows(one) == rows(three)


def test_the_same_call_tests_the_same_candidates() -> None:
    one, two = small(), reduced(EXAMPLE, **NEED_NOT)
    assert (one.text, one.tests) == (two.text, two.tests)


def test_goes_on_from_an_earlier_result() -> None:
    source = long_trace(NEED_NOT, EXAMPLE, 2, 60)
    first = reduced(source, **NEED_NOT)
    second = reduced(source, earlier=first.text, **NEED_NOT)
    assert second.after <= first.after and second.tests < first.tests


@pytest.mark.slow
def test_the_end_of_the_time_gives_the_best_so_far() -> None:
    fault = {**NEED_NOT, "at": "check-sat-assuming", "how": "contract"}
    source = long_trace(fault, EXAMPLE, 3)
    start = time.monotonic()
    task = Task(planted(**fault), "a.trace", time=3, follow=lambda progress: time.sleep(0.3))
    result = minimize(task, source)
    assert time.monotonic() - start < 20
    assert result.ended == "time" and result.after <= result.before


def test_a_limit_of_replays_gives_the_same_result_each_time() -> None:
    one, two, all_of_them = (reduced(EXAMPLE, {"replays": n}, **NEED_NOT) for n in (4, 4, 500))
    assert (one.ended, one.tests, one.text) == ("replays", 4, two.text)
    assert all_of_them.after <= one.after < one.before and one.text != all_of_them.text
    assert (all_of_them.ended, all_of_them.text) == ("complete", small().text)


def test_an_interrupt_gives_the_best_so_far() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.lines < 30:
            raise KeyboardInterrupt

    source = long_trace(NEED_NOT, EXAMPLE, 4, 60)
    result = minimize(Task(planted(**NEED_NOT), "a.trace", follow=interrupt), source)
    assert result.ended == "interrupted" and result.after < 30
    assert minimize(Task(planted(**NEED_NOT), "b.trace"), result.text).key == result.key


def test_what_shows_nothing_is_an_error() -> None:
    with pytest.raises(InputError, match="shows no finding in 3 replays"):
        reduced(EXAMPLE, at="gc", how="segfault")


def test_what_shows_now_and_then_needs_tries(tmp_path: Path) -> None:
    fault = {**NEED_NOT, "turns": str(tmp_path / "turns")}
    with pytest.raises(InputError, match=r"in 1 of 3 replays.*--tries 5"):
        reduced(EXAMPLE, **fault)
    result = reduced(EXAMPLE, {"tries": 5}, **fault)
    assert len(rows(result)) == len(SMALLEST) + 1


def test_what_is_slow_stays_slow() -> None:
    result = reduced(EXAMPLE, {"match": Match(slower=0.2), "time": 60}, at="pop", how="sleep")
    assert rows(result) == ["new", "push 1", "pop 1"]
    assert result.key == "slower than 0.2 s in pop"


@pytest.mark.usefixtures("bare_findings")
def test_the_command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:abort")
    assert fuzz_fake(capsys, tmp_path / "out", "--runs", "20")[0] == 1
    trace = min((tmp_path / "out" / "findings").glob("*/*.trace"))
    again = ("--solver", *FAKE, "-o", tmp_path / "small.trace")
    code, out, err = outcome(capsys, "minimize", trace, *again)
    assert (code, err) == (0, "")
    assert out.startswith(f"{trace.parent.name}: ") and out.endswith(
        f"written to {tmp_path / 'small.trace'}\n"
    )
    assert "mk-term@mk OP_AND" in (tmp_path / "small.trace").read_text().splitlines()[-1]
    assert outcome(capsys, "replay", tmp_path / "small.trace", "--solver", *FAKE)[0] == 1


def test_bad_input_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert error(capsys, "minimize", tmp_path / "none.trace")[0] == 2
    trace = tmp_path / "a.trace"
    trace.write_text("# solver nosuch 1\n1 new\n")
    code, message = error(capsys, "minimize", trace)
    assert code == 2 and "nosuch" in message
    trace.write_text("# solver fake 1\n1 new\n1 assert-formula t7\n")
    code, message = error(capsys, "minimize", trace, "--solver", *FAKE)
    assert code == 2 and f"{trace}:3: unknown term t7" in message
    other = tmp_path / "notes.txt"
    other.write_text("? no trace\n")
    code, message = error(capsys, "minimize", trace, "--solver", *FAKE, "-o", other)
    assert code == 2 and f"{other}:1: " in message
    trace.write_text("# solver fake 1\n1 new\n")
    code, message = error(capsys, "minimize", trace, "--solver", *FAKE)
    assert code == 2 and "shows no finding" in message
