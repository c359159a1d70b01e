"""Counters of a run: the time that checks of answers take, and the reasons why they cannot decide."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from time import thread_time_ns

from murxpy.machine.run import Run

_VARIES = re.compile(r"_x\d+|-?\d+|'[^']*'|\([^()]*\)")


@contextmanager
def timed(run: Run, check: str) -> Iterator[None]:
    """Count the time inside as time of a check, including the time of the solver for it. An
    ill-formed term is not our fault there.
    """
    start = thread_time_ns()
    run.checking = True
    try:
        yield
    finally:
        run.checking = False
        run.counts[f"time-ns:check:{check}"] += thread_time_ns() - start


def tidy(reason: str) -> str:
    """A reason without the parts that differ between runs."""
    return _VARIES.sub("_", reason)[:80]
