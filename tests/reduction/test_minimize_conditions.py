"""What `murxpy minimize` keeps: messages, ends of the process, unknown answers, a command's
verdict, hangs.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import FAKE, error, fuzz_fake, outcome
from plants import EXAMPLE, NEED_NOT, long_trace, planted, rows
from toy import TOY
from waiting import wait_for

from murxpy.errors import InputError
from murxpy.findings.origin import origin
from murxpy.oracles.crash import Outcome
from murxpy.processes import inquiries
from murxpy.processes.handles import Job
from murxpy.processes.targets import Plan
from murxpy.reduction.pipeline import Match, Task, exit_kind, first_shown
from murxpy.reduction.traces import minimize

pytestmark = pytest.mark.usefixtures("kept_solvers")

CONTRACT = {**NEED_NOT, "how": "contract"}
NOT_CHECKED = [
    "new",
    "mk-sort SORT_BOOL",
    "mk-value s1 False",
    "mk-term OP_NOT SORT_BOOL 1 t1",
    "assert-formula t2",
]


def kept(fault: dict[str, Any], match: Match) -> list[str]:
    """The lines that are left when `match` is to be kept."""
    return rows(minimize(Task(planted(**fault), "a.trace", match=match), EXAMPLE))


@pytest.mark.parametrize(
    "match", [Match(message="the answer is no answer"), Match(part="no answer")]
)
def test_a_message_is_kept(match: Match) -> None:
    left = kept(CONTRACT, match)
    assert left[:-1] == NOT_CHECKED and left[-1].startswith("check-sat-assuming 1 ")


@pytest.mark.parametrize(("how", "wanted"), [("segfault", "SIGSEGV"), ("exit", "3")])
def test_the_end_of_the_process_is_kept(how: str, wanted: str) -> None:
    """Murxla does not tell an exit by a signal from an exit code."""
    fault = {**NEED_NOT, "how": how}
    assert kept(fault, Match(exit=wanted))[:-1] == NOT_CHECKED
    with pytest.raises(InputError, match="exit SIGFPE: not so in 3 replays"):
        kept(fault, Match(exit="SIGFPE"))


def test_a_misuse_in_which_a_death_only_shows_is_left_out() -> None:
    """A call breaks something, and the process dies when the run ends, whatever came last."""
    source = EXAMPLE.partition("1 assert-formula")[0] + "1 gc\n1 misuse@print t2\n"
    plan = planted(at="gc", how="segfault", late=True)
    result = minimize(Task(plan, "a.trace"), source)
    assert rows(result) == ["new", "gc"]
    assert "misuse" not in result.key


def test_a_misuse_that_a_death_needs_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    many = inquiries.Tester.many

    def counted(self: inquiries.Tester, count: int, *jobs: Job) -> list[list[Outcome]]:
        made.append(count)
        return many(self, count, *jobs)

    monkeypatch.setattr(inquiries.Tester, "many", counted)
    source = EXAMPLE.partition("1 assert-formula")[0] + "1 gc\n1 misuse@print t2\n"
    result = minimize(Task(planted(at="misuse", how="segfault", late=True), "a.trace"), source)
    assert rows(result)[-1].startswith("misuse ") and "misuse-term-print" in result.key
    assert made[:2] == [1, 2] and made[-1] == 1, "one replay tells that it is needed"


def test_what_earlier_runs_find_does_not_stand_for_a_death() -> None:
    refused = {"kind": "contract", "message": "it is not refused", "tier": "binding"}
    call = {"action": "misuse", "operator": "t", "spelling": "none"}
    found = Outcome("report", {"status": "finding", "finding": {**refused, **call}}, "0 new\n")
    died = Outcome("died", trace="0 new\n0 pop 1\n", status=signal.SIGSEGV)
    task = Task(planted(**CONTRACT), "a.history")
    first = first_shown([[found, died]] * 3, task)
    assert first.key.startswith("contract-") and not first.shows(died)
    for key in ("crash-sigsegv-toy-pop-0", "crash-sigsegv-toy-push-1"):
        first = first_shown([[found, died]] * 3, replace(task, key=key))
        assert first.key.startswith("crash-sigsegv-toy-pop-") and first.shows(died)
    with pytest.raises(InputError, match="it shows no crash-sigsegv-toy-pop-0 in 3 replays"):
        first_shown([[found]] * 3, replace(task, key="crash-sigsegv-toy-pop-0"))


def test_all_that_is_asked_for_must_hold() -> None:
    with pytest.raises(InputError, match="a message with 'no answer', exit SIGSEGV: not so"):
        kept(CONTRACT, Match(part="no answer", exit="SIGSEGV"))


def test_an_exit_is_a_code_or_a_signal() -> None:
    assert [exit_kind(text) for text in ("3", "SIGSEGV", "abrt")] == ["3", "SIGSEGV", "SIGABRT"]
    with pytest.raises(
        InputError,
        match=r"expected an exit code from 0 to 255 or a signal \(did you mean 'SIGSEGV'",
    ):
        exit_kind("SIGSEG")


def test_an_unknown_answer_is_kept() -> None:
    wrapper = {**TOY, "actions": {**TOY["actions"], "check-sat-assuming": "'unknown'"}}
    plan = planted(at="gc", how="segfault")
    plan = Plan(plan.target, {**plan.setup, "wrapper": wrapper})
    result = minimize(Task(plan, "a.trace", match=Match(unknown=True)), EXAMPLE)
    assert rows(result) == [
        "new",
        "mk-sort SORT_BOOL",
        "mk-value s1 False",
        "check-sat-assuming 1 t1",
    ]
    assert result.text.endswith("      answer unknown\n")


def test_a_command_decides(tmp_path: Path) -> None:
    task = Task(planted(at="gc", how="segfault"), "a.trace", jobs=2)
    result = minimize(replace(task, command=("grep", "-q", "-e", "OP_NOT SORT_BOOL")), EXAMPLE)
    assert rows(result) == NOT_CHECKED[:-1]
    assert result.key == "grep -q -e OP_NOT SORT_BOOL"
    with pytest.raises(InputError, match="'false' does not exit with 0 for it"):
        minimize(replace(task, command=("false",)), EXAMPLE)
    with pytest.raises(InputError, match="there is no program 'nosuchprogram'"):
        minimize(replace(task, command=("nosuchprogram", "x")), EXAMPLE)


def test_a_hang_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A candidate gets less time than a hang; the result is seen to hang at the end."""
    monkeypatch.setattr("murxpy.reduction.predicates._HANG", 0.4)
    monkeypatch.setattr("murxpy.reduction.pipeline.LATE", 0.15)
    monkeypatch.setattr("murxpy.processes.limits.Limits.replay_wall", 0.4)
    result = minimize(Task(planted(at="pop", how="sleep"), "a.trace"), EXAMPLE)
    assert rows(result) == ["new", "push 1", "pop 1"]
    assert result.key == "hang in pop"


def test_bad_wishes_are_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    trace = tmp_path / "a.trace"
    trace.write_text("# solver z3 5\n1 new\n")
    assert (
        "leave out --match-"
        in error(capsys, "minimize", trace, "--command", "true", "--unknown")[1]
    )
    assert (
        "expected words as for a shell" in error(capsys, "minimize", trace, "--command", "a 'b")[1]
    )
    assert "there is no program ''" in error(capsys, "minimize", trace, "--command", "")[1]
    assert "expected an exit code" in error(capsys, "minimize", trace, "--match-exit", "999")[1]


def test_the_time_covers_the_first_replays() -> None:
    """Murxla's first replay has no time limit."""
    start = time.monotonic()
    with pytest.raises(InputError, match="are over before it was seen what the trace shows"):
        minimize(Task(planted(at="pop", how="sleep"), "a.trace", time=0.3), EXAMPLE)
    assert time.monotonic() - start < 15  # a replay of a hang takes 20 s and more


@pytest.mark.slow
def test_an_interrupted_command_leaves_its_best(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C as a terminal sends it: to all processes of the group. A second call goes on."""
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:abort")
    fuzz_fake(capsys, tmp_path / "out", "--runs", "20")
    trace = max(
        (tmp_path / "out" / "findings").glob("*/*.trace"), key=lambda file: file.stat().st_size
    )
    slow = "sh -c 'sleep 0.1; grep -q OP_AND $0'"
    command = [sys.executable, "-m", "murxpy", "minimize", str(trace), "--command", slow]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    small = trace.with_suffix(".min.trace")
    wait_for(small.exists)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, "") and ", interrupted; written to" in out
    assert len(small.read_text()) < len(trace.read_text())
    assert origin(small) is not None, "it is still known where it comes from"
    before = int(out.split(" lines to ")[1].split()[0])
    code, out, _ = outcome(capsys, "minimize", trace)
    assert code == 0 and int(out.split(" lines to ")[1].split()[0]) <= before
    assert outcome(capsys, "replay", small, "--solver", *FAKE)[0] == 1


def test_the_best_so_far_is_handed_over() -> None:
    seen: list[str] = []
    source = long_trace(CONTRACT, EXAMPLE, 5, 60)
    task = Task(
        planted(**CONTRACT), "a.trace", follow=lambda progress: seen.append(progress.text())
    )
    result = minimize(task, source)
    assert len(seen[-1].splitlines()) <= len(result.text.splitlines()) + 2
    assert minimize(Task(planted(**CONTRACT), "b.trace"), seen[len(seen) // 2]).key == result.key
