"""The runs of an enumeration: one for each block of scripts, and one for what is left of a block
whose run ended early, so that every script is tested.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from murxpy.enumeration.blocks import KILLED, Blocks, outcome_of

_SCRIPT = re.compile(r"^\s*\d+ run-script\b", re.M)
_ANSWER = re.compile(r"^ +answer (\w+)", re.M)


class Enumerated:
    """Gives each run of an enumeration its seed. `setup` is the part `enumeration` of a session's
    setup, `saved` what `state` gave in an earlier session.
    """

    def __init__(self, setup: Mapping[str, Any], saved: Mapping[str, Any] | None = None) -> None:
        self._blocks = Blocks(setup)
        # the seeds of the runs for what is left of blocks, by their number behind the last block
        self._rests: dict[int, int] = {
            int(number): int(seed, 16) for number, seed in (saved or {}).get("rests", {}).items()
        }

    @property
    def number(self) -> int:
        """The number of runs, as far as is known now."""
        return self._blocks.number + len(self._rests)

    def seed_of(self, index: int) -> int:
        """The seed of run `index`."""
        return self._blocks.seed_of(index) if index < self._blocks.number else self._rests[index]

    def ended_early(self, seed: int, trace: str, *, reported: bool) -> dict[str, int]:
        """Have a later run test what is left of a block. Its run ended with the last script of
        `trace`. Returns the counters of the run's scripts where the run has not `reported` them.
        """
        block = self._blocks.of(seed)
        scripts = _SCRIPT.split(trace)[1:]
        if 0 < len(scripts) < block.count:
            self._rests[self.number] = self._blocks.rest(seed, len(scripts))
        if reported:
            return {}
        found: dict[str, int] = {}
        for place, script in enumerate(scripts):
            last = place == len(scripts) - 1
            came = KILLED if last else outcome_of(_ANSWER.findall(script))
            name = block.counter(block.first + place, came)
            found[name] = found.get(name, 0) + 1
        return found

    def state(self) -> dict[str, Any]:
        """The plain data to store."""
        return {"rests": {str(number): f"{seed:x}" for number, seed in self._rests.items()}}
