"""The requests to the process beside a campaign, and its answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from murxpy.records.finding import Reproducer

# Candidates of a reduction: no clock may decide what is found out by it. A trace of 300 lines took
# 86 to 550 of them until it had less than 15.
REPLAYS = 600
# Seconds of all processors for the candidates of a reduction, until all other findings had theirs. Most
# reductions take less than 10 s. One of an endless recursion, whose every replay fills the stack, took
# more than ten minutes, and others waited for its first 60 s.
CPU = 15.0
MORE_CPU = 165.0  # seconds with which a reduction goes on that has used up the first ones
NICE = 5  # steps, as those of the workers: '--share' bounds what is taken beside the runs
CLOSED = b"\x01"  # in the gate of a process: it is to wait
Wait = Callable[[], None]  # returns when the next step may be done


@dataclass(frozen=True, slots=True)
class Request:
    """A finding that is to be reduced, only to be translated, or, with `releases`, to be bisected.

    `key` is that of its bucket, and `trace` the file of its trace or history. `target` is the
    number of its target, whose plan is in the file `plan`. A reduction (`minimize`) ends after
    `replays` candidates, or after `cpu` seconds of all processors; a `telling` one tells which defect
    the bucket shows. A program that shows the finding gets `memory` bytes. `releases` are those that
    are asked in a bisection, oldest first. Requests with a smaller `rank` are done earlier. Without `programs`, only
    the smaller trace is wanted, and with `away` a node of a cluster may make it.
    """

    key: str
    kind: str
    message: str
    trace: str
    target: int
    minimize: bool
    replays: int = REPLAYS
    telling: bool = False
    plan: str = ""
    memory: int = 0
    releases: tuple[str, ...] = ()
    rank: int = 0
    cpu: float = CPU
    programs: bool = True
    away: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a request. Sizes are in lines, and `after` is 0 where nothing was reduced.
    `ended` says how a reduction ended, in the words of `murxpy.reduction.pipeline.Minimized`.
    `releases` are those that show the finding, after a bisection. `cpu` are the seconds of all processors that
    the process took until then, where only a smaller trace was wanted.

    `error` says why there is no result.
    """

    reproducers: tuple[Reproducer, ...] = ()
    before: int = 0
    after: int = 0
    ended: str = ""
    error: str = ""
    releases: str = ""
    cpu: float = 0.0
