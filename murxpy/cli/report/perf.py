"""The texts with which a search for slow scripts shows its progress and its results."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from murxpy.cli.report.text import amount
from murxpy.studies.performance.campaign import SearchTotals


def status_line(told: SearchTotals) -> str:
    """The progress of a search, in one line."""
    found = amount(len(told.found), "slow script")
    doing = f"; {told.doing}" if told.doing else ""
    return (
        f"so far {told.steps:,} scripts weighed, {found}, round {told.rounds + 1} with a best margin of "
        f"{told.best / 1000:.3f} s{doing}"
    )


def found_line(entry: Mapping[str, Any]) -> str:
    """A slow script: what each solver took for it, and its operators."""
    rows = [_took(row) for row in entry["costs"]]
    since = f"; releases that show it: {entry['since']}" if entry.get("since") else ""
    kept = f" ({', '.join(entry['buckets'])})" if entry.get("buckets") else ""
    operators = " ".join(kind.removeprefix("OP_").lower() for kind in entry["operators"])
    return f"slow: {', '.join(rows)}; {operators}{since}{kept}"


def _took(row: Mapping[str, Any]) -> str:
    seconds = statistics.median(row["took-ms"]) / 1000
    if row["answer"] in ("sat", "unsat"):
        return f"{row['solver']} {row['version']} {row['answer']} in {seconds:.3f} s"
    return f"{row['solver']} {row['version']} undecided after {seconds:.1f} s"


def outcome_lines(told: SearchTotals, out: Path) -> Iterator[str]:
    """The results of a search, over all its sessions."""
    for entry in told.found:
        yield found_line(entry)
    yield (
        f"{told.steps:,} scripts weighed in {amount(told.rounds, 'finished round')}: "
        f"{amount(len(told.found), 'slow script')} ({told.new} new), {told.again} more of known operators, "
        f"{told.unconfirmed} not slow by the clock; {told.refused} refused, unknown or dead, "
        f"{told.late} ended by the clock"
    )
    if told.best > 0:
        yield (
            f"round {told.rounds + 1} is not over; its best script has a margin of {told.best / 1000:.3f} s, and "
            "the same command goes on with it"
        )
    if told.differ or told.died:
        yield (
            f"{amount(told.differ, 'script')} with opposite answers of two solvers, "
            f"{amount(told.died, 'script')} of which a solver died"
        )
    if told.differ or told.died or any(entry.get("buckets") for entry in told.found):
        yield f"in {out}: findings/ for 'murxpy findings {out}'"
    if told.found:
        loose = not all(entry.get("buckets") for entry in told.found)
        yield f"in {out}: scripts/{' (those without a bucket are no findings)' if loose else ''}"
