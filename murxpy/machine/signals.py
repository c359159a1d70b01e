"""Signals of a solver after a check, for the guidance of a campaign: its statistics, its reason for
unknown, and the options that were in force. Reading it writes no line and changes nothing in the run,
so a replay without guidance is the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from time import thread_time_ns
from typing import Any

from murxpy.learning.arms import Signals
from murxpy.machine.run import Run

_VARIABLE = re.compile(r"0x[0-9a-fA-F]+|\d+")


def note_check(run: Run, answer: str) -> None:
    """Note the solver's statistics behind a check with this answer, if the run has signals."""
    signals = run.signals
    if signals is None:
        return
    start = thread_time_ns()
    _note_statistics(run, signals, "statistics")
    for name, value in run.state.options.items():
        if value.isdecimal():
            signals.note(f"{answer} with {name}", int(value))
        else:
            signals.note(f"{answer} with {name}={value}", 1)
    if answer not in ("sat", "unsat"):
        reason = str(_read(run, "actions", "reason-unknown") or answer)
        signals.note(f"unknown: {_VARIABLE.sub('_', reason)[:80]}", 1)
    run.counts["time-ns:signals"] += thread_time_ns() - start


def expect_scripts(run: Run) -> None:
    """Tell the wrapper that scripts follow whose statistics are read, if the run has signals. Reading
    them costs time, so a wrapper may keep them only from the first reading on.
    """
    if run.signals is not None:
        _read(run, "readers", "script-statistics")


def note_script(run: Run, answers: Sequence[str]) -> None:
    """Note the solver's statistics behind a script with these answers, if the run has signals."""
    signals = run.signals
    if signals is None:
        return
    start = thread_time_ns()
    _note_statistics(run, signals, "script-statistics")
    for answer in dict.fromkeys(answers):
        signals.note(f"script: {answer}", answers.count(answer))
    run.counts["time-ns:signals"] += thread_time_ns() - start


def _note_statistics(run: Run, signals: Signals, reader: str) -> None:
    """The readers `statistics` and `script-statistics` give what the solver has counted for its resource limit in this run,
    0 if it does not tell, and its statistics as keys with integers.
    """
    found = _read(run, "readers", reader)
    if found is not None:
        spent, pairs = found
        run.counts["signal:spent"] = max(
            run.counts["signal:spent"], int(spent / run.wrapper.facts.limit_per_ms)
        )
        signals.note_all(pairs)


def _read(run: Run, section: str, key: str) -> Any:
    """Return the result of the wrapper's spelling; None if the release has no such spelling or the
    call fails, because guidance can do without it.
    """
    spellings = run.wrapper.set(section, key)
    if spellings is None:
        return None
    run.frame.fill()
    try:
        return spellings.spellings[0].call((), (), run.frame)
    except Exception:
        run.counts["signal:failed"] += 1
        return None
