"""The queue of requests for the processes that reduce and bisect findings."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from murxpy.campaign.aftermath.lane import Lane
from murxpy.campaign.aftermath.requests import Answer, Request
from murxpy.campaign.budget import Budget
from murxpy.campaign.workers.scratch import Scratch, sweep
from murxpy.campaign.workers.targets import Plan


class Queue:
    """Lets a process of its own do one request at a time, the lowest rank first, and calls `done` with
    each answer. A request begins when `budget` is open, and waits while it is not. What is asked for
    when it begins is `ready` of it. No method waits.
    """

    def __init__(
        self,
        plans: Sequence[Plan],
        memory: int,
        budget: Budget,
        done: Callable[[Request, Answer], None],
        ready: Callable[[Request], Request] = lambda request: request,
    ) -> None:
        self._plans = plans
        self._budget = budget
        self._memory = memory
        self._done = done
        self._ready = ready
        self._queue: list[Request] = []
        self._lanes = [Lane()]
        self._folder: Scratch | None = None

    @property
    def busy(self) -> bool:
        """Whether a request is being done or waits."""
        return bool(self._in_hand or self._queue)

    @property
    def cpu(self) -> float:
        """The seconds of all processors that the requests took until now."""
        return sum(lane.cpu for lane in self._lanes)

    @property
    def _in_hand(self) -> list[Request]:
        return [lane.request for lane in self._lanes if lane.request is not None]

    def add(self, request: Request) -> None:
        """Do `request` after those of its rank, and of lower ranks, that wait already."""
        self._queue.append(request)
        self._queue.sort(key=lambda one: one.rank)

    def widen(self, lanes: int) -> None:
        """Let so many processes do requests at the same time."""
        self._lanes += [Lane() for _ in range(lanes - len(self._lanes))]

    def has(self, key: str) -> bool:
        """Whether a request for the bucket `key` is being done or waits."""
        return any(request.key == key for request in (*self._in_hand, *self._queue))

    @property
    def left(self) -> list[Request]:
        """The requests that are being done or wait, as they would begin now."""
        return [*map(self._ready, [*self._in_hand, *self._queue])]

    @property
    def telling(self) -> int:
        """How many reductions are being done or wait that tell which defect was found."""
        return sum(request.telling for request in self.left)

    def poll(self) -> None:
        """Take the answers, and begin the next requests when the budget is open."""
        for lane in self._lanes:
            lane.pause(not self._budget.open)
            answer = lane.answered() if lane.request is not None else None
            if answer is not None:
                self._end(lane, answer)
        for lane in self._lanes:
            if lane.request is None and self._queue and self._budget.open:
                self._begin(lane, self._ready(self._queue.pop(0)))

    def _begin(self, lane: Lane, request: Request) -> None:
        try:
            plan = self._plan_file(request.target)
            lane.begin(request, asdict(replace(request, plan=plan, memory=self._memory)))
        except OSError as error:
            lane.request = request
            self._end(lane, Answer(error=error.strerror or str(error)))

    def _plan_file(self, target: int) -> str:
        self._folder = self._folder or Scratch("shrink")
        file = self._folder.path / f"{target}.json"
        if not file.exists():
            file.write_text(json.dumps(asdict(self._plans[target])), encoding="utf-8")
        return str(file)

    def _end(self, lane: Lane, answer: Answer) -> None:
        request, lane.request = lane.request, None
        assert request is not None
        self._done(request, answer)

    def stop(self) -> None:
        """End the processes; the next session does what was not done."""
        for lane in self._lanes:
            lane.close()
        self._queue.clear()
        if self._folder is not None:
            self._folder.remove()
            self._folder = None
            sweep()  # the folders of a process that somebody killed
