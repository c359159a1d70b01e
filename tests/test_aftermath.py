"""What is done with findings beside the runs of a campaign: when, and in which order."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from campaigns import plan, run

from murxpy.campaign.aftermath.bisecting import bisected
from murxpy.campaign.aftermath.queue import Queue
from murxpy.campaign.aftermath.requests import Answer, Request
from murxpy.campaign.budget import Budget
from murxpy.campaign.events import Ended
from murxpy.campaign.ranges.bisection import Answer as Told
from murxpy.campaign.ranges.showing import Asked


def test_a_budget_is_open_while_its_share_is_not_used_up() -> None:
    budget = Budget(0.15)
    assert not budget.open, "nobody has worked yet"
    budget.passed(100.0)
    budget.spent = 14.9
    assert budget.open
    budget.spent = 15.0
    assert not budget.open
    budget.unbounded = True
    assert budget.open
    budget = Budget(0.0)
    budget.passed(1000.0)
    assert not budget.open


def test_the_worst_findings_come_first_and_nothing_begins_without_a_budget(tmp_path: Path) -> None:
    done: list[str] = []

    def answered(request: Request, answer: Answer) -> None:
        assert answer.error, "there is no such trace"
        done.append(request.key)

    budget = Budget(0.5)
    queue = Queue((plan(),), 0, budget, answered)
    for key, rank in (("crash", 15), ("unsat", 0), ("model", 3), ("unsat-too", 0)):
        missing = str(tmp_path / f"{key}.trace")
        queue.add(Request(key, key, "", missing, 0, False, rank=rank))
    queue.poll()
    assert queue.busy and not done
    budget.unbounded = True
    while queue.busy:
        queue.poll()
        time.sleep(0.01)
    queue.stop()
    assert done == ["unsat", "unsat-too", "model", "crash"]
    assert budget.spent > 0 and queue.cpu > 0


def test_a_bisection_goes_on_where_it_was_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "1.trace"
    file.write_text("# murxpy-trace 1\n# solver fake 5.0.0\n# finds crash\n1 new\n")
    releases = tuple(f"{number}.0.0" for number in range(6))
    asked: list[str] = []

    def ask(self: Asked, solver: str, release: str) -> Told:
        asked.append(release)
        if len(asked) == 3:
            raise OSError("the process is ended here")
        return Told("shows" if release >= "3" else "gone")

    monkeypatch.setattr(Asked, "release", ask)
    request = Request("k", "crash", "", str(file), 0, False, releases=releases)
    with pytest.raises(OSError):
        bisected(request, plan())
    ended = list(asked)
    assert bisected(request, plan()).releases == "3.0.0..5.0.0"
    assert ended[2] in asked[3:] and not set(ended[:2]) & set(asked[3:])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.trace", "range.json"]


def test_a_campaign_says_how_long_its_parts_took(tmp_path: Path) -> None:
    _, events = run(tmp_path / "out", {}, runs=20)
    ended = events[-1]
    assert isinstance(ended, Ended)
    spent = {name: value for name, value in ended.snapshot.counts.items() if "cpu-ns:" in name}
    assert set(spent) >= {"cpu-ns:runs", "cpu-ns:targets", "cpu-ns:supervisor", "cpu-ns:gdb"}
    assert spent["cpu-ns:runs"] > 0 < spent["cpu-ns:targets"] and spent["cpu-ns:gdb"] == 0
