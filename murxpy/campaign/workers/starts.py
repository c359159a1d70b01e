"""Processes that end before their first run. A few of them may be chance; many in a row mean that
the target cannot be used on this machine.
"""

from __future__ import annotations

import time

from murxpy.errors import TargetError

# Processes of one target in a row. The kernel may kill one because another program used up the
# memory, but rarely kills a second one.
TRIES = 5
# Seconds. The n-th try waits n times as long, since a lack of memory or of processes may pass.
_PAUSE = 0.1


class Starts:
    """Counts, for each target, the processes that ended before a run, since the last run that
    ended.
    """

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._failed = [0] * len(names)

    def lived(self, target: int) -> None:
        """Note that a run of target number `target` ended."""
        self._failed[target] = 0

    def failed(self, target: int, how: str) -> None:
        """Note that a process of target number `target` ended before it had done a run, and wait a
        little. `how` says how it ended.

        Raises TargetError after `TRIES` of them.
        """
        self._failed[target] += 1
        if self._failed[target] >= TRIES:
            raise TargetError(
                f"target '{self._names[target]}': its processes end before they do a run, {TRIES} in a row ({how}); "
                "see this shell's limits ('ulimit -a'), or give 'murxpy fuzz' fewer --jobs"
            )
        time.sleep(_PAUSE * self._failed[target])
