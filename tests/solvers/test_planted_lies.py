"""A binding that breaks a law is told so: the finding becomes smaller, and a program without murxpy shows it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lies import BROKEN, CALLS, LAWS, SEARCHED, SHARED, trace_of
from lying import put_lying

from murxpy.data import load_wrapper
from murxpy.findings.replayed import replay_trace
from murxpy.machine.trace.grammar import parse_trace
from murxpy.processes.plans import Request, make_plans
from murxpy.reduction.pipeline import Task
from murxpy.reduction.reproducers import to_show, write_programs
from murxpy.reduction.traces import minimize

PACKAGES = {"z3": "z3", "cvc5": "cvc5", "cvc5-pythonic": "cvc5"}
REPLAYS = 80  # for each, in case a reduction goes on for long
ROWS = [pytest.param(solver, *row, id=row[0]) for solver in LAWS for row in LAWS[solver]]


def spelled(wrapper: dict[str, Any]) -> set[str]:
    """The wrapper's own actions, with the names of their spellings where they have some."""
    found: set[str] = set()
    for action in wrapper["own-actions"]:
        ways = wrapper["actions"][action]
        named = isinstance(ways, dict) and "is" not in ways
        found |= {f"{action}@{name}" for name in ways} if named else {action}
    return found


@pytest.mark.parametrize("solver", LAWS)
def test_each_law_has_a_lie(solver: str) -> None:
    told = {row.split()[0] for row, _, _ in LAWS[solver]}
    assert not told & CALLS[solver]
    left = spelled(load_wrapper(solver)) - CALLS[solver] - told
    assert {name for name in left if name.partition("@")[0] not in SHARED} == set()


@pytest.mark.slow
@pytest.mark.parametrize(("solver", "law", "where", "lie"), ROWS)
def test_a_lie_is_found_and_shown(
    solver: str, law: str, where: str, lie: str, tmp_path: Path
) -> None:
    """The program of the smaller trace exits with 1 where the binding lies, and with 0 where it does not."""
    pytest.importorskip(PACKAGES[solver])
    put_lying(tmp_path / "site", PACKAGES[solver], where, lie)
    (plan,) = make_plans(Request((f"{solver}@{tmp_path}/site",), "default"))
    text, name = trace_of(law, solver), law.split()[0].partition("@")[0]
    found = replay_trace(plan, text, "t.trace").found
    assert found is not None and found.verdict.tier != "murxpy", law
    assert found.verdict.call.action == name
    small = minimize(Task(plan, "t.trace", replays=REPLAYS), text)
    assert small.ended in ("complete", "replays") and small.key == found.bucket
    lines = parse_trace(small.text, "s.trace").lines
    most = 1.0 if law in SEARCHED else 0.5
    assert lines[-1].action == name and small.after <= most * small.before
    file = tmp_path / "s.trace"
    file.write_text(small.text)
    claim = to_show(found.verdict.kind, small.key, small.message or found.verdict.message)
    (program,) = write_programs(plan, file, small.text, claim, forms=("python",))
    assert program.reproduces, program.note
    if law not in BROKEN:  # the real binding keeps the law
        command = [sys.executable, program.file]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(tmp_path / "site")  # a copy of a library is large
