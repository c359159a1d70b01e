"""The output of `murxpy bisect` and `murxpy regress`."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from packaging.version import Version

from murxpy.cli.report.tables import Kind, Table, kinds
from murxpy.cli.report.text import amount
from murxpy.judging.bisection import Range
from murxpy.judging.regress import Regressed
from murxpy.processes.environments import Environment


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
    table = Table(kinds(["finding", "status", "why"]))
    for row in rows:
        table.add(row.name, row.status, row.why[:120])
    return table


def regressed_total(rows: Sequence[Regressed]) -> str:
    """The number of kept findings with each status."""
    counts = Counter(row.status for row in rows)
    return ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))


# ----------------------------------------------------------------------
# The table of a solver's releases.


def releases_table(
    known: Sequence[str], there: Sequence[Environment], usable: Collection[str]
) -> Table:
    """The releases that the package index or the cache has, the newest first. The wrapper is written
    for those in `usable`.
    """
    columns = {
        **kinds(["release", "wrapper"], ["MiB"], Kind(mebibytes)),
        **kinds(["installed", "loads"]),
    }
    table = Table(columns)
    cached = {one.release: one for one in there}
    for release in sorted({*known, *cached}, key=Version, reverse=True):
        one = cached.get(release)
        fits = "yes" if release in usable else "no"
        if one is None:
            table.add(release, fits)
        else:
            made = time.strftime("%Y-%m-%d", time.localtime(one.made))
            table.add(release, fits, one.size, made, one.fault or "yes")
    return table


def mebibytes(size: int) -> str:
    """A size in bytes as whole mebibytes."""
    return f"{size / (1 << 20):,.0f}"
