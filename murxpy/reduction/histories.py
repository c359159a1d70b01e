"""Reducing a finding that needs the runs before it in their process: first to fewer runs, then to
smaller traces of them.

The result is one text: the lines of all runs one after another, each run from its `new` to its
`delete`. If the solver shows the finding when one replay makes them all, that is an ordinary trace.
Otherwise each `new` begins a replay of its own in the same process, and the file is called
`.min.history`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from murxpy.errors import InputError
from murxpy.machine.tokens import Ref
from murxpy.machine.trace.grammar import Line, Trace, parse_trace
from murxpy.passes.lines import mapped
from murxpy.passes.reduction import Problem, ddmin
from murxpy.processes.handles import Damp, Job
from murxpy.processes.inquiries import Tester
from murxpy.processes.limits import Limits
from murxpy.reduction.pipeline import (
    FIRST_RUNS,
    Minimized,
    Predicate,
    Task,
    first_shown,
    reduce,
)
from murxpy.reduction.predicates import Replaying
from murxpy.reduction.traces import trace_problem, without_last_misuses

Run = tuple[int, Damp]  # the seed of a run, and what was damped in it
Runs = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class ReducedHistory:
    """The smaller traces of a history, with the numbers of runs before and after the reduction.

    With `apart` each `new` must begin a replay of its own.
    """

    result: Minimized
    apart: bool
    runs: int
    runs_before: int


def minimize_history(task: Task, runs: Runs) -> ReducedHistory:
    """Make the history `runs` as small as it can be.

    Raises what `murxpy.reduction.traces.minimize` raises.
    """
    with task.enough_time("its runs show"):
        predicate = Walking(task, runs)
    with closing(predicate):
        quiet = replace(task, follow=lambda progress: None)
        fewer = reduce(_problem(runs), predicate, quiet)
    if fewer.ended == "interrupted":
        raise KeyboardInterrupt
    if task.replays is not None:
        task = replace(task, replays=max(0, task.replays - fewer.tests))
    return minimize_joined(task, fewer.text, fewer.key, len(runs))


def minimize_joined(
    task: Task, text: str, key: str | None = None, before: int | None = None
) -> ReducedHistory:
    """Make `text`, the traces of all runs, smaller. If `key` is given, `text` must show that.

    `before` is the number of runs at first. Raises what `murxpy.reduction.traces.minimize`
    raises.
    """
    with task.enough_time("its runs show"):
        predicate, apart = _predicate(task, text, key)
    with closing(predicate):
        problem = trace_problem(
            parse_trace(text, task.name), [predicate.start], task.plan.setup, predicate.written
        )
        result = reduce(problem, predicate, task)
    result = result if apart else without_last_misuses(task, result)
    return ReducedHistory(result, apart, len(parts(result.text)), before or len(parts(text)))


def _predicate(task: Task, joined: str, key: str | None) -> tuple[Replaying, bool]:
    """The predicate for texts with the traces of all runs, and whether these must be replayed
    apart.

    One replay of the whole text is enough where that shows the finding.
    """
    for split in (None, parts):
        try:
            predicate = Replaying(task, joined, split)
        except InputError:
            if split is None:
                continue
            raise
        if key in (None, predicate.key):
            return predicate, split is not None
        predicate.close()
    raise InputError(f"the runs show {key}, but the traces of the runs do not", file=task.name)


def _problem(runs: Runs) -> Problem[Runs, Runs]:
    """The problem of runs that follow each other in one process."""
    return Problem(
        [runs],
        order=len,
        text=repr,
        asked=lambda candidate: candidate,
        size=len,
        counts=lambda candidate: (len(candidate), 0),
        shrink=partial(ddmin, length=len, without=lambda all, low, high: all[:low] + all[high:]),
        before=len(runs),
        unit="run",
    )


class Walking(Predicate[Runs]):
    """The runs, made again one after another in a fresh process, show the finding."""

    def __init__(self, task: Task, runs: Runs) -> None:
        limits = Limits()
        tester = self._tester = Tester(task.plan, limits, task.jobs, task.warm)
        super().__init__(task.deadline, tester)
        with self.closed_on_error():
            tester.wall = limits.replay_wall
            seen = tester.many(max(FIRST_RUNS, task.tries), *map(_walk, runs))
            found = first_shown(seen, task)
        self.key, self._same, self._tries = found.key, found.shows, task.tries

    def shows(self, candidate: Runs) -> bool:
        jobs = [_walk(run) for run in candidate]
        seen = (self._tester.fresh(*jobs) for _ in range(self._tries if jobs else 0))
        return any(any(map(self._same, outcomes)) for outcomes in seen)

    def result(self, best: Runs) -> tuple[str, str]:
        for _ in range(self._tries):
            outcomes = self._tester.fresh(*map(_walk, best))
            if any(map(self._same, outcomes)):
                break
        return self.key, join([outcome.trace for outcome in outcomes if not outcome.after])


def _walk(run: Run) -> Job:
    seed, damp = run
    return Job(seed, 0.0, damp=damp, keep=True)


def join(traces: Sequence[str]) -> str:
    """Join traces into one text, in which each id names one object.

    The lines of each trace but the last end with `delete`. The header is that of the last trace.
    """
    header, lines = "", []
    used = {"s": 0, "t": 0, "x": 0}
    for number, text in enumerate(traces, 1):
        trace = parse_trace(text, "run")
        header = "".join(f"# {key} {value}".rstrip() + "\n" for key, value in trace.header.items())
        lines += [_moved(line, used) for line in trace.lines]
        _count(trace, used)
        if number < len(traces) and trace.lines[-1].action != "delete":
            lines.append(Line("delete", seed=0))
    return header + Trace("", lines).text()


def _moved(line: Line, by: dict[str, int]) -> Line:
    refs = [*line.args, *(token for _, tokens in line.results for token in tokens)]
    names = {
        ref: Ref(ref.letter, ref.number + by[ref.letter])
        for ref in refs
        if isinstance(ref, Ref) and ref.letter in by
    }
    return mapped(replace(line, number=0), names)


def _count(trace: Trace, used: dict[str, int]) -> None:
    """Note the largest ids of the trace in `used`."""
    before = dict(used)
    for line in trace.lines:
        for token in line.result("return") or ():
            if isinstance(token, Ref) and token.letter in used:
                used[token.letter] = max(used[token.letter], before[token.letter] + token.number)


def parts(text: str) -> list[str]:
    """Split a joined text into runs, each with the header.

    A text that is no trace is not split; its replay will say what is wrong with it.
    """
    try:
        trace = parse_trace(text, "history")
    except InputError:
        return [text]
    header = "".join(f"# {key} {value}".rstrip() + "\n" for key, value in trace.header.items())
    groups: list[list[Line]] = []
    for line in trace.lines:
        if line.action == "new" or not groups:
            groups.append([])
        groups[-1].append(line)
    return [header + Trace("", lines).text() for lines in groups]
