"""The part of a campaign's processor time that is not spent on its runs, their replays and its judges."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from murxpy.cluster.service import Link
from murxpy.processes.limits import Limits
from murxpy.processes.targets import Plan


class Budget:
    """Gives a `share`, from 0 to 1, of the time of all processors that the campaign takes. The clock
    decides only when something is done, and never whether: what began waits while the share is
    spent, and what is left is done after the last run, when the budget is `unbounded`, or in a later
    session.
    """

    def __init__(self, share: float) -> None:
        self.share = share
        self._spent = 0.0  # seconds from this budget
        self.total = 0.0  # seconds that the campaign took until now
        self.unbounded = False

    def passed(self, spent: float, total: float) -> None:
        """Note that the campaign took `total` seconds until now, `spent` of them from this budget."""
        self._spent, self.total = spent, total

    @property
    def open(self) -> bool:
        """Whether something may begin or go on now."""
        return self.unbounded or self._spent < self.share * self.total

    def affords(self, seconds: float) -> bool:
        """Whether something that takes so many seconds may begin now."""
        return self.unbounded or self._spent + seconds <= self.share * self.total


# ----------------------------------------------------------------------
# The time of all processors that the parts of a campaign took.


def own_cpu() -> float:
    """The seconds of this process."""
    return _seconds(resource.RUSAGE_SELF)


def reaped_cpu() -> float:
    """The seconds of all children of this process that have ended and were waited for, with what
    these have waited for.
    """
    return _seconds(resource.RUSAGE_CHILDREN)


def tree_cpu(pid: int) -> float:
    """The seconds of process `pid`, of all children that it has waited for, and of all processes that
    live below it; 0 where it is gone.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        with open(f"/proc/{pid}/task/{pid}/children", "rb") as file:
            below = file.read().split()
    except OSError:
        return 0.0
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(tree_cpu(int(child)) for child in below)


def cpu_counts(seconds: Mapping[str, float]) -> dict[str, int]:
    """Counters of a campaign that say how long its parts took."""
    return {f"cpu-ns:{name}": int(1e9 * value) for name, value in seconds.items()}


def _seconds(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


# ----------------------------------------------------------------------
# The configuration of a campaign.


# The time that a campaign may take beyond its limit: this part of the limit, and at least so many
# seconds.
OVERTIME, LEAST_OVERTIME = 0.1, 15.0

# Seconds of the overtime that are kept for ending the processes and for the summary. On two cores
# with eight busy processes that took 3 s.
_CLOSING = 6.0


def overtime(seconds: float) -> float:
    """The number of seconds that a campaign may take beyond its limit of time."""
    return max(LEAST_OVERTIME, OVERTIME * seconds)


def deadline(since: float, seconds: float) -> float:
    """When a campaign with a limit of so many seconds, which began at `since`, must have done all but
    ending its processes and its summary. Both moments are those of `time.monotonic`.
    """
    return since + seconds + overtime(seconds) - _CLOSING


@dataclass(frozen=True, slots=True)
class CampaignConfig:
    """The user's request for a campaign.

    `judges` are solvers that answer the decided checks of the `targets` again, for `judged` of all
    runs, from 0 to 1. The campaign writes to the folder `out`. If `seed` is None, the campaign takes the seed that is stored in `out`, or
    draws a new one. `jobs` is the number of worker processes. The campaign ends after `time`
    seconds, after `runs` runs for each target in this session, or with the first finding that makes
    the exit code 1 (`first`); None means no limit.

    Buckets whose keys match a pattern of `known` are known to the user already, and so are defects
    with a mark in `known_marks`, which maps marks to buckets of other campaigns. Findings of the
    kinds in `fail_on` make the exit code 1 although they would not by default. `machine` and
    `arguments` are only recorded. With `damp`, walks draw the fatal calls of the buckets less often.
    With `backtrace`, gdb is asked for native frames where it is installed. With `minimize`, findings
    are made smaller while the campaign runs, and with `bisect` the releases that show them are found.
    Both, programs and gdb take `share` of the workers' time, from 0 to 1. There are `tick` seconds
    between two `Tick` events. With `compare`, the one judge is a newer release of the one target's
    solver: it replays the runs, and only faults that it shows and the target does not count as
    findings. `baselines` are older releases of the one target's solver, or other solvers, which may
    be judges: a check that one of them decides and on which the target gives up is a finding, too.

    The limit `time` starts at the moment `since` of `time.monotonic`, by default at the beginning of
    the campaign; the runs get all of `time`, unless the start took very long. After it, the campaign
    goes on for at most `overtime(time)` seconds to confirm and describe what was found; with `finish`
    until nothing is left. With `resume`, there are no new runs: only what earlier sessions left is
    done. The formula of each run that ended by itself is written to the folder `scripts` if
    there is one; with `scripts_decided` only the formulas of runs with a decided check are written.
    What judges answer to scripts is kept in the file `answers`, if there is one.

    With `cluster`, runs and replays are done by the nodes that it gives, each with `jobs` processes, and
    this machine only supervises them. `lag` is the greatest number of runs between a run and the last
    one that it is chosen by; None stands for the number that is stored in `out`, or for the usual one.
    `shard` (3, 16) makes the third of each sixteen runs.
    """

    targets: tuple[Plan, ...]
    out: Path
    seed: int | None = None
    jobs: int = 1
    time: float | None = None
    runs: int | None = None
    first: bool = False
    limits: Limits = field(default_factory=Limits)
    known: tuple[str, ...] = ()
    known_marks: Mapping[str, str] = field(default_factory=dict)
    fail_on: tuple[str, ...] = ()
    machine: str = "default"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    damp: bool = True
    backtrace: bool = True
    minimize: bool = False
    tick: float = 0.5
    judges: tuple[Plan, ...] = ()
    judged: float = 1.0
    bisect: bool = False
    share: float = 0.05
    compare: bool = False
    baselines: tuple[Plan, ...] = ()
    since: float | None = None
    finish: bool = False
    resume: bool = False
    scripts: Path | None = None
    scripts_decided: bool = False
    answers: Path | None = None
    cluster: Callable[[], Link] | None = None
    lag: int | None = None
    shard: tuple[int, int] | None = None

    @property
    def slots(self) -> int:
        """The number of processes that make runs at a time: as many as there are jobs, and one for
        each target.
        """
        return max(self.jobs, len(self.targets))

    @property
    def others(self) -> tuple[Plan, ...]:
        """The plans whose solvers look at the runs of the targets."""
        judges = [plan.target.name for plan in self.judges]
        return (*self.judges, *[b for b in self.baselines if b.target.name not in judges])
