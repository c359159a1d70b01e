"""Replay: carry out the lines of a trace; the objects get the ids that the trace names."""

from __future__ import annotations

from math import inf

from murxpy.actions.own import read_own
from murxpy.checks.registry import BEFORE, READERS, Reader, named
from murxpy.errors import InputError, nearest
from murxpy.machine.outcomes import Refused
from murxpy.machine.run import Run
from murxpy.replaying.measuring import Measuring
from murxpy.trace.grammar import Trace
from murxpy.trace.murxla import old_action
from murxpy.trace.permitting import permit
from murxpy.trace.reading import Reading, Skipped

ALIVE = named(lambda action: action.alone)


def replay(run: Run, trace: Trace, strict_from: float = inf) -> None:
    """Carry out the lines of `trace`. From the line of number `strict_from` on, a line that is refused
    ends it, and Refused is raised.

    Raises InputError where a line is malformed (unknown action, id, kind, spelling; ill-sorted;
    wrong counts), or has in it what the wrapper forbids. A line that uses what an earlier, refused line should have returned is skipped
    and counted under `replay:skipped`.
    """
    reading = Reading(run, trace)
    measuring = Measuring(run, trace)
    for line in trace.lines:
        reading.line = line
        before = len(run.differences)
        try:
            permit(run.wrapper.facts.forbidden, trace, line)
            with measuring.of(line):
                _reader(reading)(reading)
            _compare_refusal(reading, None)
        except Skipped:
            run.counts["replay:skipped"] += 1
            reading.lost()
        except Refused as refused:
            if line.number >= strict_from:
                raise
            run.counts["replay:refused"] += 1
            run.counts[f"replay-refused:{line.action}:{refused}"] += 1
            reading.lost()
            if not line.result("refused"):
                run.refused.append((line.number, refused.sort, str(refused)))
            if len(run.differences) == before:
                _compare_refusal(reading, refused)
        except InputError as error:
            if error.file is not None:
                raise
            raise InputError(str(error), file=trace.name, line=line.number) from None


def _reader(reading: Reading) -> Reader:
    """The reader for the line at hand. Raises InputError for an unknown action, a line before
    `new`, and a line for another solver.
    """
    line = reading.line
    if line.target not in (None, "o1"):
        raise reading.error(f"unknown solver {line.target}, expected o1, which 'new' returns")
    action = old_action(line.action) if reading.trace.murxla else line.action
    own_actions = reading.run.wrapper.facts.own_actions
    others = (reading.foreign or reading.trace.murxla) and action.startswith(
        f"{reading.trace.solver}-"
    )
    if action not in READERS and action not in own_actions and not others:
        raise reading.error(
            f"unknown action '{line.action}'{nearest(line.action, [*READERS, *own_actions])}"
        )
    if not reading.run.state.started and line.action not in BEFORE:
        raise reading.error("no solver yet, expected 'new' before this line")
    gone = (
        reading.run.state.started and reading.run.frame.ctx is None
    ) or reading.run.frame.solver is None
    if gone and action not in ALIVE:
        raise reading.error(
            "the solver or its context is gone, expected one of " + ", ".join(ALIVE)
        )
    return READERS.get(action, read_own)


def _compare_refusal(reading: Reading, refused: Refused | None) -> None:
    """Note a difference if the line was refused in the trace and is not now, or the other way
    round.
    """
    line = reading.line
    before = line.result("refused")
    if refused is None and before:
        reading.run.differences.append(
            f"line {line.number}: {line.action} was refused, now it is not"
        )
    if refused is not None and not before and line.results:
        reading.run.differences.append(
            f"line {line.number}: {line.action} is refused now: {refused}"
        )
