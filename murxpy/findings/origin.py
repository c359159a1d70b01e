"""The origin of a trace: the campaign that keeps it, the target on which it was found, and the runs
that must come before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from murxpy.data import wrapper_names
from murxpy.errors import InputError
from murxpy.findings.store import FILE, Store
from murxpy.foreign import read_bytes, read_text
from murxpy.machine.replaying.untracer import COMPARED
from murxpy.machine.trace.grammar import MAX_TRACE, Trace
from murxpy.processes.handles import Damp
from murxpy.processes.plans import Request, make_plans, parse_request, usable_request
from murxpy.processes.targets import Plan, split_names

# run seed, and number of the plan whose solver wrote the trace
_STEM = re.compile(r"([0-9a-f]{16,64})(?:-(\d+))?(?:\.min)?")


@dataclass(frozen=True, slots=True)
class Origin:
    """The solver that wrote a trace, by the name that the user gave it, and the campaign's request
    for that solver alone. The solver is a target of the campaign, or a judge that is wrong.
    """

    target: str
    request: Request

    def of_traces(self) -> Request:
        """The request for replays of its traces: the solver and its wrapper. All else, such as options,
        stands in the trace.
        """
        run_options = replace(self.request.run_options, options=())
        return Request(self.request.targets, wrapper=self.request.wrapper, run_options=run_options)


def origin(path: Path) -> Origin | None:
    """The origin of the trace `OUT/findings/BUCKET/SEED.trace`, or of `SEED.min.trace` there; None
    for a file that no campaign keeps.
    """
    match = _STEM.fullmatch(path.stem)
    folder = path.absolute().parent
    out = folder.parent.parent
    if match is None or folder.parent.name != "findings" or not (out / FILE).is_file():
        return None
    try:
        with closing(Store(out, read_only=True)) as store:
            seed = int(match[1], 16)
            names = [target for target, _, row_seed in store.rows(folder.name) if row_seed == seed]
            sessions = store.arguments()
    except InputError:
        return None
    for name in names:
        for arguments in sessions:
            try:
                return _of_judge(arguments, int(match[2] or 0)) or Origin(
                    name, parse_request(arguments["request"], name)
                )
            except (KeyError, TypeError, ValueError):
                continue  # this session had other targets, or another release of murxpy
    return None


def _of_judge(arguments: Mapping[str, Any], number: int) -> Origin | None:
    """The origin of a trace that plan number `number` of a session wrote, where that plan is a judge:
    judges are numbered behind the targets. The result is None for a target.
    """
    targets = list(arguments["request"]["targets"])
    if number < len(targets):
        return None
    judge = (
        arguments["judges"][number - len(targets)]
        if number - len(targets) < len(arguments.get("judges", ()))
        else None
    )
    if judge is None:
        raise KeyError(number)
    request = parse_request(arguments["request"], targets[0])
    return Origin(judge, replace(request, targets=(judge,), profile=None, mutation=None))


def holds_traces(path: Path) -> bool:
    """Whether a `.history` file holds traces rather than the seeds of runs."""
    return read_bytes(path, "history", MAX_TRACE).startswith(b"# murxpy-trace ")


def read_history(path: Path) -> list[tuple[int, Damp]]:
    """The runs in a `.history` file in order, each with its seed and its damped calls. Raises
    InputError.
    """
    runs: list[tuple[int, Damp]] = []
    text = read_text(path, "history", MAX_TRACE)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            runs.append(_history_line(line, path, number))
    if not runs:
        raise InputError("expected runs, a line each: seed and damped calls", file=str(path))
    return runs


def _history_line(line: str, path: Path, number: int) -> tuple[int, Damp]:
    seed, _, damped = line.partition(" ")
    try:
        return int(seed, 16), tuple(
            (action, operator, spelling) for action, operator, spelling in json.loads(damped)
        )
    except (ValueError, TypeError):
        raise InputError(
            "expected a seed in hexadecimal and a JSON list of damped calls",
            file=str(path),
            line=number,
        ) from None


# ----------------------------------------------------------------------
# The target on which a trace is replayed.


def plan_of(trace: Trace, solver: str | None, wrapper: str | None, file: Path) -> Plan:
    """The target on which the trace in `file` is replayed: the named one, else the one on which the
    trace was found, else the solver that the trace names. Raises InputError if no solver is known,
    and if the solver may not be used because only a file names it.
    """
    found = None if solver or wrapper else origin(file)
    request = _request_of(trace, solver, wrapper) if found is None else found.of_traces()
    (plan,) = make_plans(usable_request(request, file))
    return plan


def _request_of(trace: Trace, solver: str | None, wrapper: str | None) -> Request:
    """The request for a trace that no campaign keeps, or for a trace that the user replays with
    `solver` or `wrapper`.
    """
    if solver is not None or wrapper is not None:
        return Request((solver,) if solver else (), wrapper=wrapper)
    if not trace.solver:
        raise InputError(
            "the trace does not say its solver, expected a line '# solver NAME RELEASE'; name it with "
            "--solver",
            file=trace.name,
        )
    if trace.solver not in wrapper_names():
        raise InputError(
            f"the trace is of '{trace.solver}', which has no wrapper here; name another solver with "
            "--solver, or its wrapper with --wrapper",
            file=trace.name,
        )
    return Request(tuple(releases_of(trace)[1:] or [trace.solver]))


def releases_of(trace: Trace) -> list[str]:
    """The two releases that a trace compares, the older first; empty where it compares none."""
    names = split_names(trace.header.get(COMPARED, ""))
    return names if len(names) == 2 else []


def plan_of_campaign(
    file: Path,
    solver: str | None,
    wrapper: str | None,
    why: str = "expected a file under OUT/findings of a campaign, which tells what the runs depend on",
) -> Plan:
    """The target of the campaign from which a file comes, or `solver` in its place. Raises InputError,
    with `why` as its message, for a file that no campaign keeps.
    """
    found = origin(file)
    if found is None:
        raise InputError(why, file=str(file))
    own = found.request
    targets = (solver,) if solver else own.targets
    request = replace(own, targets=targets, wrapper=wrapper or own.wrapper)
    (plan,) = make_plans(usable_request(request, file))
    return plan
