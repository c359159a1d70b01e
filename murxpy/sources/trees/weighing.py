"""A session that says what scripts cost a solver, in the solver's own units."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from murxpy.machine.script import Alone, freeze
from murxpy.sources.setups import ScriptSetup

SESSION = "murxpy.sources.trees.weighing:Weighing"


class Weighing:
    """Weighs scripts, each with limits of its own. Raises TargetError where the solver cannot be loaded, or
    reads no scripts.
    """

    def __init__(self, setup: ScriptSetup) -> None:
        self._alone = Alone(setup["catalogue"], setup["wrapper"], (0, 0))
        freeze()

    def describe(self) -> dict[str, Any]:
        """Return the wrapper's facts about the solver, and the operators that this release does not
        read in scripts (`unread`).
        """
        wrapper, kinds = self._alone.wrapper, self._alone.catalogue.operators
        return {**wrapper.describe(), "unread": [k for k in kinds if not wrapper.reads(k)]}

    def replay(self, text: str, name: str, write: Callable[[str], None]) -> dict[str, Any]:
        """Weigh a script. `text` is JSON: `script`, `limit` in units of the solver, and `wall-ms`. The
        report says under `weighed` the answer, its cost, how many milliseconds of the processor it
        took, and a message.
        """
        asked = json.loads(text)
        write("asked\n")
        begin = time.process_time()
        given = self._alone.ask(asked["script"], (asked["limit"], asked["wall-ms"]))
        took = 1000 * (time.process_time() - begin)
        weighed = {
            "answer": given.outcome,
            "cost": given.cost,
            "ms": took,
            "message": given.message,
        }
        empty: dict[str, Any] = {"counts": {}, "finding": None, "differences": []}
        return {"status": "ok", "seed": 0, **empty, "weighed": weighed}
