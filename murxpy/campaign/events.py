"""What a campaign yields. Reporters only consume these; a new reporter touches no campaign code.

Times are seconds since the campaign began, but for `Started.time`, which is the wall clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from murxpy.campaign.finding import Finding, Reproducer
from murxpy.campaign.snapshot import Snapshot
from murxpy.campaign.yields import Yield
from murxpy.oracles.crash import Tier


@dataclass(frozen=True, slots=True)
class Target:
    """A solver under test: `name` as the user gave it (`z3@envs/old`), its family and its version."""

    name: str
    solver: str
    version: str


@dataclass(frozen=True, slots=True)
class Started:
    """The campaign begins. `time` is in seconds since the epoch; a limit is None where there is
    none.
    """

    time: float
    targets: tuple[Target, ...]
    out: str
    seed: int
    machine: str
    jobs: int
    time_limit: float | None = None
    run_limit: int | None = None


@dataclass(frozen=True, slots=True)
class RunEnded:
    """A run came to its end by itself. `report` is the worker's plain data; `report["counts"]` are
    its counters.
    """

    worker: int
    seed: int
    report: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Overstayed:
    """A run was ended from outside because it was past the wall-time limit: a statistic, not a
    finding.
    """

    worker: int
    seed: int
    action: str
    operator: str


@dataclass(frozen=True, slots=True)
class WorkerLost:
    """A worker process is gone and is replaced; `reason` says why, in a few words."""

    worker: int
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """A finding was stored. `new`: its bucket was empty before; `known`: the user listed it as
    known.

    `trace` is the path, relative to the output folder, of the smallest trace that the bucket keeps
    now; empty when it keeps none.
    """

    bucket: str
    new: bool
    known: bool
    finding: Finding
    trace: str = ""


@dataclass(frozen=True, slots=True)
class Reproduced:
    """The forms of a finding were written, and tried. `after` lines are left of `before`; both 0
    where it was not minimized.

    `tier` is that of the bucket from now on: what is left may need something that the solver
    documents as experimental.
    """

    bucket: str
    forms: tuple[Reproducer, ...]
    before: int = 0
    after: int = 0
    tier: Tier | None = None


@dataclass(frozen=True, slots=True)
class Alike:
    """The crash of `bucket` has the innermost native frames of `same`, an earlier bucket: probably
    one defect.
    """

    bucket: str
    same: str


@dataclass(frozen=True, slots=True)
class Notice:
    """One line that the user should read, such as what the installed build lacks."""

    text: str


@dataclass(frozen=True, slots=True)
class Tick:
    """Time goes by: sent a few times a second with the figures so far."""

    elapsed: float
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class Ended:
    """The campaign is over. `reason` in a few words (`time limit`, `interrupted`); `exit_code` of
    the process.

    `seeds`: by target, what came of each seed of the mutation fuzzers, in all sessions; empty where
    only walks were made. `unjudged` runs and `unsolved` known disagreements are left for the next
    session. `unkept` says what could not be written.
    """

    reason: str
    snapshot: Snapshot
    exit_code: int = 0
    seeds: Mapping[str, tuple[Yield, ...]] = field(default_factory=dict)
    unjudged: int = 0
    unsolved: int = 0
    unkept: str = ""


Event = (
    Started
    | RunEnded
    | Overstayed
    | WorkerLost
    | Found
    | Reproduced
    | Alike
    | Notice
    | Tick
    | Ended
)
