"""What is asked of the process beside a campaign, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass

from murxpy.campaign.finding import Reproducer

SECONDS = 60.0  # for a reduction
# Candidates of a reduction that tells which defect a bucket shows: no clock may decide that. A trace
# of 300 lines took 86 to 550 of them until it had less than 15.
REPLAYS = 600


@dataclass(frozen=True, slots=True)
class Request:
    """A finding that is to be reduced, only to be translated, or, with `releases`, to be bisected.

    `key` is that of its bucket, and `trace` the file of its trace or history. `target` is the
    number of its target, whose plan is in the file `plan`. The reduction may take `seconds` and
    `replays`; None sets no limit. A program that shows the finding gets `memory` bytes. `releases` are those that are asked in a
    bisection, oldest first. Requests with a smaller `rank` are done earlier.
    """

    key: str
    kind: str
    message: str
    trace: str
    target: int
    minimize: bool
    seconds: float | None = SECONDS
    replays: int | None = None
    plan: str = ""
    memory: int = 0
    releases: tuple[str, ...] = ()
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a request. Sizes are in lines, and `after` is 0 where nothing was reduced.
    `releases` are those that show the finding, after a bisection. `cpu` are the seconds that the
    request took of all processors.

    `error` says why there is no result.
    """

    reproducers: tuple[Reproducer, ...] = ()
    before: int = 0
    after: int = 0
    ended: str = ""
    error: str = ""
    releases: str = ""
    cpu: float = 0.0
