"""Replay: a parsed trace drives a run, line for line, ids as the file gives them."""

from __future__ import annotations

from murxpy.errors import InputError
from murxpy.logic.typing import IllSorted
from murxpy.logic.values import BadValue
from murxpy.machine.run import Refused, Run
from murxpy.trace.grammar import Line, Trace
from murxpy.trace.readers import READERS, Reading, Skipped


def replay(run: Run, trace: Trace) -> None:
    """Carry out the lines of `trace`.

    Raises InputError where a line is malformed (unknown action, id, kind, spelling; ill-sorted; wrong counts). A line that
    uses what an earlier, refused line should have returned is skipped and counted under `replay:skipped`.
    """
    reading = Reading(run, trace)
    for line in trace.lines:
        reader = READERS.get(line.action) or reading.own_action(line)
        reading.line = line
        before = len(run.differences)
        try:
            if not run.state.started and line.action not in ("new", "set-logic"):
                raise reading.error("no solver yet, expected 'new' before this line")
            reader(reading)
            _compare_refusal(reading, line, None)
        except Skipped:
            run.counts["replay:skipped"] += 1
            reading.lost(line)
        except Refused as refused:
            reading.lost(line)
            if len(run.differences) == before:
                _compare_refusal(reading, line, refused)
        except (IllSorted, BadValue) as error:
            raise InputError(str(error), file=trace.name, line=line.number) from None


def _compare_refusal(reading: Reading, line: Line, refused: Refused | None) -> None:
    """Note where the trace says that a line was refused and now it is not, or the other way round."""
    before = line.result("refused")
    if refused is None and before:
        reading.run.differences.append(f"line {line.number}: {line.action} was refused, now it is not")
    if refused is not None and not before and line.results:
        reading.run.differences.append(f"line {line.number}: {line.action} is refused now: {refused}")
