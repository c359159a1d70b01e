"""The steps of a search that are under way, so that several solvers are asked at the same time.

A step is chosen by what the steps before it gave, except for the last ones before it, whose answers
nobody waits for. How many these are is fixed, and all are learnt from in their order. So the answers
decide what is chosen, and never the time at which they come.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import partial

from murxpy.campaign.performance.search import Attempt, Search, Step
from murxpy.campaign.performance.solvers import Solvers

_AHEAD = 3  # steps for each process that may be under way, where there are several


class Pipeline:
    """Makes the steps of `search`, of which `jobs` ask solvers at a time. Steps whose results are
    `known`, by number, ask nobody.
    """

    def __init__(
        self, search: Search, solvers: Solvers, jobs: int, known: Mapping[int, Attempt]
    ) -> None:
        self._search, self._solvers, self._known = search, solvers, known
        self._most = 1 if jobs == 1 else _AHEAD * jobs
        self._open: deque[Step] = deque()  # chosen, and not learnt from
        self._waiting: deque[Step] = deque()  # those of them for which nobody was asked yet
        self._done: dict[int, Attempt] = {}

    def next(self, last: int | None = None) -> tuple[Step, Attempt] | None:
        """The next step with what it gave, when it was learnt from. None where none is left: the
        round is over, or `last` steps were made.
        """
        self._fill(last)
        if not self._open:
            return None
        self._begin()
        step = self._open.popleft()
        attempt = self._result(step)
        self._search.learn(step, attempt)
        return step, attempt

    def _fill(self, last: int | None) -> None:
        search = self._search
        while len(self._open) < self._most and not search.over and search.number != last:
            step = search.choose()
            self._open.append(step)
            if step.choice.number not in self._known:
                self._waiting.append(step)

    def _result(self, step: Step) -> Attempt:
        number = step.choice.number
        if number in self._known:
            return self._known[number]
        while number not in self._done:
            self._solvers.step()
            self._begin()
        return self._done.pop(number)

    def _begin(self) -> None:
        while self._waiting:
            first = self._waiting[0]
            done = partial(self._done.__setitem__, first.choice.number)
            if not self._solvers.begin(self._search.weighed(first), done):
                return
            self._waiting.popleft()
