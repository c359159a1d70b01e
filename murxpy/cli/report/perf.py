"""The texts with which a search for slow scripts shows its progress and its results."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from murxpy.cli.report.text import amount
from murxpy.studies.performance.campaign import SearchTotals


def status_line(totals: SearchTotals) -> str:
    """The progress of a search, in one line."""
    found = amount(len(totals.found), "slow script")
    doing = f"; {totals.doing}" if totals.doing else ""
    return (
        f"so far {totals.steps:,} scripts weighed, {found}, round {totals.rounds + 1} with a best margin of "
        f"{totals.best / 1000:.3f} s{doing}"
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


def outcome_lines(totals: SearchTotals, out: Path) -> Iterator[str]:
    """The results of a search, over all its sessions."""
    for entry in totals.found:
        yield found_line(entry)
    yield (
        f"{totals.steps:,} scripts weighed in {amount(totals.rounds, 'finished round')}: "
        f"{amount(len(totals.found), 'slow script')} ({totals.new} new), {totals.again} more of known operators, "
        f"{totals.unconfirmed} not slow by the clock; {totals.refused} refused, unknown or dead, "
        f"{totals.late} ended by the clock"
    )
    if totals.best > 0:
        yield (
            f"round {totals.rounds + 1} is not over; its best script has a margin of {totals.best / 1000:.3f} s, and "
            "the same command goes on with it"
        )
    if totals.differ or totals.died:
        yield (
            f"{amount(totals.differ, 'script')} with opposite answers of two solvers, "
            f"{amount(totals.died, 'script')} of which a solver died"
        )
    if totals.differ or totals.died or any(entry.get("buckets") for entry in totals.found):
        yield f"in {out}: findings/ for 'murxpy findings {out}'"
    if totals.found:
        loose = not all(entry.get("buckets") for entry in totals.found)
        yield f"in {out}: scripts/{' (those without a bucket are no findings)' if loose else ''}"
