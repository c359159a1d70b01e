"""A session that says what scripts cost a solver, in the solver's own units."""

from __future__ import annotations

import json
import re
import resource
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
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
        took, a message, and the largest resident memory of the process meanwhile, in bytes.
        """
        asked = json.loads(text)
        write("asked\n")
        _forget_peak()
        begin = time.process_time()
        given = self._alone.ask(asked["script"], (asked["limit"], asked["wall-ms"]))
        took = 1000 * (time.process_time() - begin)
        weighed = {
            "answer": given.outcome,
            "cost": given.cost,
            "ms": took,
            "message": given.message,
            "memory": _peak(),
        }
        empty: dict[str, Any] = {"counts": {}, "finding": None, "differences": []}
        return {"status": "ok", "seed": 0, **empty, "weighed": weighed}


_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.M)


def _forget_peak() -> None:
    """Begin to count the largest resident memory anew. Where the system does not allow that, the figure
    is that of all scripts until then.
    """
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    """The largest resident memory of this process in bytes, since it was forgotten."""
    with suppress(OSError):
        found = _PEAK.search(Path("/proc/self/status").read_text())
        if found:
            return 1024 * int(found[1])
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
