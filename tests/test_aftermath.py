"""What is done with findings beside the runs of a campaign: when, and in which order."""

from __future__ import annotations

import time
from pathlib import Path

from campaigns import plan, run

from murxpy.campaign.aftermath.queue import Queue
from murxpy.campaign.aftermath.requests import Answer, Request
from murxpy.campaign.budget import Budget
from murxpy.campaign.events import Ended


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


def test_a_campaign_says_how_long_its_parts_took(tmp_path: Path) -> None:
    _, events = run(tmp_path / "out", {}, runs=20)
    ended = events[-1]
    assert isinstance(ended, Ended)
    spent = {name: value for name, value in ended.snapshot.counts.items() if "cpu-ns:" in name}
    assert set(spent) >= {"cpu-ns:runs", "cpu-ns:targets", "cpu-ns:supervisor", "cpu-ns:gdb"}
    assert spent["cpu-ns:runs"] > 0 < spent["cpu-ns:targets"] and spent["cpu-ns:gdb"] == 0
