"""Reducing a trace: the script that it runs last, or its lines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import repeat
from math import inf
from typing import Any

from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.findings.defects import unused
from murxpy.findings.scripted import Scripted, scripted
from murxpy.judging.operators import judge_plans
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.replaying.defuse import Script
from murxpy.machine.replaying.untracer import COMPARED as COMPARED
from murxpy.machine.trace.finished import HEADER, header_value, read_rows, write_needs
from murxpy.machine.trace.grammar import Trace, parse_trace
from murxpy.machine.witnesses.unknowns import BASELINE
from murxpy.oracles.crash import DEATHS
from murxpy.passes.lines import Spellings
from murxpy.passes.measure import Measure
from murxpy.passes.misuses import tried
from murxpy.passes.reduction import Problem
from murxpy.passes.terms import Meanings, ModelValues, PlantedValues, Types
from murxpy.passes.trace import needs, reduce_trace, stated
from murxpy.processes import interrupts
from murxpy.processes.inquiries import OutOfTime
from murxpy.processes.targets import Plan, resolve, split_names, usable
from murxpy.reduction.pairs import minimize_pair, pair_of
from murxpy.reduction.pipeline import Minimized, Predicate, Task, reduce
from murxpy.reduction.predicates import Commanded, Comparing, Disagreeing, Replaying
from murxpy.reduction.scripts import minimize_script, others_than
from murxpy.sources.setups import Setup

_MAKING = ("mk-term", "mk-const", "mk-value")  # actions whose lines are counted as terms
_AGAIN = 0.2  # of the time of a reduction that ended by it, in which needs are found out
_SAID = 200  # letters of a refusal that are kept
_DOUBTED = 5  # candidates that are tried before one counts that may show a death by chance
_KEPT_HEADER = ("murxpy-trace", "solver", "python", "seed", "cross-check", COMPARED)


def minimize_trace(
    task: Task,
    source: str,
    judges: tuple[str, ...] | None,
    earlier: str | None,
    refused: Callable[[InputError], None],
) -> Minimized:
    """Reduce the script that the trace `source` runs last; where it runs none, reduce its lines.

    `judges` say what the script must answer. If they are None and some answers are known, other
    solvers are the judges. If the script alone does not show the finding, `refused` is called with
    the reason, and may raise it; then the lines of the trace are reduced, as by `minimize`.
    """
    trace = parse_trace(source, task.name)
    script = None if header_value(source, COMPARED) else scripted(trace)
    if script is not None and not task.match and not task.command:
        try:
            pair = pair_of(task, script, trace, source) if judges is None else None
            if pair is not None:
                return minimize_pair(task, script, pair)
            return minimize_script(task, script, _judging(task, script, trace, judges))
        except InputError as error:
            refused(error)
        task = replace(task, began=time.monotonic())
    return minimize(task, source, earlier)


def _judging(
    task: Task, script: Scripted, trace: Trace, judges: tuple[str, ...] | None
) -> Sequence[Plan]:
    """The plans of the solvers that say what a script must answer: of `judges`, else of the older
    release that the trace names, else of other solvers if some answers are known.
    """
    if judges is not None:
        return judge_plans(judges)
    baseline, setup = trace.header.get(BASELINE, ""), task.plan.setup
    if baseline:
        wrapper = setup.get("wrapper") or {}
        (name,) = usable([baseline], "--cross-check", wrapper, file=task.name)
        return (Plan(resolve(name, wrapper), setup),)
    return judge_plans(others_than(task.plan.target.name) if script.expected else ())


def minimize(task: Task, source: str, earlier: str | None = None) -> Minimized:
    """Make the trace `source` smaller, starting from `earlier` if that is the result of an earlier
    call.

    Raises InputError when the trace is malformed, shows nothing, or something else each time, or
    when the time does not suffice to see what it shows; TargetError when a solver cannot be loaded.
    """
    return without_last_misuses(task, _reduced(task, source, earlier))


def without_last_misuses(task: Task, result: Minimized) -> Minimized:
    """The result of a reduction, made smaller without the misuses at its end in which a death only shows
    by chance.
    """
    while (shorter := _without_misuse(task, result)) is not None:
        try:
            once = replace(task, key=result.key, doubtful=task.tries == 1)
            again = _reduced(replace(once, replays=_left(task, result)), shorter, None)
        except InputError:  # it needs the last misuse
            break
        result = replace(
            again,
            before=result.before,
            tests=result.tests + again.tests,
            replays=result.replays + again.replays,
        )
    return result


def _reduced(task: Task, source: str, earlier: str | None) -> Minimized:
    """Make the trace smaller as long as it shows the same in the same call, and then what is left of it in
    another bucket: a trace that shows nothing less has no other defect that could take its place.
    """
    original = parse_trace(source, task.name)
    with task.enough_time("the trace shows"):
        predicate = _predicate(task, source)
    with closing(predicate):
        starts = (predicate.start, earlier)
        problem = trace_problem(original, starts, task.plan.setup, predicate.written)
        result = reduce(problem, predicate, task)
        return _narrowed(task, result, predicate) or _with_needs(result, problem, predicate, task)


def _narrowed(task: Task, result: Minimized, predicate: Predicate[str]) -> Minimized | None:
    """What is left of a finding in another bucket, made as small as it can be, from the trace next to the
    result; None where nothing was seen to be left, and where it does not show each time.
    """
    smaller = [text for text in predicate.narrower if len(text) < len(result.text)]
    if result.ended != "complete" or not smaller:
        return None
    try:
        again = _reduced(replace(task, key="", replays=_left(task, result)), smaller[-1], None)
    except InputError:
        return None
    return replace(
        again,
        key=result.key,
        before=result.before,
        tests=result.tests + again.tests,
        replays=result.replays + again.replays,
    )


def _without_misuse(task: Task, result: Minimized) -> str | None:
    """The trace of a death that shows in a misuse, without that misuse, if that may show it, too: an
    earlier call broke something, and in which call it shows is chance. The other lines are all needed,
    so what ends the process is the same. None for any other trace.
    """
    if result.ended != "complete" or task.match or task.command or _left(task, result) == 0:
        return None
    trace = parse_trace(result.text, task.name)
    if not result.key.startswith(DEATHS) or trace.lines[-1].action != "misuse":
        return None
    return replace(trace, lines=trace.lines[:-1]).text()


def _left(task: Task, result: Minimized) -> int | None:
    """The number of candidates that a further reduction may test."""
    return None if task.replays is None else max(0, task.replays - result.tests)


def _with_needs(
    result: Minimized, problem: Problem[Script, str], predicate: Predicate[str], task: Task
) -> Minimized:
    """Let the header of a result say what the defect needs beside its formulas. Where the time of
    the reduction is over, that may take a part of this time again.
    """
    if result.ended == "interrupted":
        return result
    deadline = task.deadline
    if deadline is not None and task.time is not None and result.ended == "time":
        deadline = time.monotonic() + _AGAIN * task.time
    trace = parse_trace(result.text, task.name)
    wrapper = task.plan.setup.get("wrapper") or {}
    spellings = Spellings(wrapper)
    safe = safe_mode(trace, wrapper)

    # a broken heap does not show each time
    again = _DOUBTED if task.tries > 1 or result.key.startswith(DEATHS) else 1

    def shows(script: Script) -> bool:
        interrupts.check()
        task.wait()
        tries = repeat(problem.asked(script), again)
        return predicate.first(tries) is not None

    def alike(replaying: Replaying, script: Script) -> bool:
        interrupts.check()
        task.wait()
        return replaying.alike(problem.asked(script), len(script))

    def refused(script: Script) -> list[str]:
        return refusals(predicate.written(problem.asked(script)))

    others = _meanings(task.plan.setup)[1].other_operators
    predicate.limit(deadline)
    try:
        with interrupts.deferred():
            found = needs(
                _script(trace),
                spellings,
                shows,
                result.ended == "complete",
                safe,
                refused,
                others,
            )
            if isinstance(predicate, Replaying) and predicate.tells_alike:
                shown = partial(alike, predicate)
                lines = _telling(result)
                found += tried(_script(trace), predicate.callables, shown, lines, others)
    except OutOfTime:
        return result
    except KeyboardInterrupt:
        return replace(result, ended="interrupted")
    trace.header[HEADER] = write_needs(found)
    said = tuple(need.sentence() for need in found)
    return replace(result, text=trace.text() if found else result.text, needs=said)


_EARLIER = 2  # calls without which the last one is harmless, in whose place others are tried


def _telling(result: Minimized) -> list[int]:
    """The lines of a smallest trace that a sentence about a misuse names: the last one, and those before it
    that it needs without using them. A death behind the return of the last call is about the others alone.
    """
    rows = list(read_rows(result.text))
    earlier = [rows.index(row) for row in unused(rows)][-_EARLIER:]
    behind = bool(earlier) and result.key.startswith(DEATHS) and bool(rows[-1].results)
    return earlier if behind else [*earlier, len(rows) - 1]


def refusals(trace: str) -> list[str]:
    """What a solver says of the calls of a trace that it does not support, as the trace has it."""
    lines = parse_trace(trace, "").lines if trace else []
    found = [line.result("refused") for line in lines]
    rows = [row for row in found if row is not None and row[:1] == ["unsupported"]]
    return [" ".join(getattr(row[-1], "text", "").split())[:_SAID] for row in rows]


def safe_mode(trace: Trace, wrapper: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The options of the solver's safe mode in which a trace is tried, too. There are none where its last
    call is a misuse, or an action that makes solvers of its own: the options of the trace's solver do
    not hold for those.
    """
    action = trace.lines[-1].action if trace.lines else ""
    own = (wrapper.get("own-actions") or {}).get(action) or {}
    if action == "misuse" or own.get("stress"):
        return []
    return [(str(name), str(value)) for name, value in wrapper.get("safe-options") or ()]


def _predicate(task: Task, source: str) -> Predicate[str]:
    """The predicate that the task asks for."""
    names = header_value(source, COMPARED)
    if names and not task.match and not task.command:
        return Comparing(task, source, split_names(names)[0])
    if task.judges:
        return Disagreeing(task, source)
    return Commanded(task, source) if task.command else Replaying(task, source)


def trace_problem(
    original: Trace,
    others: Iterable[str | None],
    setup: Setup,
    written: Callable[[str], str],
) -> Problem[Script, str]:
    """The problem of the lines of a trace. `others` are smaller traces that may show the same.

    The wrapper in `setup`, which is that of the session, ranks the spellings. `written` gives the
    trace that a replay writes.
    """
    traces = [original, *(parse_trace(text, original.name) for text in others if text)]
    # Only what a replay wrote is in our dialect, and not in Murxla's.
    traces = traces[1:] if original.murxla and len(traces) > 1 else traces
    header = _header(traces[0])
    wrapper = setup.get("wrapper") or {}
    spellings = Spellings(wrapper)
    types, meanings = _meanings(setup)
    measure = Measure(spellings.rank, meanings.rank)

    def text(script: Script) -> str:
        return header + measure.text(script)

    starts = [_script(trace) for trace in traces]
    actions = wrapper.get("actions") or {}
    modelled = ModelValues(types, actions, lambda script: written(text(script)))
    values = (PlantedValues(types), modelled)
    shrink = partial(reduce_trace, spellings=spellings, values=values, meanings=meanings)
    order, before = _order(measure, starts[0]), len(original.lines)
    return Problem(starts, order, text, text, len, _counts, shrink, before)


def _meanings(setup: Setup) -> tuple[Types, Meanings]:
    """What types the terms of the traces of a session, and the passes that make their meanings plainer."""
    types = Types(build_catalogue(setup.get("catalogue") or load_catalogue()))
    return types, Meanings(types, (setup.get("wrapper") or {}).get("operators") or {})


def _order(measure: Measure, start: Script) -> Callable[[Script], tuple[float, ...]]:
    """The order of scripts. Scripts that lack a command on which the answers expected in `start`
    depend are no candidates, and so larger than all others.
    """
    rests = stated(start)
    return lambda script: (inf,) if rests and stated(script) != rests else measure.key(script)


def _header(trace: Trace) -> str:
    return "".join(f"# {key} {trace.header[key]}\n" for key in _KEPT_HEADER if key in trace.header)


def _counts(script: Script) -> tuple[int, int]:
    return len(script), sum(line.action in _MAKING for line in script)


def _script(trace: Trace) -> Script:
    """The lines of a trace; of what the solver returned only the ids are left."""
    return tuple(
        replace(line, results=[r for r in line.results if r[0] == "return"][:1], number=0)
        for line in trace.lines
    )
