"""The events that a campaign yields. Reporters do nothing but consume events, so a new reporter
touches no code of the campaign.

Times are seconds since the campaign began; only `Started.time` is wall-clock time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from murxpy.oracles.crash import Tier
from murxpy.records.finding import Finding, Reproducer
from murxpy.records.snapshot import Left, Snapshot
from murxpy.records.yields import Offered, Yield


@dataclass(frozen=True, slots=True)
class Target:
    """A solver under test: its `name` as the user gave it (`z3@envs/old`), its family and its
    version.
    """

    name: str
    solver: str
    version: str


@dataclass(frozen=True, slots=True)
class Started:
    """The campaign begins. `time` is in seconds since the epoch. A limit that the user did not set
    is None.
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
    """A run ended by itself. `report` is the plain data that the worker sent, and
    `report["counts"]` are the counters of the run.
    """

    worker: int
    seed: int
    report: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RunsEnded:
    """Runs that a worker of a cluster made ended by themselves, and nothing was found in them. `counts` are
    the sums of their counters.
    """

    worker: int
    runs: int
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Overstayed:
    """A run was ended from outside because it was past the limit of wall time. Such an end is a
    statistic, not a finding.
    """

    worker: int
    seed: int
    action: str
    operator: str


@dataclass(frozen=True, slots=True)
class WorkerLost:
    """A worker process ended when nobody had told it to, and is replaced. `reason` says in a few
    words how it ended.
    """

    worker: int
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """A finding was stored. `new` says that no event of this folder's sessions reported its bucket
    before, `known` that the user listed the bucket as known.

    `trace` is the path, relative to the output folder, of the smallest trace that the bucket keeps
    now. The path is empty when the bucket keeps no trace.
    """

    bucket: str
    new: bool
    known: bool
    finding: Finding
    trace: str = ""


@dataclass(frozen=True, slots=True)
class Reproduced:
    """A finding was written in all its forms, and each form was tried. Of `before` lines, `after`
    are left; both are 0 when the finding was not minimized.

    `tier` is the tier of the bucket from now on. The tier can change because the smaller trace shows
    whether the finding needs something that the solver documents as experimental.
    """

    bucket: str
    forms: tuple[Reproducer, ...]
    before: int = 0
    after: int = 0
    tier: Tier | None = None


@dataclass(frozen=True, slots=True)
class Bisected:
    """The `releases` that show a finding are known, such as `4.12.0..5.4.1`."""

    bucket: str
    releases: str


@dataclass(frozen=True, slots=True)
class Alike:
    """Bucket `bucket` shows the same defect as `same`, an earlier bucket."""

    bucket: str
    same: str


@dataclass(frozen=True, slots=True)
class Notice:
    """One line that the user should read, such as what the installed build lacks."""

    text: str


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed: a few times a second, this event tells the figures so far."""

    elapsed: float
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class Ended:
    """The campaign is over. `reason` says why in a few words (`time limit`, `interrupted`), and
    `exit_code` is the exit code of the process.

    `seeds` has, for each target, the yield of each seed of the mutation fuzzers in all sessions, and
    `offered` how many seeds they can use. Both are empty for a campaign of walks alone. `left` is left for 'murxpy finish', or for the next
    session. `unkept` says what could not be written. The folder has `stored_findings` in
    `stored_buckets` of all sessions; `late` of these buckets were opened by sessions that were
    killed, and count for this exit code.
    """

    reason: str
    snapshot: Snapshot
    exit_code: int = 0
    seeds: Mapping[str, tuple[Yield, ...]] = field(default_factory=dict)
    offered: Mapping[str, Offered] = field(default_factory=dict)
    left: Left = field(default_factory=Left)
    unkept: str = ""
    stored_findings: int = 0
    stored_buckets: int = 0
    late: int = 0


Event = (
    Started
    | RunEnded
    | RunsEnded
    | Overstayed
    | WorkerLost
    | Found
    | Reproduced
    | Bisected
    | Alike
    | Notice
    | Tick
    | Ended
)
