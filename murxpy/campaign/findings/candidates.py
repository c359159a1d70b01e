"""From the end of a run to a finding that is still to be confirmed."""

from __future__ import annotations

from murxpy.campaign.finding import Finding
from murxpy.campaign.findings.keys import bucket_key
from murxpy.campaign.workers.handles import Job
from murxpy.oracles.crash import Outcome, Verdict, judge


def candidate(
    target: int,
    solver: str,
    version: str,
    job: Job,
    past: tuple[Job, ...],
    outcome: Outcome,
    verdict: Verdict | None = None,
) -> Finding | None:
    """The finding that `outcome` makes; None when nothing is wrong. Without `verdict`, the verdict
    is judged from the outcome.
    """
    verdict = verdict or judge(outcome)
    if verdict is None:
        return None
    key = bucket_key(solver, verdict)
    return Finding(target, solver, version, job, past, outcome, verdict, key)
