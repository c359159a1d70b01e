"""Findings on their way: from the end of a run to a bucket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from murxpy.campaign.events import Finding
from murxpy.campaign.findings.buckets import bucket_key
from murxpy.campaign.snapshot import Tier
from murxpy.campaign.workers.handles import Job
from murxpy.oracles.crash import Outcome, Verdict, judge, python_frames, severity
from murxpy.trace.finished import options


@dataclass(frozen=True, slots=True)
class Candidate:
    """A misbehaviour in a run of target number `target`, not yet confirmed. `past`: what ran before
    it there.

    `judge`: the number of the plan whose solver wrote the trace, where that is not the target but a
    judge, which is wrong.
    """

    target: int
    family: str
    version: str
    job: Job
    past: tuple[Job, ...]
    outcome: Outcome
    verdict: Verdict
    key: str
    judge: int | None = None

    @property
    def label(self) -> str:
        """What the name of its trace ends in: the number of the plan whose solver wrote it, nothing
        for the first target.
        """
        number = self.target if self.judge is None else self.judge
        return f"-{number}" if number else ""


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether a candidate showed again: by its trace alone, by its run's seed alone (`by_seed`), or
    after the runs of `history` in one process.

    `instead`: what a replay showed of the run of a candidate that came from outside: a process that
    somebody killed.
    """

    confirmed: bool
    history: tuple[Job, ...] = ()
    by_seed: bool = False
    note: str = ""
    instead: Candidate | None = None

    @property
    def by_trace(self) -> bool:
        """Whether the trace alone shows the finding again."""
        return self.confirmed and not self.history and not self.by_seed


def candidate(
    target: int,
    family: str,
    version: str,
    job: Job,
    past: tuple[Job, ...],
    outcome: Outcome,
    verdict: Verdict | None = None,
) -> Candidate | None:
    """The candidate that `outcome` makes; None when nothing is wrong. `verdict` is judged from it
    if not given.
    """
    verdict = verdict or judge(outcome)
    if verdict is None:
        return None
    return Candidate(
        target, family, version, job, past, outcome, verdict, bucket_key(family, verdict)
    )


def finding(found: Candidate, proof: Proof) -> Finding:
    """`found` as the reporters get it."""
    verdict, trace = found.verdict, found.outcome.trace
    return Finding(
        kind=verdict.kind,
        tier=cast(Tier, verdict.tier),
        severity=severity(verdict.kind),
        solver=found.family,
        version=found.version,
        options=options(trace),
        seed=found.job.seed,
        action=verdict.call.action,
        operator=verdict.call.operator,
        spelling=verdict.call.spelling,
        message=verdict.message,
        signal=verdict.signal,
        stderr=found.outcome.output,
        backtrace=python_frames(found.outcome.output),
        trace=trace,
        history=tuple(job.seed for job in proof.history),
        confirmed=proof.confirmed,
        bucket=found.key,
        lines=trace.count("\n"),
    )


def version_of(about: Mapping[str, Any]) -> str:
    """The solver's version in a session's description."""
    return str(about.get("version", ""))
