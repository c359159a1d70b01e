"""What an enumeration guarantees: how many scripts of each grammar and size were tested, and what came
of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from murxpy.enumeration.blocks import COUNTED, FINDING, KILLED, TWIN
from murxpy.enumeration.grammar import Grammar
from murxpy.enumeration.simplifying import EQUAL
from murxpy.machine.alone import UNKNOWN
from murxpy.report.tables import Table

_ANSWERS = {"sat", "unsat", EQUAL}


@dataclass(frozen=True, slots=True)
class Tested:
    """The scripts of a grammar and a size: how many there are, how many are to be tested, and how
    many had which outcome.
    """

    grammar: str
    size: int
    scripts: int
    wanted: int
    came: Mapping[str, int] = field(default_factory=dict)

    @property
    def run(self) -> int:
        """The number of scripts that were tested."""
        return sum(self.came.values())

    @property
    def whole(self) -> bool:
        """Whether all scripts of this size were tested."""
        return self.run >= self.scripts

    def of(self, *names: str) -> int:
        """The number of scripts with one of these outcomes."""
        return sum(self.came.get(name, 0) for name in names)

    @property
    def decided(self) -> int:
        """The number of scripts all of whose checks were answered."""
        return sum(n for name, n in self.came.items() if set(name.split("+")) <= _ANSWERS)

    @property
    def refused(self) -> int:
        """The number of scripts that the solver did not take."""
        return self.run - self.decided - self.of(UNKNOWN, FINDING, KILLED, TWIN)


def tested(
    grammars: Sequence[Grammar], at: int, take: int, counts: Mapping[str, int]
) -> list[Tested]:
    """What was tested of `take` scripts of each grammar from index `at` on, by the counters of a
    campaign.
    """
    found: dict[tuple[str, int], dict[str, int]] = {}
    for name, n in counts.items():
        if name.startswith(COUNTED):
            grammar, size, came = name.removeprefix(COUNTED).rsplit(":", 2)
            found.setdefault((grammar, int(size)), {})[came] = n
    return [
        Tested(grammar.name, size, scripts, wanted, found.get((grammar.name, size), {}))
        for grammar in grammars
        for size, scripts, wanted in _sizes(grammar, at, take)
    ]


def _sizes(grammar: Grammar, at: int, take: int) -> Iterator[tuple[int, int, int]]:
    """The sizes with scripts among those from `at` on, each with the number of its scripts and of
    those among them.
    """
    end = at + take if grammar.number is None else min(at + take, grammar.number)
    while at < end:
        size = grammar.size_at(at)
        behind = min(end, grammar.up_to(size))
        yield size, grammar.of_size(size), behind - at
        at = behind


def guarantee_table(rows: Sequence[Tested]) -> Table:
    """A row for each grammar and size."""
    numbers = ["size", "scripts", "tested", "decided", "unknown", "refused", "findings", "killed"]
    twins = [TWIN] if any(row.of(TWIN) for row in rows) else []
    table = Table(["grammar", *numbers, *(f"{name}s" for name in twins)], right=numbers)
    for row in rows:
        cells = [
            row.size,
            row.scripts,
            row.run - row.of(TWIN),
            row.decided,
            row.of(UNKNOWN),
            row.refused,
            row.of(FINDING),
            row.of(KILLED),
            *map(row.of, twins),
        ]
        table.add(row.grammar, *map(number_text, cells))
    return table


def number_text(number: int) -> str:
    """A number in full, or as a power of ten where nobody reads its digits."""
    digits = str(number)
    return f"{number:,}" if len(digits) <= 15 else f"{digits[0]}.{digits[1:3]}e{len(digits) - 1}"


def whole_sizes(rows: Sequence[Tested]) -> list[Tested]:
    """The rows of each grammar from its first size on, up to the last of which all scripts were
    tested.
    """
    found = []
    for name in dict.fromkeys(row.grammar for row in rows):
        own = [row for row in rows if row.grammar == name]
        found += [row for row in own[: _first_part(own)] if row.scripts]
    return found


def guarantee(rows: Sequence[Tested], solver: str) -> list[str]:
    """A sentence for each grammar: up to which size all its scripts were tested."""
    said = []
    for name in dict.fromkeys(row.grammar for row in rows):
        own = [row for row in rows if row.grammar == name]
        whole = whole_sizes(own)
        if not whole:
            run, wanted = sum(row.run for row in own), sum(row.wanted for row in own)
            said.append(f"{name}: {run:,} of {wanted:,} scripts were tested, not all of any size")
            continue
        scripts, decided = sum(r.scripts for r in whole), sum(r.decided for r in whole)
        wrong = sum(row.of(FINDING, KILLED) for row in whole)
        twins = sum(row.of(TWIN) for row in whole)
        other = scripts - decided - wrong - twins
        but = f" but {twins:,} that are twins of others" if twins else ""
        said.append(
            f"{name}: all {scripts:,} scripts up to size {whole[-1].size}{but} were tested on {solver}: "
            f"{decided:,} were decided without a finding, {other:,} were not decided, "
            f"{wrong:,} {'ends' if wrong == 1 else 'end'} in a finding or were killed"
        )
    return said


def _first_part(rows: Sequence[Tested]) -> int:
    """The number of rows, from the first size on, that are whole."""
    for place, row in enumerate(rows):
        if not row.whole:
            return place
    return len(rows)
