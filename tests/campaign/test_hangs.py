"""Which runs past the wall limit are replayed to see whether they hang."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from murxpy.campaign import run_ends
from murxpy.campaign.run_ends import Hangs
from murxpy.oracles.crash import Outcome
from murxpy.processes.handles import Job
from murxpy.processes.pool import Result
from murxpy.records.finding import Finding

CHECK = "1 new@default\n1 check-sat@default\n"
MISUSE = "1 new@default\n1 misuse@edge misused.Box.label x1 py:-1\n"


class Recorded:
    """Takes trials and makes none."""

    busy = False

    def __init__(self, replays: Any) -> None:
        self.trials: list[Any] = []

    def add(self, trial: Any) -> None:
        self.busy = True
        self.trials.append(trial)

    def feed(self) -> None:
        """Nothing is made."""


@pytest.fixture
def hangs(monkeypatch: pytest.MonkeyPatch) -> tuple[Hangs, list[Any], list[Finding]]:
    """Hangs in a campaign whose workers had 100 s, so that replays may take 10 s."""
    monkeypatch.setattr(run_ends, "Trials", Recorded)
    hung: list[Finding] = []
    replays: Any = SimpleNamespace(pool=SimpleNamespace(limits=SimpleNamespace(patience=20.0)))
    service = Hangs(replays, lambda target: ("misused", "1.0"), hung.append, [], lambda: 100.0)
    trials: Any = service._trials
    return service, trials.trials, hung


def _late(trace: str) -> Result:
    worker: Any = None
    return Result(worker, Job(1, 2.0), Outcome("wall", None, trace))


def test_a_suspect_that_needs_too_much_time_keeps_no_other_waiting(
    hangs: tuple[Hangs, list[Any], list[Finding]],
) -> None:
    service, trials, _ = hangs
    service.suspect(_late(CHECK), 0)
    service.suspect(_late(MISUSE), 0)
    service.feed()
    assert [trial.jobs[0].text for trial in trials] == [MISUSE]


def test_a_misuse_that_does_not_end_is_a_finding_about_the_binding(
    hangs: tuple[Hangs, list[Any], list[Finding]],
) -> None:
    service, trials, hung = hangs
    service.suspect(_late(MISUSE), 0)
    service.feed()
    for _ in range(2):
        trials[-1].done(SimpleNamespace(outcomes=[Outcome("wall", None, MISUSE)]))
    (found,) = hung
    assert (found.verdict.kind, found.verdict.tier) == ("hang", "binding")
    assert [trial.jobs[0].wall for trial in trials] == [2.0, 4.0]
