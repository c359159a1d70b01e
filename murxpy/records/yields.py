"""The yield of a seed file in the hands of one fuzzer, and the weight that follows from it when
seed files are drawn.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from murxpy.learning.arms import GROUP, OPTION, TRANSITION
from murxpy.learning.bandit import chance
from murxpy.learning.guide import Result
from murxpy.sources.mutation.registry import FUZZERS

Key = tuple[str, str]
_FEW = 5  # scripts that say nothing yet of a fuzzer
FIGURES = ("made", "accepted", "decided", "unknown", "timeouts")

# The unit of the following constants is one decided check, which is worth 1 and costs 1.
PRIOR = 5.0  # added to worth and to cost, so that a seed file begins with the quotient 1
NEW = 50.0  # the worth of a finding that opens a bucket
NEWS = 2.0  # the worth of a pair of signals that no earlier run gave, in a campaign with guidance
RUN = 2.0  # the cost of reading the seed file
UNKNOWN = 10.0  # the cost of a check at its limit, of a solver whose count is unknown
# The cost of a millisecond of a solver's limit. To make, read and set up a script costs as much as
# three milliseconds.
SPENT = 1 / 3
TIMEOUT = 500.0  # the cost of a run that was killed: its wall time, and a new process
AGAIN = 10.0  # the cost of a finding that is not new, since it ends its run
LEAST = 0.02


@dataclass
class Yield:
    """The sums of one fuzzer on one seed file: runs, mutants and their results, findings, and the
    buckets that these findings opened.

    `unreadable` counts the runs that could not read the seed file, `mislabelled` the runs in which
    the solver denied its label. One of either is enough for the seed file not to be drawn any more.
    `news` are the pairs of signals that no earlier run gave, in a campaign with guidance. `spent` is
    the solver's own count of its work, in milliseconds of its limit; 0 where the solver
    does not tell.
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
    news: int = 0

    @property
    def key(self) -> Key:
        """The fuzzer and the seed file."""
        return self.source, self.seed

    @property
    def unusable(self) -> bool:
        """Whether the seed file is not to be drawn any more."""
        return self.unreadable > 0 or self.mislabelled > 0

    @property
    def weight(self) -> float:
        """The square of worth by cost, both in decided checks, and at least LEAST. The weight is 1
        for a seed file that was never used.
        """
        paid = self.decided + NEW * self.new + NEWS * self.news
        refused = self.made - self.accepted
        again = AGAIN * (self.findings - self.new)
        undecided = self.unknown + SPENT * self.spent if self.spent else UNKNOWN * self.unknown
        cost = (
            again + self.decided + undecided + RUN * self.runs + TIMEOUT * self.timeouts + refused
        )
        quotient = (PRIOR + paid) / (PRIOR + cost)
        # Without the square, most of the time goes into the seed files that pay least.
        return max(LEAST, quotient * quotient)

    def add(self, counts: Mapping[str, int], findings: int, new: int) -> None:
        """Add the counters of a run, under the names of its report."""
        for figure in (*FIGURES, "spent", "news"):
            setattr(
                self,
                figure,
                getattr(self, figure) + counts.get(f"mutator:{self.source}:{figure}", 0),
            )
        self.findings += findings
        self.new += new


@dataclass
class Begun:
    """A run that is under way, or over and not counted yet: its seed, the seed files that it works
    on, its counters, and the buckets of its findings.
    """

    seed: int
    keys: list[Key]
    counts: dict[str, int] = field(default_factory=dict)
    buckets: list[str] = field(default_factory=list)

    def row(self) -> list[Any]:
        """The run as plain data, which `begun` reads."""
        return [self.seed, self.keys, self.counts, self.buckets]


def begun(row: Iterable[Any]) -> Begun:
    """The run that `row` described."""
    seed, keys, counts, buckets = row
    return Begun(seed, [(source, name) for source, name in keys], dict(counts), list(buckets))


def credit(yields: dict[Key, Yield], run: Begun, paid: dict[str, None]) -> int:
    """Count a run under the seed files that it worked on. `paid` are the buckets that other runs
    have opened already. Returns the number of buckets that the run opened.
    """
    new = [bucket for bucket in dict.fromkeys(run.buckets) if bucket and bucket not in paid]
    paid.update(dict.fromkeys(new))
    for key in dict.fromkeys(run.keys):  # a run may work on one seed file in two places
        yields.setdefault(key, Yield(*key)).add(run.counts, len(run.buckets), len(new))
    for place, key in enumerate(run.keys):
        yields[key].unreadable += run.counts.get(f"unreadable:{place}", 0)
        yields[key].mislabelled += run.counts.get(f"mislabelled:{place}", 0)
    return len(new)


Offered = Mapping[str, Mapping[str, int]]
"""For each fuzzer, the number of seed files that can be used, under the empty name, and those of the others, each under a reason."""


@dataclass(frozen=True, slots=True)
class SeedCounts:
    """The numbers of seed files of one fuzzer. `gave` mutants and `gave_none` were drawn, `waiting` was
    not, and `unusable` has the numbers of those that cannot be used, by reason.
    """

    fuzzer: str
    gave: int
    gave_none: int
    waiting: int
    unusable: Mapping[str, int]


def seed_counts(yields: Iterable[Yield], offered: Offered) -> list[SeedCounts]:
    """Count the seed files of each fuzzer of a target, by what came of them."""
    drawn = [entry for entry in yields if entry.runs]
    found = []
    for fuzzer, counts in offered.items():
        own = [entry for entry in drawn if entry.source == fuzzer]
        unusable = Counter({reason: number for reason, number in counts.items() if reason})
        unusable["it cannot be read"] += sum(entry.unreadable > 0 for entry in own)
        unusable["the solver denies its label"] += sum(entry.mislabelled > 0 for entry in own)
        used = [entry for entry in own if not entry.unusable]
        gave = sum(entry.made > 0 for entry in used)
        waiting = max(0, counts.get("", 0) - len(own))
        found.append(SeedCounts(fuzzer, gave, len(used) - gave, waiting, +unusable))
    return found


def settled(yields: Iterable[Yield], state: Mapping[str, Any]) -> list[Yield]:
    """Copies of the sums, with the runs that are over and not counted yet; a `Steering` lists these
    runs in its `state`.
    """
    found = {entry.key: replace(entry) for entry in yields}
    paid = dict.fromkeys(state.get("paid", ()))
    for _, row in sorted((int(index), row) for index, row in state.get("over", {}).items()):
        credit(found, begun(row), paid)
    return list(found.values())


def fruitless(counts: Mapping[str, int]) -> Iterator[str]:
    """A sentence for each mutation fuzzer that made nothing worth while, by the counters of a campaign,
    so that a user does not wait for findings that cannot come.
    """
    for name, entry in FUZZERS.items():
        made, decided = (counts.get(f"mutator:{name}:{word}", 0) for word in ("made", "decided"))
        if made < _FEW:
            continue
        if not decided:
            yield (
                f"{name}: none of {made:,} scripts was decided, so nothing could be found about answers; "
                "--check-limit gives checks more time"
            )
        elif entry.implies and not counts.get(f"mutator:{name}:ruled"):
            yield f"{name}: no rule could be used on these seeds; 'murxpy rules' shows the rules"


# ----------------------------------------------------------------------
# The yield of each arm, and the store's tables for it: one row an arm, and the pairs of signals
# that the campaign has seen.


PLAIN = ""  # the text of the arm that stands for runs of a guided campaign without arms
# The kinds of arms that a run can do without. An arm of such a kind with an empty name stands for the
# guided runs without one: what the arms of the kind are compared with.
WITHOUT = (GROUP, OPTION, TRANSITION)

# The tables are made when something was learnt: on a small disk a campaign without guidance needs
# their room.
TABLES = (
    "CREATE TABLE IF NOT EXISTS arms (target TEXT, arm TEXT, data TEXT NOT NULL, PRIMARY KEY (target, arm))",
    "CREATE TABLE IF NOT EXISTS news (target TEXT, pair INTEGER, PRIMARY KEY (target, pair)) WITHOUT ROWID",
)


@dataclass
class ArmYield:
    """The sums of the runs with one arm: runs, decided and undecided checks, milliseconds of limits
    that the solver spent, runs that were killed, runs with a finding, those of them that opened a
    bucket, those whose finding is about an answer, and pairs of signals that no earlier run gave.

    `gains` and `losses` are what the guide remembers of the arm.
    """

    arm: str
    runs: int = 0
    decided: int = 0
    undecided: int = 0
    spent: int = 0
    killed: int = 0
    findings: int = 0
    new: int = 0
    wrong: int = 0
    news: int = 0
    gains: float = 0.0
    losses: float = 0.0

    @property
    def chance(self) -> float:
        """The chance that a run with the arm pays, as far as the guide remembers."""
        return chance(self.gains, self.losses)

    def add(self, result: Result, wrong: bool) -> None:
        """Count a run."""
        self.runs += 1
        self.decided += result.decided
        self.undecided += result.undecided
        self.spent += result.spent
        self.killed += result.killed
        self.findings += result.findings > 0
        self.new += result.new > 0
        self.wrong += wrong
        self.news += result.news


@dataclass
class Learnt:
    """The changes of the guidance of the targets that the store has to write: arms whose sums
    changed, and pairs of signals that are new, both by target.
    """

    arms: dict[tuple[str, str], ArmYield] = field(default_factory=dict)
    news: dict[tuple[str, int], None] = field(default_factory=dict)

    def write(self, database: sqlite3.Connection) -> None:
        """Write it in the transaction that is open."""
        if not self.arms and not self.news:
            return
        for table in TABLES:
            database.execute(table)
        database.executemany(
            "INSERT OR REPLACE INTO arms VALUES (?, ?, ?)",
            [(*key, json.dumps(asdict(entry))) for key, entry in self.arms.items()],
        )
        database.executemany("INSERT OR IGNORE INTO news VALUES (?, ?)", list(self.news))
