"""Records the cost of a check by the solver's own count, and the reason of an unknown answer, while a
trace that compares two releases is replayed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

from murxpy.errors import InputError, nearest
from murxpy.machine.actions.own import read_own
from murxpy.machine.checks.registry import ACTIONS, BEFORE, READERS, Reader, named
from murxpy.machine.outcomes import CONTRACT, EXCEPTION, NoSpelling, Refused, Stopped
from murxpy.machine.replaying.judging import CHECKS
from murxpy.machine.run import Run
from murxpy.machine.trace.grammar import Line, Trace, permit
from murxpy.machine.trace.murxla import old_action
from murxpy.machine.trace.reading import Reading, Skipped
from murxpy.machine.witnesses.slowness import Spending
from murxpy.machine.witnesses.unknowns import BASELINE
from murxpy.solvers.exceptions import ILL_FORMED
from murxpy.solvers.spelling import SpellingSet

COMPARED = "compared"  # the key of the row in a trace's header that names the two releases


class Measuring:
    """Notes cost and reason of the checks of `run`, which replays `trace`, in `run.costs`.

    The solver is asked only if the header of the trace says that releases are compared, or, about scripts,
    that a baseline is asked: in any other replay these questions would be calls that the trace does not
    have.
    """

    def __init__(self, run: Run, trace: Trace) -> None:
        self._run = run
        self._on = COMPARED in trace.header
        self._of_scripts = BASELINE in trace.header

    @contextmanager
    def of(self, line: Line) -> Iterator[None]:
        """Inside, `line` is carried out."""
        if self._of_scripts and line.action == "run-script":
            spending = Spending(self._run)
            yield
            self._run.costs.append((line.number, spending.passed(), ""))
            return
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
        """Return the solver's count until now; None if the solver has no such count."""
        counted = self._asked("readers", "cost")
        return counted if isinstance(counted, int) else None

    def _asked(self, section: str, name: str) -> object:
        """Return the result of a call of the wrapper that no line of the trace stands for; None if
        this release lacks the call or refuses it.
        """
        spellings: SpellingSet | None = self._run.wrapper.set(section, name)
        if spellings is None or not self._run.frame.has_solver:
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


# ----------------------------------------------------------------------
# Replay: carry out the lines of a trace; the objects get the ids that the trace names.


ALIVE = named(lambda action: action.alone)
_ANEW = ("new", *named(lambda action: action.resets))  # behind them nothing is asserted
_RAISED = (CONTRACT, EXCEPTION, ILL_FORMED)  # findings that no answer of the solver makes


def replay(run: Run, trace: Trace, strict_from: float = inf) -> None:
    """Carry out the lines of `trace`. From the line of number `strict_from` on, a line that is refused
    ends it, and Refused is raised. Behind a refusal after which some solvers forget what is asserted, no
    answer is a finding: a death still is.

    Raises InputError where a line is malformed (unknown action, id, kind, spelling; ill-sorted;
    wrong counts), or has in it what the wrapper forbids. A line that uses what an earlier, refused line should have returned is skipped
    and counted under `replay:skipped`.
    """
    reading = Reading(run, trace)
    measuring = Measuring(run, trace)
    forgetful = False
    for line in trace.lines:
        reading.line = line
        before = len(run.differences)
        try:
            permit(run.wrapper.facts.forbidden, trace, line)
            with measuring.of(line):
                _reader(reading)(reading)
            _compare_refusal(reading, None)
            forgetful = forgetful and line.action not in _ANEW
        except Stopped as stopped:
            found = stopped.finding
            if forgetful and found is not None and found["kind"] not in _RAISED:
                raise Stopped(None) from None
            raise
        except Skipped:
            run.counts["replay:skipped"] += 1
            reading.lost()
        except Refused as refused:
            if line.number >= strict_from:
                raise
            action = ACTIONS.get(line.action)
            made = not isinstance(refused, NoSpelling)
            forgetful |= made and action is not None and action.fatal
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
    ) or not reading.run.frame.has_solver
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
