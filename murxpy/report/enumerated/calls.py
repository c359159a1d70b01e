"""What came of all sequences of calls, as a table and as sentences."""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.enumeration.blocks import FINDING, KILLED
from murxpy.enumeration.calls import NO_CHECK, NOT_ALLOWED
from murxpy.machine.alone import UNKNOWN
from murxpy.report.enumerated.guarantee import Tested, number_text, whole_sizes
from murxpy.report.tables import Table


def _parts(row: Tested) -> list[int]:
    """The sequences of a row that ran to their end, up to a call that is not allowed, up to a call that
    the release does not have, with an unknown answer, with a finding, and killed.
    """
    ended = row.decided + row.of(NO_CHECK)
    refused = row.run - ended - row.of(NOT_ALLOWED, UNKNOWN, FINDING, KILLED)
    others = [row.of(NOT_ALLOWED), refused, row.of(UNKNOWN), row.of(FINDING), row.of(KILLED)]
    return [ended, *others]


def calls_table(rows: Sequence[Tested]) -> Table:
    """A row for each number of calls."""
    parts = ["to the end", "not allowed", "refused", "unknown", "findings", "killed"]
    numbers = ["calls", "sequences", "made", *parts]
    table = Table(["pool", *numbers], right=numbers)
    for row in rows:
        cells = [row.size - 1, row.scripts, row.run, *_parts(row)]
        table.add(row.grammar, *map(number_text, cells))
    return table


def calls_guarantee(rows: Sequence[Tested], solver: str) -> list[str]:
    """A sentence: up to which number of calls all sequences were made, and what came of them."""
    whole = whole_sizes(rows)
    if not whole:
        return ["not all sequences of any number of calls were made"]
    ended, barred, refused, unknown, found, killed = map(sum, zip(*map(_parts, whole), strict=True))
    return [
        f"{whole[0].grammar}: all {sum(row.scripts for row in whole):,} sequences of up to {whole[-1].size - 1} calls were "
        f"made on {solver}: {ended:,} to their end, {barred:,} up to a call that the answer before does not allow, "
        f"{refused:,} up to a call that {solver} does not have, {unknown:,} with an unknown answer, "
        f"{found + killed:,} with a finding or killed"
    ]
