"""What ends a campaign early: a target whose processes cannot live, and runs that keep ending in
errors of murxpy itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from murxpy.errors import InternalError, TargetError

ROW = 20  # runs of one target in a row that end in an internal error
SPAN = 200  # the last runs of one target; at most half of them may end in one


class Breakdown:
    """Watches the runs of the targets called `names`. `reason` says why the campaign must end; it
    is empty as long as it can go on.

    `exit_code` is then that of the process. `unusable`: no process can do anything any more, so
    nothing is left to wait for.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._last: list[deque[bool]] = [deque(maxlen=SPAN) for _ in names]
        self.reason = ""
        self.exit_code = 0

    @property
    def unusable(self) -> bool:
        """Whether a target cannot be used any more."""
        return self.exit_code == TargetError.exit_code

    @contextmanager
    def watch(self, runs: int) -> Iterator[None]:
        """What happens inside may show that a target cannot be used: after so many `runs` the
        campaign ends in good order, before the first one the error is raised.
        """
        try:
            yield
        except TargetError as error:
            if not runs:
                raise
            self.reason, self.exit_code = str(error), error.exit_code

    def run_ended(self, target: int, internal: bool, trace: str) -> None:
        """A run of target number `target` ended, perhaps in an internal error; `trace` is a file
        that shows one.
        """
        last = self._last[target]
        last.append(internal)
        row = len(last) >= ROW and all(list(last)[-ROW:])
        if internal and not self.reason and (row or (len(last) == SPAN and sum(last) > SPAN // 2)):
            said = f"the last {ROW}" if row else f"{sum(last)} of the last {SPAN}"
            self.reason = f"internal errors keep coming: {said} runs on '{self._names[target]}' ended in one; see {trace}"
            self.exit_code = InternalError.exit_code
