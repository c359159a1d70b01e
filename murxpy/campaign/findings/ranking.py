"""How bad a bucket is."""

from __future__ import annotations

from murxpy.campaign.findings.buckets import Bucket
from murxpy.machine.witnesses.slowness import KIND as SLOW
from murxpy.oracles.disagreement import KIND as DISAGREEMENT

# The worst first: a wrong answer, what makes an answer wrong to use, and then what ends the work.
_ORDER = (
    *("refutation-unsoundness", "solution-unsoundness", DISAGREEMENT, "invalid-model"),
    *("model-value", "repeated-model", "invalid-core", "invalid-assumptions", "invalid-proof"),
    *("invalid-interpolant", "invalid-abduct", "invalid-elimination", "invalid-substitute"),
    *("invalid-simplify", "invalid-value", "invariant", "asan", "crash", "abort", "exit", "ubsan"),
    *("exception", "flood", "contract", "out-of-memory", "hang", "ill-formed", "internal"),
    *("incompleteness", SLOW),
)
_UNKNOWN = _ORDER.index("invariant")  # other kinds are about answers, too
_OF_ANSWER = {"wrong-unsat": "refutation-unsoundness", "wrong-sat": "solution-unsoundness"}


def worst_first(bucket: Bucket) -> int:
    """A key to sort by: 0 for the worst."""
    named = str(bucket.triage.get("verdict", "")) if bucket.kind == DISAGREEMENT else ""
    named = "invalid-model" if named == "wrong-model" else named
    return rank_of(named if named in _ORDER else bucket.kind)


def rank_of(kind: str) -> int:
    """How bad findings of a kind are: 0 for the worst."""
    kind = _OF_ANSWER.get(kind, kind)
    return _ORDER.index(kind) if kind in _ORDER else _UNKNOWN
