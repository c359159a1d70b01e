"""Warm parents that go from one command of a test module to the next: to load a solver takes half a
second, and a warm parent never calls it.
"""

from __future__ import annotations

import os
import select
import time
from typing import Any, ClassVar

from murxpy.processes.parents import WarmParent, command, setup_data
from murxpy.processes.targets import Plan
from murxpy.worker.channel import Message

_MOST = 6  # warm parents that wait for the next command
_PATIENCE = 5.0  # seconds in which the workers of a closed pool must be gone
Key = tuple[object, ...]


class KeptParent(WarmParent):
    """A warm parent that `close` keeps for the next one with the same setup and environment. Those
    that die, and those of private workers, are not kept.
    """

    idle: ClassVar[list[KeptParent]] = []

    def __new__(cls, plan: Plan, target: int = 0, *, private: bool = False) -> KeptParent:
        wanted = _key(plan)
        for parent in [] if private else cls.idle:
            if parent.key == wanted:
                cls.idle.remove(parent)
                return parent
        return super().__new__(cls)

    def __init__(self, plan: Plan, target: int = 0, *, private: bool = False) -> None:
        if hasattr(self, "key"):
            self.plan, self.target, self.forks = plan, target, 0
            self.before = super().cpu()
            return
        self.key = _key(plan)
        self.before = 0.0
        self.workers = 0  # that live, or are asked for
        super().__init__(plan, target, private=private)

    def request(self, *args: Any) -> bool:
        """Count a worker."""
        self.workers += 1
        return super().request(*args)

    def receive(self) -> list[Message]:
        """Count the workers that ended."""
        messages = super().receive()
        self.workers -= sum("died" in one or "failed" in one for one in messages)
        return messages

    def cpu(self) -> float:
        """The seconds since this pool has it."""
        return max(0.0, super().cpu() - self.before)

    def close(self) -> None:
        """Wait for the next pool once all workers are gone."""
        if self.about is None or self.refused or self.private or not self._rests():
            super().close()
            return
        self.idle.append(self)
        while len(self.idle) > _MOST:
            WarmParent.close(self.idle.pop(0))

    def _rests(self) -> bool:
        end = time.monotonic() + _PATIENCE
        while not self.dead and self.workers and time.monotonic() < end:
            select.select([self.control], [], [], 0.1)
            self.receive()
        return not self.dead and not self.workers

    @classmethod
    def close_all(cls) -> None:
        """End those that wait."""
        while cls.idle:
            WarmParent.close(cls.idle.pop())


def _key(plan: Plan) -> Key:
    environment = plan.target.environment()
    environment.pop("PYTEST_CURRENT_TEST", None)
    told = (setup_data(plan), tuple(sorted(environment.items())))
    return (*command(plan, "", "", ""), *told, plan.target.name, os.getcwd())
