"""The output of `murxpy bisect` and `murxpy regress`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from murxpy.campaign.ranges.bisection import Range
from murxpy.campaign.ranges.regress import Regressed
from murxpy.report.tables import Table
from murxpy.report.text import amount


def range_lines(found: Range, solver: str, replays: int) -> Iterator[str]:
    """The lines of a range: the releases that show the defect, the releases at each boundary, and
    those that could not be tested.
    """
    first, last = found.releases[0], found.releases[-1]
    yield (
        f"{solver}: shows in {found.words()} "
        f"({amount(len(found.releases), 'release')} from {first} to {last}, {amount(replays, 'replay')})"
    )
    for span in found.spans:
        if span.before:
            yield f"  since {span.first}: {span.before} does not show it"
        if span.after:
            yield f"  until {span.last}: {span.after} does not show it"
    for release in found.untestable:
        yield f"  untestable {release}: {found.asked[release].why}"


def regressed_table(rows: Sequence[Regressed]) -> Table:
    """The kept findings, each with its status."""
    table = Table(("finding", "status", "why"))
    for row in rows:
        table.add(row.name, row.status, row.why[:120])
    return table


def regressed_total(rows: Sequence[Regressed]) -> str:
    """How many kept findings have each status."""
    counts = Counter(row.status for row in rows)
    return ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
