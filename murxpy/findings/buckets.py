"""Bucket keys: which findings are the same defect."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal

from murxpy.findings.kinds.answers import UNSOUND
from murxpy.findings.kinds.registry import kind_of
from murxpy.oracles.crash import Outcome, Tier, Verdict, judge
from murxpy.oracles.documented import TIER as DOCUMENTED
from murxpy.processes.handles import Job
from murxpy.records.finding import Finding, Reproducer
from murxpy.semantics.refuting import NAME


def bucket_key(solver: str, verdict: Verdict) -> str:
    """The bucket of a finding in `solver`: words to read, and a hash of everything that decides."""
    message, where = kind_of(verdict.kind).parts(verdict)
    parts = (verdict.kind, solver, verdict.signal, message, *where)
    words = [verdict.kind, verdict.signal, verdict.against, solver, *where]
    slug = re.sub(r"[^a-z0-9]+", "-", "-".join(filter(None, words)).lower()).strip("-")[:80]
    return f"{slug}-{blake2b(repr(parts).encode('utf-8', 'replace'), digest_size=4).hexdigest()}"


# ----------------------------------------------------------------------
# From the end of a run to a finding that is still to be confirmed.


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


# ----------------------------------------------------------------------
# Buckets: what a campaign keeps of the findings of one defect; and the user's list of known
# bugs.


State = Literal["pending", "confirmed", "unconfirmed", "known"]

KEPT = 3  # traces that a bucket keeps
TRIALS = 6  # findings of a bucket that are replayed at most to confirm them


@dataclass(slots=True)
class Kept:
    """A trace that a bucket keeps. `file` is its path under the output folder, `size` its characters.
    `confirmed` says whether the trace alone shows the finding, and is None until it was replayed.
    """

    file: str
    seed: int
    lines: int
    size: int
    confirmed: bool | None = None


@dataclass(slots=True)
class Bucket:
    """One defect: all findings with the same key. Kind, tier, message and call are those of the first
    finding. `first` and `last` are the times of the first and the last finding, in seconds since the
    epoch; `tried` is how many findings were replayed to confirm them. `told` says that an event
    called the bucket new; one event does so for each bucket.
    """

    key: str
    kind: str
    tier: Tier
    severity: str
    solver: str
    signal: str
    message: str
    action: str
    operator: str
    spelling: str
    state: State
    first: float
    last: float
    count: int = 0
    tried: int = 0
    backtrace: str = ""
    traces: list[Kept] = field(default_factory=list)
    # of a disagreement or an invalid model: which solver is wrong, by which evidence
    triage: dict[str, Any] = field(default_factory=dict)
    against: str = ""  # of a slow script: what its cost is measured against; of incompleteness: parent or baseline
    reproducers: tuple[Reproducer, ...] = ()
    told: bool = False

    @property
    def known(self) -> bool:
        """Whether the user lists the defect as known."""
        return self.state == "known"

    @property
    def plain_message(self) -> str:
        """The message of the smallest form that shows the defect; it has only the values that matter."""
        smaller = (form.message for form in self.reproducers if form.reproduces and form.message)
        return next(smaller, self.message)

    def smallest(self) -> Kept | None:
        """The trace to show: the smallest that alone shows the defect, else the smallest of all."""
        return min(self.traces, key=lambda kept: (not kept.confirmed, kept.size), default=None)


def new_bucket(key: str, solver: str, verdict: Verdict, *, known: bool, now: float) -> Bucket:
    """The bucket that a first finding opens."""
    call = verdict.call
    return Bucket(
        key,
        verdict.kind,
        verdict.tier,
        kind_of(verdict.kind).severity,
        solver,
        verdict.signal,
        verdict.message,
        call.action,
        call.operator,
        call.spelling,
        "known" if known else "pending",
        now,
        now,
        against=verdict.against,
    )


def say(bucket: Bucket, verdict: Verdict) -> None:
    """Have the bucket say of its defect what `verdict` says."""
    call = verdict.call
    bucket.kind, bucket.tier, bucket.severity = (
        verdict.kind,
        verdict.tier,
        kind_of(verdict.kind).severity,
    )
    bucket.signal, bucket.message, bucket.against = verdict.signal, verdict.message, verdict.against
    bucket.action, bucket.operator, bucket.spelling = call.action, call.operator, call.spelling


def failing(bucket: Bucket, fail_on: Sequence[str] = ()) -> bool:
    """Whether `bucket` makes the exit code 1: it is confirmed, not known, no fault of murxpy, needs
    nothing that the solver documents as experimental, and its kind counts.
    """
    return bucket.state == "confirmed" and fails_when_confirmed(bucket, fail_on)


def fails_when_confirmed(bucket: Bucket, fail_on: Sequence[str] = ()) -> bool:
    """Whether `bucket`, which the user does not know, makes the exit code 1 once it is confirmed."""
    fails = kind_of(bucket.kind).fails and bucket.tier != "murxpy"
    counts = bucket.kind in fail_on or fails
    return counts and bucket.tier != DOCUMENTED


class Known:
    """The user's list of known bugs: bucket keys, or patterns of them with `*` and `?`."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._patterns = tuple(patterns)

    def __contains__(self, key: str) -> bool:
        return any(fnmatch.fnmatchcase(key, pattern) for pattern in self._patterns)


def worst_first(bucket: Bucket) -> int:
    """A key to sort by: 0 for the worst. A wrong model of what has no model is a wrong answer."""
    rank = kind_of(bucket.kind).rank_with(bucket.triage)
    return min(rank, UNSOUND) if is_unsound(bucket) else rank


def is_unsound(bucket: Bucket) -> bool:
    """Whether the answer sat is wrong, and not only a model: by the smallest form of the finding, or by
    its triage.
    """
    told = str(bucket.triage.get("verdict", "")).replace("-", " ")
    return NAME in (told, bucket.plain_message[: len(NAME)])
