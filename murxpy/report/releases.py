"""The table of a solver's releases."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

from packaging.version import Version

from murxpy.releases.environments import Environment
from murxpy.report.tables import Table


def releases_table(
    known: Sequence[str], there: Sequence[Environment], usable: Collection[str]
) -> Table:
    """The releases that the package index or the cache has, the newest first. The wrapper is written
    for those in `usable`.
    """
    table = Table(("release", "wrapper", "MiB", "installed", "loads"), right=("MiB",))
    cached = {one.release: one for one in there}
    for release in sorted({*known, *cached}, key=Version, reverse=True):
        one = cached.get(release)
        fits = "yes" if release in usable else "no"
        if one is None:
            table.add(release, fits)
        else:
            made = time.strftime("%Y-%m-%d", time.localtime(one.made))
            table.add(release, fits, mebibytes(one.size), made, one.fault or "yes")
    return table


def mebibytes(size: int) -> str:
    """A size in bytes as whole mebibytes."""
    return f"{size / (1 << 20):,.0f}"
