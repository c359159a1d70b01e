"""The process beside a campaign that makes findings smaller and writes their reproducers: one
request a line, one answer a line.

It is its own process so that the campaign's loop never waits for it, and dies with the campaign.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from murxpy.campaign.events import Reproducer
from murxpy.campaign.findings.folder import write_atomically
from murxpy.campaign.findings.origin import read_history
from murxpy.campaign.judging.common_operators import judge_plans
from murxpy.campaign.judging.disagreement import HEADER
from murxpy.campaign.judging.warm_judges import Court
from murxpy.campaign.reduction.histories import minimize_history
from murxpy.campaign.reduction.reproducers import Shown, base_of, write_programs
from murxpy.campaign.reduction.scripts import Scripted, minimize_script, others_than, scripted
from murxpy.campaign.reduction.traces import (
    SAVE_SECONDS,
    Minimized,
    Progress,
    Wishes,
    minimize,
    minimize_disagreement,
)
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.targets import Plan, TargetSpec
from murxpy.errors import InputError, MurxpyError
from murxpy.oracles.disagreement import KIND as DISAGREEMENT
from murxpy.trace.file import read_trace
from murxpy.trace.grammar import parse_trace
from murxpy.worker.process import die_with_parent

NICE = 10  # so that the campaign's workers come first
_OWN_WORDS = ("hang", DISAGREEMENT)  # kinds whose predicate is not the bucket
_TRIES = 5  # replays of a candidate of a finding that does not show each time


def plan_data(plan: Plan) -> dict[str, Any]:
    """A plan as plain data."""
    return {"target": asdict(plan.target), "setup": dict(plan.setup)}


def _plan(data: Mapping[str, Any]) -> Plan:
    target = dict(data["target"])
    return Plan(
        TargetSpec(
            **{**target, "paths": tuple(target["paths"]), "libraries": tuple(target["libraries"])}
        ),
        data["setup"],
    )


class _Saver:
    """Writes the best so far now and then, so that nothing is lost when the campaign is killed."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._written = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        if time.monotonic() - self._written >= SAVE_SECONDS:
            write_atomically(self._file, progress.text())
            self._written = time.monotonic()


def shrink(plan: Plan, trace: Path, seconds: float, kind: str) -> tuple[str, Path, Minimized]:
    """Minimize the trace or history in the file `trace`, a finding of `kind`, into a file beside
    it, and go on from what is there.

    Gives what was made of it (`min.trace` or `min.history`) and where it is. Raises InputError,
    TargetError.
    """
    form = "min.trace"
    small = base_of(trace).with_name(f"{base_of(trace).name}.min.trace")
    if trace.suffix == ".history":
        lessened = minimize_history(
            plan, tuple(read_history(trace)), trace.name, Wishes(time=seconds)
        )
        result = lessened.result
        if lessened.apart:
            form, small = "min.history", small.with_suffix(".history")
    else:
        result = _shrink_trace(plan, trace, small, seconds, kind)
    write_atomically(small, result.text)
    return form, small, result


def _shrink_trace(plan: Plan, trace: Path, small: Path, seconds: float, kind: str) -> Minimized:
    source = read_trace(trace)
    earlier = read_trace(small) if small.is_file() else None
    wishes = Wishes(time=seconds)
    parsed = parse_trace(source, trace.name)
    script = scripted(parsed)
    if script is not None:
        with contextlib.suppress(InputError):  # else its lines alone
            return _shrink_script(
                plan, script, trace.name, parsed.header.get(HEADER, ""), wishes, len(parsed.lines)
            )
    if kind == DISAGREEMENT:
        judges = tuple(
            filter(None, parse_trace(source, trace.name).header.get(HEADER, "").split(","))
        )
        return minimize_disagreement(
            Court(plan, judge_plans(judges), Limits()),
            source,
            trace.name,
            wishes,
            earlier,
            _Saver(small),
        )
    try:
        return minimize(plan, source, trace.name, wishes, earlier, _Saver(small))
    except InputError:
        return minimize(
            plan, source, trace.name, replace(wishes, tries=_TRIES), earlier, _Saver(small)
        )


def _shrink_script(
    plan: Plan, script: Scripted, name: str, judges: str, wishes: Wishes, lines: int
) -> Minimized:
    """Minimize what the last of so many lines of a trace runs; the judges in its header, or the
    other solvers, say what is right.
    """
    names = tuple(filter(None, judges.split(","))) or (
        others_than(plan.target.name) if script.expected else ()
    )
    result = minimize_script(plan, script, name, judge_plans(names), wishes)[0]
    return replace(result, before=lines, after=len(parse_trace(result.text, name).lines))


def answer(request: Mapping[str, Any], plan: Plan) -> dict[str, Any]:
    """Do one request; its answer as plain data: `reproducers`, `before` and `after` in lines, and
    `ended`.

    The request: `trace` (the file of a trace or a history), `kind`, `key` and `message` of the
    finding, `minimize`, `seconds` for that, and `memory` in bytes.
    """
    trace = Path(request["trace"])
    shown = Shown(request["kind"], request["key"], request["message"])
    alone = trace.suffix == ".trace"
    made = (
        [Reproducer("trace", str(trace), True)]
        if alone
        else [
            Reproducer(
                "trace", str(trace.with_suffix(".trace")), False, "it needs the runs before it"
            ),
            Reproducer("history", str(trace), True),
        ]
    )
    text = read_trace(trace) if alone else ""
    told: dict[str, Any] = {"before": 0, "after": 0, "ended": ""}
    if request["minimize"]:
        try:
            form, small, result = shrink(plan, trace, request["seconds"], shown.kind)
        except MurxpyError as error:
            made.append(Reproducer("min.trace", "", None, str(error)))
        else:
            note = (
                ""
                if result.key == shown.key or shown.kind in _OWN_WORDS
                else f"it shows {result.key}"
            )
            made.append(Reproducer(form, str(small), True, note))
            shown = replace(shown, key=result.key) if note else shown
            text = result.text if form == "min.trace" else ""
            told = {"before": result.before, "after": result.after, "ended": result.ended}
    if text:
        made += write_programs(plan, trace, text, shown, Limits(memory=request["memory"]))
    return {**told, "reproducers": [asdict(form) for form in made]}


def main(parent: int) -> None:
    """Answer requests on standard input until it is closed."""
    die_with_parent(parent)
    os.nice(NICE)
    plans: dict[str, Plan] = {}
    for line in sys.stdin:
        request = json.loads(line)
        file = request["plan"]
        if file not in plans:
            plans[file] = _plan(json.loads(Path(file).read_bytes()))
        try:
            told = answer(request, plans[file])
        except (MurxpyError, OSError) as error:
            told = {"error": str(error)}
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
