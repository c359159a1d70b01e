"""Bisection of the findings of a campaign, over the releases that are in the cache already."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

import msgspec

from murxpy.campaign.behind.requests import CLOSED, Answer, Request, Wait
from murxpy.errors import InputError, MurxpyError
from murxpy.findings.folder import write_atomically
from murxpy.findings.kinds.registry import kind_of
from murxpy.findings.origin import read_history
from murxpy.findings.ranges import keep_answers, keep_range, kept_answers
from murxpy.findings.replayed import replay_trace
from murxpy.grants import only_granted
from murxpy.judging.bisection import Answer as ReleaseAnswer
from murxpy.judging.bisection import range_data
from murxpy.judging.defects import read_defect, sign_of
from murxpy.judging.disagreement import header_judges
from murxpy.judging.operators import judge_plans
from murxpy.judging.regress import find_range
from murxpy.machine.trace.grammar import parse_trace, read_trace
from murxpy.oracles.disagreement import KIND as DISAGREEMENT
from murxpy.processes.inquiries import OutOfTime, Warm
from murxpy.processes.limits import Limits
from murxpy.processes.targets import Plan
from murxpy.records.config import tree_cpu
from murxpy.records.finding import Reproducer
from murxpy.reduction.histories import minimize_history
from murxpy.reduction.pipeline import Minimized, Saver, Task
from murxpy.reduction.reproducers import smaller_form, smaller_of, to_show, told_by, write_programs
from murxpy.reduction.traces import minimize, minimize_trace
from murxpy.worker.process import die_with_parent

_WALL = 20.0  # seconds of a replay, as 'murxpy bisect' has them


def bisected(request: Request, plan: Plan, wait: Wait = lambda: None) -> Answer:
    """Find and keep the range of a bucket by a trace of it, going on where an earlier bisection was
    ended. `wait` is called behind each release. Raises InputError if no release shows the finding.
    """
    file = Path(request.trace)
    defect = read_defect(file)
    sign = defect.sign or sign_of(replay_trace(plan, defect.text, str(file), wall=_WALL).outcome)
    if sign is None:
        raise InputError("its trace does not show it alone", file=str(file))
    answers = _earlier(file.parent)

    def keep(release: str, given: ReleaseAnswer) -> None:
        answers[release] = given
        keep_answers(file.parent, {name: asdict(one) for name, one in answers.items()})
        wait()

    found, replays = find_range(
        replace(defect, sign=sign),
        request.releases,
        tries=1,
        every=False,
        wall=_WALL,
        notice=_unheard,
        watch=keep,
        newest=False,
        earlier=dict(answers),
    )
    keep_range(file.parent, range_data(found, defect.solver, replays))
    return Answer(releases=found.words())


def _earlier(folder: Path) -> dict[str, ReleaseAnswer]:
    """The answers of a bisection that was ended; none where their file is damaged."""
    try:
        return msgspec.convert(kept_answers(folder), dict[str, ReleaseAnswer])
    except msgspec.ValidationError:
        return {}


def _unheard(text: str) -> None:
    """Nobody listens to the notices of a bisection beside a campaign."""


# ----------------------------------------------------------------------
# The process beside a campaign that reduces findings, writes their reproducers, and bisects them.
# The process beside a campaign reads one request a line and prints one answer a line. The work is
# done in a process of its own so that the loop of the campaign never waits for it. The process dies
# with the campaign.


_LOOK = 0.1  # seconds between two looks whether there is time again
_SEVERAL = "not in SMT-LIB: it needs several runs in one process"
_TRIES = 5  # replays of a candidate, for a finding that does not show each time


def shrink(
    plan: Plan, request: Request, wait: Wait, warm: Warm | None = None
) -> tuple[str, Path, Minimized]:
    """Reduce the trace or history of a request into a file beside it, with a loaded solver of `warm`.

    The reduction continues from an earlier result in that file, and ends with the best one when the
    request has no more time. Gives the form of the result (`min.trace` or `min.history`), its file and
    the result. Raises InputError, TargetError.
    """
    form, trace = "min.trace", Path(request.trace)
    small = smaller_of(trace)
    step = _within(request.cpu, wait)
    task = Task(plan, trace.name, replays=request.replays, key=request.key, wait=step, warm=warm)
    if trace.suffix == ".history":
        runs = tuple(read_history(trace))
        try:
            reduced = minimize_history(task, runs)
        except InputError:  # it does not show each time
            reduced = minimize_history(replace(task, tries=_TRIES, began=time.monotonic()), runs)
        result = reduced.result
        if reduced.apart:
            form, small = "min.history", small.with_suffix(".history")
    else:
        result = _shrink_trace(replace(task, follow=Saver(small)), trace, small, request.kind)
    write_atomically(small, result.text)
    return form, small, result


def _within(seconds: float, wait: Wait) -> Wait:
    """Gives a function that waits like `wait`, and raises OutOfTime once this process and all below it
    took so many seconds of the processors.
    """
    end = tree_cpu(os.getpid()) + seconds

    def step() -> None:
        wait()
        if tree_cpu(os.getpid()) >= end:
            raise OutOfTime

    return step


def _shrink_trace(task: Task, trace: Path, small: Path, kind: str) -> Minimized:
    source = read_trace(trace)
    earlier = read_trace(small) if small.is_file() else None
    parsed = parse_trace(source, trace.name)
    names = header_judges(parsed) or None
    if kind == DISAGREEMENT:
        task = replace(task, judges=judge_plans(names or ()))
    try:
        result = minimize_trace(task, source, names, earlier, lambda error: None)
    except InputError:
        if kind == DISAGREEMENT:
            raise
        result = minimize(replace(task, tries=_TRIES, began=time.monotonic()), source, earlier)
    if result.unit == "line":
        return result
    after = len(parse_trace(result.text, trace.name).lines)
    return replace(result, before=len(parsed.lines), after=after)


def answer(
    request: Request, plan: Plan, wait: Wait = lambda: None, warm: Warm | None = None
) -> Answer:
    """Do a request. `wait` is called before each step, and returns when the step may be done. The solvers
    of `warm` are loaded.
    """
    if not request.programs:
        _, _, result = shrink(plan, request, wait, warm)
        spent = tree_cpu(os.getpid())
        return Answer((), result.before, result.after, result.ended, cpu=spent)
    trace = Path(request.trace)
    shown = to_show(request.kind, request.key, request.message)
    alone = trace.suffix == ".trace"
    made = [Reproducer("trace", str(trace), True)]
    if not alone:
        traced = str(trace.with_suffix(".trace"))
        made = [
            Reproducer("trace", traced, False, "it needs the runs before it"),
            Reproducer("history", str(trace), True),
        ]
    text = read_trace(trace) if alone else ""
    answered, several = Answer(), False
    if request.minimize:
        try:
            form, small, result = shrink(plan, request, wait, warm)
            if result.ended == "interrupted":  # the smaller trace is kept in its file
                raise KeyboardInterrupt
        except MurxpyError as error:
            made.append(Reproducer("min.trace", "", None, str(error)))
        else:
            same = result.key == shown.key or not kind_of(request.kind).keyed
            smaller = smaller_form(plan, form, small, result, same)
            made.append(smaller)
            shown = shown if same else replace(shown, key=result.key)
            shown = replace(shown, message=told_by(smaller, shown.message))
            text = result.text
            several = form == "min.history"
            answered = Answer((), result.before, result.after, result.ended)
    if text:
        wait()
        forms = ("python",) if several else ("python", "smt2")
        limits = Limits(memory=request.memory)
        made += write_programs(plan, trace, text, shown, limits, forms)
        if several:
            made.append(Reproducer("smt2", "", None, _SEVERAL))
    return replace(answered, reproducers=tuple(made))


def waiting(gate: int) -> Wait:
    """Gives a function that returns while the byte in the file `gate` says that there is time."""

    def wait() -> None:
        while os.pread(gate, 1, 0) == CLOSED:
            time.sleep(_LOOK)

    return wait


def main(parent: int, gate: int, nice: int, named: Sequence[str] | None) -> None:
    """Answer requests on standard input until it is closed, `nice` steps nicer than the campaign. The
    campaign closes `gate` while there is no time. `named` is what its user named, for `murxpy.grants`.
    """
    with only_granted(named):
        _serve(parent, gate, nice)


def _serve(parent: int, gate: int, nice: int) -> None:
    die_with_parent(parent)
    os.nice(nice)
    plans: dict[str, Plan] = {}
    with closing(Warm()) as warm:
        for line in sys.stdin:
            request = msgspec.convert(json.loads(line), Request)
            file = request.plan
            if file not in plans:
                plans[file] = msgspec.convert(json.loads(Path(file).read_bytes()), Plan)
            plan, wait = plans[file], waiting(gate)
            try:
                given = (
                    bisected(request, plan, wait)
                    if request.releases
                    else answer(request, plan, wait, warm)
                )
            except (MurxpyError, OSError) as error:
                given = Answer(error=str(error))
            print(json.dumps(asdict(given)), flush=True)
