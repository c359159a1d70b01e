"""What came of the runs with each arm, and the store's tables for it: one row an arm, and the pairs of
signals that the campaign has seen.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass, field

from murxpy.learning.arms import GROUP, OPTION, TRANSITION
from murxpy.learning.bandit import chance
from murxpy.learning.gains import Result

PLAIN = ""  # the text of the arm that stands for runs of a guided campaign without arms
# The kinds of arms that a run can do without. An arm of such a kind with an empty name stands for the
# guided runs without one: what the arms of the kind are compared with.
WITHOUT = (GROUP, OPTION, TRANSITION)

# They are made when something was learnt: on a small disk a campaign without guidance needs their room.
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
    """What the guidance of the targets has to store: arms whose sums changed, and pairs of signals
    that are new, both by target.
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
