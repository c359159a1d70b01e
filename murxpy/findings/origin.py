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

from murxpy.errors import InputError
from murxpy.findings.store import FILE, Store
from murxpy.foreign import read_bytes, read_text
from murxpy.machine.trace.grammar import MAX_TRACE
from murxpy.processes.handles import Damp
from murxpy.processes.plans import Request, parse_request

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
