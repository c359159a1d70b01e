"""Processes that end before their first run: a few may be chance, many in a row mean that the
target cannot be used here.
"""

from __future__ import annotations

import time

from murxpy.errors import TargetError

# processes of one target in a row; one that the kernel kills for want of memory elsewhere is rarely
# followed by a second
TRIES = 5
# seconds; the n-th try waits n times as long, since a lack of memory or of processes may pass
_PAUSE = 0.1


class Starts:
    """Counts, for each target, the processes that ended before a run, since the last run that
    ended.
    """

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._failed = [0] * len(names)

    def lived(self, target: int) -> None:
        """A run of target number `target` ended."""
        self._failed[target] = 0

    def failed(self, target: int, how: str) -> None:
        """A process of target number `target` ended before it had done a run, as `how` says; waits
        a little.

        Raises TargetError after `TRIES` of them.
        """
        self._failed[target] += 1
        if self._failed[target] >= TRIES:
            raise TargetError(
                f"target '{self._names[target]}': its processes end before they do a run, {TRIES} in a row ({how}); "
                "see this shell's limits ('ulimit -a'), or give 'murxpy fuzz' fewer --jobs"
            )
        time.sleep(_PAUSE * self._failed[target])
