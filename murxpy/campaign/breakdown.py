"""Reasons to end a campaign early: the processes of a target cannot live, or runs keep ending in
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
    is empty while the campaign can go on.

    `exit_code` is the exit code that the reason means.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._last: list[deque[bool]] = [deque(maxlen=SPAN) for _ in names]
        self.reason = ""
        self.exit_code = 0

    @property
    def unusable(self) -> bool:
        """Whether the processes of a target cannot live any more, so that there is nothing left to
        wait for.
        """
        return self.exit_code == TargetError.exit_code

    @contextmanager
    def watch(self, runs: int) -> Iterator[None]:
        """Turn a TargetError from inside into the reason to end the campaign in good order. If no
        runs have ended yet (`runs` is 0), the error is raised as it is.
        """
        try:
            yield
        except TargetError as error:
            if not runs:
                raise
            self.reason, self.exit_code = str(error), error.exit_code

    def run_ended(self, target: int, internal: bool, trace: str) -> None:
        """Note that a run of target number `target` ended; `internal` says whether it ended in an
        internal error, and `trace` names a file that shows that error.
        """
        last = self._last[target]
        last.append(internal)
        row = len(last) >= ROW and all(list(last)[-ROW:])
        if internal and not self.reason and (row or (len(last) == SPAN and sum(last) > SPAN // 2)):
            said = f"the last {ROW}" if row else f"{sum(last)} of the last {SPAN}"
            self.reason = f"internal errors keep coming: {said} runs on '{self._names[target]}' ended in one; see {trace}"
            self.exit_code = InternalError.exit_code
