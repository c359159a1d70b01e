"""What a run gained, as a share from 0 to 1, from which the guidance of a campaign learns.

Only counts decide: pairs of signals, findings, answers, and what the solver itself counted of its
work. So a campaign with the same seed learns the same.
"""

from __future__ import annotations

from dataclasses import dataclass

WAYS = OFF, STATISTICS, BANDIT = "off", "statistics", "bandit"

NEWS = 0.5  # the greatest worth of news; that of a new bucket is 1
DECIDED = 0.1  # the greatest worth of decided checks
# The cost of a run beside its checks, in milliseconds of a solver's limit: a walk takes about 20 ms
# to choose its calls and to make its terms.
RUN = 20.0
AGAIN = 100.0  # the cost of a finding that is not new: a new process, and a replay
KILLED = 500.0  # the cost of a run that was killed
UNDECIDED = 10.0  # the cost of a check without an answer, of a solver that does not count its work
_MEMORY = 0.99  # the share of the typical cost that stays at each run


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a run: its pairs that no earlier run gave, its findings, those of them that
    opened a bucket, decided and undecided checks, the milliseconds of its limits that the solver
    spent (0 if it does not tell), and whether the run was killed.
    """

    news: int = 0
    findings: int = 0
    new: int = 0
    decided: int = 0
    undecided: int = 0
    spent: int = 0
    killed: bool = False

    @property
    def cost(self) -> float:
        """What the run cost, in milliseconds of a solver's limit."""
        again = AGAIN * (self.findings - self.new)
        checks = float(self.spent) if self.spent else UNDECIDED * self.undecided + self.decided
        return RUN + checks + again + KILLED * self.killed

    def worth(self, way: str) -> float:
        """What the run is worth, from 0 to 1. By `statistics` only news count."""
        news = 1.0 - 0.5**self.news
        if way == STATISTICS:
            return news
        if self.new:
            return 1.0
        checks = self.decided + self.undecided
        return NEWS * news + (DECIDED * self.decided / checks if checks else 0.0)


class Gains:
    """Turns results into gains. A run that cost more than is typical gains less, as much as its cost
    is above that. `typical` is what `typical` was in an earlier session.
    """

    def __init__(self, way: str, typical: float = RUN) -> None:
        self._way = way
        self.typical = typical

    def of(self, result: Result) -> float:
        """The gain of a run, which counts for what is typical from now on."""
        cost = result.cost
        gain = result.worth(self._way) * min(1.0, self.typical / cost)
        self.typical = _MEMORY * self.typical + (1.0 - _MEMORY) * cost
        return gain
