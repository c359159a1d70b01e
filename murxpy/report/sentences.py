"""What is wrong, in one sentence, and how bad it is."""

from __future__ import annotations

import re

from murxpy.campaign.findings.buckets import Bucket
from murxpy.campaign.findings.frames import functions, place
from murxpy.oracles.crash import DEATHS
from murxpy.oracles.disagreement import KIND as DISAGREEMENT
from murxpy.report.text import one_line

_TRIAGED = ("refutation-unsoundness", "solution-unsoundness", "wrong-model")

_WORD = re.compile(r"[a-z]+(?=[\s,:;]|$)")
_ENDS = {"SIGSEGV": "a segmentation fault", "SIGABRT": "an abort"}


def sentence(bucket: Bucket) -> str:
    """What is wrong, in one sentence for whoever mends it."""
    said = one_line(_first_line(bucket.message))
    if bucket.kind in DEATHS:
        return _death(bucket, said)
    if bucket.kind == "exception":
        return f"{_where(bucket)} raises {said}"
    if bucket.kind == DISAGREEMENT:
        verdict = str(bucket.triage.get("verdict", ""))
        words = verdict.replace("-", " ")
        known = f": {words}" if verdict in _TRIAGED and words not in said else ""
        return f"{said}{known}"
    if bucket.kind == "hang":
        return f"{_where(bucket)} does not return: {said}"
    if not _WORD.match(said):  # a name, such as z3 or mk-term, stays as it is
        return said or bucket.kind
    return said[:1].upper() + said[1:]


def _death(bucket: Bucket, said: str) -> str:
    names = place(bucket.backtrace)
    recursion = names[:1] == ("recursion",)
    inner = names[1:2] if recursion else names[:1]
    how = _ENDS.get(bucket.signal, bucket.signal)
    told = f"{_where(bucket)} ends the process{f' with {how}' if how else ''}"
    if recursion:
        told += f", an endless recursion through {_short(inner[0])}"
    elif inner and functions(bucket.backtrace):
        told += f" in {_short(inner[0])}"
    return f"{told}: {said}" if said and said != bucket.signal else told


def _where(bucket: Bucket) -> str:
    return " of ".join(filter(None, (bucket.action, bucket.operator))) or "it"


def _short(function: str) -> str:
    """A function of the solver without its parameters and the parameters of its templates."""
    name = function.split("(anonymous namespace)::")[-1]
    while (shorter := re.sub(r"<[^<>]*>", "", name)) != name:
        name = shorter
    return name.partition("(")[0].strip().rpartition(" ")[2] or function


def _first_line(message: str) -> str:
    return next((line.strip() for line in message.splitlines() if line.strip()), "")
