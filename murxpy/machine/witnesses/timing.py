"""What checks cost, and why they cannot say: counters of the run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from time import thread_time_ns

from murxpy.machine.run import Run

_VARIES = re.compile(r"_x\d+|-?\d+|'[^']*'|\([^()]*\)")


@contextmanager
def timed(run: Run, check: str) -> Iterator[None]:
    """Count what happens inside as the time of a check, that of the solver for it included; what is
    ill-formed there is not our fault.
    """
    start = thread_time_ns()
    run.checking = True
    try:
        yield
    finally:
        run.checking = False
        run.counts[f"time-ns:check:{check}"] += thread_time_ns() - start


def tidy(reason: str) -> str:
    """A reason without what varies from one run to the next."""
    return _VARIES.sub("_", reason)[:80]
