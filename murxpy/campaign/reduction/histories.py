"""Findings that need the runs before them in their process: first fewer runs, then each of them as
a trace, made smaller.

What is left is one text: the lines of all runs one after another, each run from its `new` to its
`delete`. Where the solver shows the finding when one replay makes them all, that is an ordinary
trace; else each `new` begins a replay of its own in the same process, and the file is called
`.min.history`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from murxpy.campaign.reduction.predicate import GOLDEN_RUNS, Replaying
from murxpy.campaign.reduction.traces import Follow, Minimized, Wishes, reduce_with
from murxpy.campaign.reduction.wanted import Golden, golden
from murxpy.campaign.replays.tester import OutOfTime, Tester
from murxpy.campaign.workers.handles import Damp, Job
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.targets import Plan
from murxpy.errors import InputError
from murxpy.machine.tokens import Ref
from murxpy.passes.reduction import Problem, Reducer, ddmin
from murxpy.passes.terms import mapped
from murxpy.trace.grammar import Line, Trace, parse_trace

Run = tuple[int, Damp]  # the seed of a run, and what was damped in it
Runs = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Lessened:
    """The result for a history. `apart`: each `new` must begin a replay of its own; `runs` are left
    of `runs_before`.
    """

    result: Minimized
    apart: bool
    runs: int
    runs_before: int


def minimize_history(
    plan: Plan,
    runs: Runs,
    name: str,
    wishes: Wishes | None = None,
    follow: Follow = lambda progress: None,
) -> Lessened:
    """Make the history `runs`, of the file called `name`, as small as it can be.

    Raises what `murxpy.campaign.reduction.traces.minimize` raises.
    """
    wishes = wishes or Wishes()
    start = time.monotonic()
    try:
        traces, found = _needed(plan, runs, name, wishes, _deadline(wishes, start))
    except OutOfTime:
        raise _too_short(wishes, name) from None
    return _minimize(plan, join(traces), len(runs), name, wishes, found.key, follow, start)


def minimize_joined(
    plan: Plan,
    text: str,
    name: str,
    wishes: Wishes | None = None,
    follow: Follow = lambda progress: None,
) -> Lessened:
    """Make `text`, which holds the traces of all runs, smaller still. Raises what
    `minimize_history` raises.
    """
    return _minimize(
        plan, text, len(parts(text)), name, wishes or Wishes(), None, follow, time.monotonic()
    )


def _minimize(
    plan: Plan,
    text: str,
    before: int,
    name: str,
    wishes: Wishes,
    key: str | None,
    follow: Follow,
    start: float,
) -> Lessened:
    try:
        predicate, apart = _predicate(plan, text, name, key, wishes, _deadline(wishes, start))
    except OutOfTime:
        raise _too_short(wishes, name) from None
    with closing(predicate):
        result = reduce_with(predicate, parse_trace(text, name), None, plan.setup, follow, start)
    return Lessened(result, apart, len(parts(result.text)), before)


def _deadline(wishes: Wishes, start: float) -> float | None:
    return None if wishes.time is None else start + wishes.time


def _too_short(wishes: Wishes, name: str) -> InputError:
    return InputError(
        f"the {wishes.time} s are over before it was seen what its runs show; give it more with --time",
        file=name,
    )


def _needed(
    plan: Plan, runs: Runs, name: str, wishes: Wishes, deadline: float | None
) -> tuple[list[str], Golden]:
    """The traces of the runs that it needs, and what they show."""
    limits = Limits()
    with closing(Tester(plan, limits, wishes.jobs)) as tester:
        tester.wall, tester.deadline = limits.replay_wall, deadline
        seen = tester.many(max(GOLDEN_RUNS, wishes.tries), *map(_walk, runs))
        found = golden(seen, plan.target.family, name, wishes.tries, wishes.match)

        def shows(candidate: Runs) -> bool:
            return any(map(found.wanted, tester.fresh(*map(_walk, candidate))))

        def first(candidates: Iterator[Runs]) -> int | None:
            return next(
                (at for at, candidate in enumerate(candidates) if candidate and shows(candidate)),
                None,
            )

        reducer = Reducer(Problem[Runs](first, len, repr), runs)
        ddmin(reducer, len, lambda best, low, high: (*best[:low], *best[high:]))
        outcomes = tester.fresh(*map(_walk, reducer.best))
    return [outcome.trace for outcome in outcomes if not outcome.after], found


def _walk(run: Run) -> Job:
    seed, damp = run
    return Job(0, seed, 0.0, damp=damp, keep=True)


def _predicate(
    plan: Plan, joined: str, name: str, key: str | None, wishes: Wishes, deadline: float | None
) -> tuple[Replaying, bool]:
    """The judge of texts with all runs: in one replay where that shows the finding, else apart."""
    for split in (None, parts):
        try:
            predicate = Replaying(
                plan, joined, name, wishes.match, wishes.jobs, wishes.tries, deadline, split
            )
        except InputError:
            if split is None:
                continue
            raise
        if key in (None, predicate.key):
            return predicate, split is not None
        predicate.close()
    raise InputError(f"its runs show {key}, their traces do not", file=name)


def join(traces: Sequence[str]) -> str:
    """One text of all traces, with ids of their own, each but the last ended by `delete`; the
    header is that of the last.
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
    """Note the largest ids of the trace."""
    before = dict(used)
    for line in trace.lines:
        for token in line.result("return") or ():
            if isinstance(token, Ref) and token.letter in used:
                used[token.letter] = max(used[token.letter], before[token.letter] + token.number)


def parts(text: str) -> list[str]:
    """The runs of a joined text, each with the header; what is no trace stays whole, for a replay
    to say so.
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
