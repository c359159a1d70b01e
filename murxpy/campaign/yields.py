"""What came of a seed file in the hands of a fuzzer, and the weight that it has for that when seeds
are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

Key = tuple[str, str]
FIGURES = ("made", "accepted", "decided", "unknown", "timeouts")

# A decided check is worth and costs 1. In the same unit:
PRIOR = 5.0  # what is believed of a seed before its first run, on both sides of the quotient
NEW = 50.0  # what a bucket that nobody had filled is worth
RUN = 2.0  # what it costs to read the seed
UNKNOWN = 10.0  # a check that went to its limit, of a solver that does not tell what it spends
# a millisecond of a solver's limit: beside it a script costs what three are, to make, read and set
# up
SPENT = 1 / 3
TIMEOUT = 500.0  # a run that was killed: its wall time, and a new process
AGAIN = 10.0  # a finding that is not new: it ends its run
LEAST = 0.02


@dataclass
class Yield:
    """The sums of one fuzzer on one seed: runs, mutants and what came of them, findings, and
    buckets that these were the first of.

    `unreadable` are runs that could not read it, `mislabelled` those in which the solver denied its
    label: of either one is enough to draw it no more. `spent` is the solver's own count of its
    work, in milliseconds of its limit, 0 where it tells none.
    """

    source: str
    seed: str
    runs: int = 0
    made: int = 0
    accepted: int = 0
    decided: int = 0
    unknown: int = 0
    timeouts: int = 0
    findings: int = 0
    new: int = 0
    unreadable: int = 0
    mislabelled: int = 0
    spent: int = 0

    @property
    def key(self) -> Key:
        """Fuzzer and seed file."""
        return self.source, self.seed

    @property
    def unusable(self) -> bool:
        """True for one that is drawn no more."""
        return self.unreadable > 0 or self.mislabelled > 0

    @property
    def weight(self) -> float:
        """The square of what it paid by what it cost, in decided checks; 1 for a seed that was
        never used, at least LEAST.
        """
        paid = self.decided + NEW * self.new
        refused = self.made - self.accepted
        again = AGAIN * (self.findings - self.new)
        undecided = self.unknown + SPENT * self.spent if self.spent else UNKNOWN * self.unknown
        cost = (
            again + self.decided + undecided + RUN * self.runs + TIMEOUT * self.timeouts + refused
        )
        quotient = (PRIOR + paid) / (PRIOR + cost)
        # by the quotient alone, most of the time goes into what pays least
        return max(LEAST, quotient * quotient)

    def add(self, counts: Mapping[str, int], findings: int, new: int) -> None:
        """Add what a run counted, under the names of its report."""
        for figure in (*FIGURES, "spent"):
            setattr(
                self,
                figure,
                getattr(self, figure) + counts.get(f"mutator:{self.source}:{figure}", 0),
            )
        self.findings += findings
        self.new += new


@dataclass
class Begun:
    """A run that is under way, or over and not counted yet: its seed, what it works on, what it
    counted, the buckets of its findings.
    """

    seed: int
    keys: list[Key]
    counts: dict[str, int] = field(default_factory=dict)
    buckets: list[str] = field(default_factory=list)

    def row(self) -> list[Any]:
        """The run as plain data; `begun` reads it."""
        return [self.seed, self.keys, self.counts, self.buckets]


def begun(row: Iterable[Any]) -> Begun:
    """The run in a row."""
    seed, keys, counts, buckets = row
    return Begun(seed, [(source, name) for source, name in keys], dict(counts), list(buckets))


def credit(yields: dict[Key, Yield], run: Begun, paid: dict[str, None]) -> None:
    """Count a run under what it worked on; `paid` are the buckets that another run has filled."""
    new = [bucket for bucket in dict.fromkeys(run.buckets) if bucket and bucket not in paid]
    paid.update(dict.fromkeys(new))
    for key in dict.fromkeys(run.keys):  # both may be the same
        yields.setdefault(key, Yield(*key)).add(run.counts, len(run.buckets), len(new))
    for place, key in enumerate(run.keys):
        yields[key].unreadable += run.counts.get(f"unreadable:{place}", 0)
        yields[key].mislabelled += run.counts.get(f"mislabelled:{place}", 0)


def settled(yields: Iterable[Yield], state: Mapping[str, Any]) -> list[Yield]:
    """The sums with the runs that are over and not counted yet, which `state` of a `Steering` has;
    the sums given stay as they are.
    """
    found = {entry.key: replace(entry) for entry in yields}
    paid = dict.fromkeys(state.get("paid", ()))
    for _, row in sorted((int(index), row) for index, row in state.get("over", {}).items()):
        credit(found, begun(row), paid)
    return list(found.values())
