"""What a check costs by the solver's own count, and why a check is unknown: read in the replay of a
trace that two releases are compared on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from murxpy.machine.run import Run
from murxpy.replaying.judging import CHECKS
from murxpy.solvers.spelling import SpellingSet
from murxpy.trace.grammar import Line, Trace

HEADER = "compared"  # the key of the row in a trace's header that names the two releases


class Measuring:
    """Notes cost and reason of the checks of `run`, which replays `trace`, in `run.costs`.

    It asks the solver only where the header of the trace says that releases are compared: in any
    other replay these questions would be calls that the trace does not have.
    """

    def __init__(self, run: Run, trace: Trace) -> None:
        self._run = run
        self._on = HEADER in trace.header

    @contextmanager
    def of(self, line: Line) -> Iterator[None]:
        """Inside, `line` is carried out."""
        if not self._on or line.action not in CHECKS:
            yield
            return
        before = self._cost()
        yield
        after = self._cost()
        # where nothing was counted, the check ran in a solver that cannot be asked
        cost = None if before is None or after is None else (after - before) or None
        last = self._run.answers[-1] if self._run.answers else None
        unknown = last is not None and last[0] == line.number and last[2] == "unknown"
        reason = self._asked("actions", "reason-unknown") if unknown else None
        self._run.costs.append((line.number, cost, _words(reason)))

    def _cost(self) -> int | None:
        """What the solver has counted until now; None where it does not tell."""
        counted = self._asked("readers", "cost")
        return counted if isinstance(counted, int) else None

    def _asked(self, section: str, name: str) -> object:
        """What a call of the wrapper gives that no line of the trace stands for; None where this
        release has no such call or refuses it.
        """
        spellings: SpellingSet | None = self._run.wrapper.set(section, name)
        if spellings is None or self._run.frame.solver is None:
            return None
        try:
            return spellings.spellings[0].call((), (), self._run.frame)
        except Exception:
            return None


def _words(reason: object) -> str:
    """A reason as text; some bindings give bytes."""
    if isinstance(reason, bytes):
        return reason.decode("utf-8", "replace")
    return "" if reason is None else str(reason)
