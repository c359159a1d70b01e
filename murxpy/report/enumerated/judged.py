"""What the judges say of the scripts that the target of an enumeration decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from murxpy.enumeration.blocks import AGREED, DIFFERS, JUDGED, NOT_RUN
from murxpy.machine.alone import UNKNOWN
from murxpy.report.enumerated.guarantee import Tested
from murxpy.report.tables import Table

_SAID = (AGREED, UNKNOWN, DIFFERS, NOT_RUN)


@dataclass(frozen=True, slots=True)
class Judged:
    """The decided scripts of a grammar and a size, by what one judge says of them."""

    grammar: str
    size: int
    judge: str
    said: Mapping[str, int]

    def of(self, name: str) -> int:
        """The number of scripts of which the judge says this."""
        return self.said.get(name, 0)


def judged(counts: Mapping[str, int]) -> list[Judged]:
    """What the judges say, by the counters of a campaign; sorted by grammar, judge and size."""
    found: dict[tuple[str, str, int], dict[str, int]] = {}
    for name, n in counts.items():
        if name.startswith(JUDGED):
            grammar, size, said, judge = name.removeprefix(JUDGED).split(":", 3)
            found.setdefault((grammar, judge, int(size)), {})[said] = n
    return [
        Judged(grammar, size, judge, said)
        for (grammar, judge, size), said in sorted(found.items(), key=lambda item: item[0])
    ]


def judged_table(rows: Sequence[Judged]) -> Table:
    """A row for each grammar, judge and size."""
    numbers = ["size", "agrees", "unknown", "differs", "not asked"]
    table = Table(["grammar", "judge", *numbers], right=numbers)
    for row in rows:
        said = (f"{row.of(name):,}" for name in _SAID)
        table.add(row.grammar, row.judge, str(row.size), *said)
    return table


def judged_lines(rows: Sequence[Judged], whole: Sequence[Tested]) -> list[str]:
    """A sentence for each grammar and judge about the sizes of which all scripts were tested."""
    sizes = {(row.grammar, row.size) for row in whole}
    said = []
    for grammar, judge in dict.fromkeys((row.grammar, row.judge) for row in rows):
        own = [
            row
            for row in rows
            if (row.grammar, row.judge) == (grammar, judge) and (grammar, row.size) in sizes
        ]
        if own:
            agreed, unknown, differs, left = (sum(row.of(name) for row in own) for name in _SAID)
            said.append(
                f"{grammar}: of the decided scripts up to size {max(row.size for row in own)}, {judge} answers "
                f"{agreed:,} likewise, does not decide {unknown:,}, answers {differs:,} otherwise, "
                f"and was not asked about {left:,}"
            )
    return said
