"""The process beside a campaign that makes findings smaller and writes their reproducers: one request a line, one answer a line.

It is its own process so that the campaign's loop never waits for it, and dies with the campaign.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from murxpy.campaign.buckets import Reproducer
from murxpy.campaign.folder import write_atomically
from murxpy.campaign.limits import Limits
from murxpy.campaign.minimize import SAVE_SECONDS, Minimized, Progress, Wishes, minimize
from murxpy.campaign.reproducers import Shown, base_of, write_programs
from murxpy.campaign.targets import Plan, TargetSpec
from murxpy.errors import MurxpyError
from murxpy.oracles.disagreement import KIND as DISAGREEMENT
from murxpy.trace.file import read_trace
from murxpy.worker.process import die_with_parent

NICE = 10  # so that the campaign's workers come first
_TRIES = 5  # replays of a candidate of a finding that does not show each time


def plan_data(plan: Plan) -> dict[str, Any]:
    """A plan as plain data."""
    return {"target": asdict(plan.target), "setup": dict(plan.setup)}


def _plan(data: Mapping[str, Any]) -> Plan:
    target = dict(data["target"])
    return Plan(TargetSpec(**{**target, "paths": tuple(target["paths"]), "libraries": tuple(target["libraries"])}), data["setup"])


class _Saver:
    """Writes the best so far now and then, so that nothing is lost when the campaign is killed."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._written = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        if time.monotonic() - self._written >= SAVE_SECONDS:
            write_atomically(self._file, progress.text())
            self._written = time.monotonic()


def shrink(plan: Plan, trace: Path, seconds: float) -> Minimized:
    """Minimize `trace` into `SEED.min.trace` beside it, and go on from what is there."""
    source = read_trace(trace)
    small = base_of(trace).with_name(base_of(trace).name + ".min.trace")
    earlier = read_trace(small) if small.is_file() else None
    try:
        result = minimize(plan, source, trace.name, Wishes(time=seconds), earlier, _Saver(small))
    except MurxpyError:
        result = minimize(plan, source, trace.name, Wishes(time=seconds, tries=_TRIES), earlier, _Saver(small))
    write_atomically(small, result.text)
    return result


def answer(request: Mapping[str, Any], plan: Plan) -> dict[str, Any]:
    """Do one request; its answer as plain data: `reproducers`, `before` and `after` in lines, and `ended`.

    The request: `trace` (a file), `kind`, `key` and `message` of the finding, `confirmed`, `minimize`, `seconds` for that,
    and `memory` in bytes.
    """
    trace = Path(request["trace"])
    text = read_trace(trace)
    shown = Shown(request["kind"], request["key"], request["message"])
    made = [Reproducer("trace", str(trace), request["confirmed"])]
    told: dict[str, Any] = {"before": 0, "after": 0, "ended": ""}
    if request["minimize"] and shown.kind == DISAGREEMENT:
        made.append(Reproducer("min.trace", "", None, "one solver alone does not show it"))
    elif request["minimize"]:
        try:
            result = shrink(plan, trace, request["seconds"])
        except MurxpyError as error:
            made.append(Reproducer("min.trace", "", None, str(error)))
        else:
            small = base_of(trace).with_name(base_of(trace).name + ".min.trace")
            note = "" if result.key == shown.key else f"it shows {result.key}"
            made.append(Reproducer("min.trace", str(small), True, note))
            shown = Shown(shown.kind, result.key if "-" in result.key else shown.key, shown.message)
            text, told = result.text, {"before": result.before, "after": result.after, "ended": result.ended}
    limits = Limits(memory=request["memory"])
    return {**told, "reproducers": [asdict(form) for form in (*made, *write_programs(plan, trace, text, shown, limits))]}


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
