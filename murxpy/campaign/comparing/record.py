"""A regression as a finding of the campaign: its bucket, its message, its trace, and what the bucket
stores of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b

from murxpy.campaign.comparing.regressions import Pair, Regression, Shown
from murxpy.campaign.finding import Finding
from murxpy.campaign.findings.buckets import Bucket
from murxpy.campaign.findings.keys import bucket_key, normalise
from murxpy.campaign.workers.handles import Job
from murxpy.oracles.crash import Outcome, Verdict
from murxpy.oracles.regression import COSTS, SHOWS, SLOWER, VANISHED, first_line, tier_of
from murxpy.trace.finished import add_header, without_header

_NAMED = 6  # operators that a message names


def regression_key(pair: Pair, shown: Shown) -> str:
    """The key of the bucket, where that is known before the trace is small: of a finding of the
    newer release, and of a call that vanished. Otherwise empty.
    """
    if shown.newer.verdict is not None:
        return f"{shown.kind}-{bucket_key(pair.family, shown.newer.verdict)}"
    if shown.kind == VANISHED:
        call = shown.call
        words = [shown.kind, pair.family, call.action, call.operator, call.spelling]
        return _key(words, (*words, normalise(shown.newer.message)))
    return ""


def regression_finding(
    pair: Pair, solved: Regression, job: Job, version: str, buckets: Sequence[Bucket]
) -> Finding:
    """The finding that a regression is. It is one of the newer release, whose `version` is given."""
    shown = solved.shown
    record = _stored(pair, solved)
    verdict = Verdict(
        solved.kind,
        tier_of(solved.kind, shown.newer),
        _message(pair, solved),
        shown.newer.verdict.signal if shown.newer.verdict else "",
        shown.call,
    )
    return Finding(
        pair.older,
        pair.family,
        version,
        job,
        (),
        Outcome("report", None, told(pair, shown, solved.kind), shown.output),
        verdict,
        regression_key(pair, shown) or _bucket(pair, solved, record, buckets),
        "triaged",
        triage=record,
        judge=pair.newer,
    )


def _stored(pair: Pair, solved: Regression) -> dict[str, object]:
    """What the bucket stores of a regression, as plain data."""
    shown = solved.shown
    record: dict[str, object] = {
        "comparison": solved.kind,
        **said(pair, shown),
        "costs": [shown.older.total, shown.newer.total],
        "operators": list(solved.operators),
        "options": list(solved.options),
        "reason": normalise(shown.newer.reason),
        "whole": solved.before,
    }
    if solved.triage is not None:
        record["evidence"] = list(solved.triage.evidence)
    return record


def said(pair: Pair, shown: Shown) -> dict[str, str]:
    """What each of the two releases showed, in words."""
    return {
        "older": f"{pair.release(pair.older)}: {shown.older.words()}",
        "newer": f"{pair.release(pair.newer)}: {shown.newer.words()}",
    }


def told(pair: Pair, shown: Shown, kind: str) -> str:
    """The trace of a regression; its header tells what the two releases showed."""
    rows = "".join(f"# {name} {text}\n" for name, text in said(pair, shown).items())
    if kind == SLOWER:
        rows += f"# {COSTS} {shown.older.total} {shown.newer.total}\n"
    text = without_header(shown.text, SHOWS, COSTS, "older", "newer")
    return add_header(text, f"# {SHOWS} {kind}\n{rows}")


def _message(pair: Pair, solved: Regression) -> str:
    """The regression in one line: what the newer release shows, then what the older one does."""
    shown = solved.shown
    older = f"{pair.release(pair.older)}: {shown.older.words()}"
    if shown.newer.verdict is not None:
        return f"{first_line(shown.newer.verdict.message)}; {older}"
    if solved.kind == VANISHED:
        call = " ".join(filter(None, (shown.call.action, shown.call.operator)))
        return f"{call}: {shown.newer.message}; {older}"
    said = f"{older}; {pair.release(pair.newer)}: {shown.newer.words()}"
    if shown.older.total and shown.newer.total and solved.kind == SLOWER:
        said += f", {shown.newer.total / shown.older.total:,.0f} times as much"
    names = [kind.removeprefix("OP_") for kind in solved.operators]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{said} ({', '.join(names[:_NAMED])}{more})" if names else said


def _bucket(
    pair: Pair, solved: Regression, record: dict[str, object], buckets: Sequence[Bucket]
) -> str:
    """The bucket of a regression of answers or of effort. Two are one defect when their kind and the
    reason are the same, and the operators and options of one are among those of the other: the
    larger trace has some more only because its reduction stopped early.
    """
    mine = {*solved.operators, *solved.options}
    for bucket in buckets:
        kept = bucket.triage
        theirs = {*kept.get("operators", ()), *kept.get("options", ())}
        alike = (bucket.kind, kept.get("reason")) == (solved.kind, record["reason"])
        if alike and theirs and theirs <= mine:
            return bucket.key
    words = [solved.kind, pair.family, *sorted(mine)]
    return _key(words, (*words, str(record["reason"])))


def _key(words: Sequence[str], facts: Sequence[str]) -> str:
    text = "-".join(filter(None, words)).lower().replace("op_", "")
    slug = re.sub(r"[^a-z0-9]+", "-", text).strip("-")[:80].rstrip("-")
    return f"{slug}-{blake2b(repr(tuple(facts)).encode(), digest_size=4).hexdigest()}"
