"""Defects as they are kept: a trace, a script, or the bucket of a campaign."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from murxpy.campaign.findings.named import is_bucket, kept_trace
from murxpy.campaign.findings.origin import origin
from murxpy.campaign.ranges.showing import Sign, kept_sign
from murxpy.campaign.reduction.scripted import Scripted, trace_of
from murxpy.campaign.workers.names import parse_target, solver_of, split_names
from murxpy.campaign.workers.plans import Request, usable_request
from murxpy.errors import InputError
from murxpy.foreign import read_text
from murxpy.fuzzers.seeds import SUFFIX, statuses_of
from murxpy.machine.witnesses.unknowns import BASELINE
from murxpy.releases.versions import release_in
from murxpy.replaying.measuring import HEADER as COMPARED
from murxpy.smtlib.reading.scripts import MAX_SCRIPT
from murxpy.trace.file import read_trace
from murxpy.trace.finished import header_value


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect as a trace shows it. `file` is where it was read, `solver` the solver it is of, and
    `release` the one that it was found on, empty where that is not known. `sign` says how it is
    known again, None where only a replay can tell. `request` is how it is replayed. `without` is a
    release that was seen not to show it, empty where none is known.
    """

    file: Path
    text: str
    solver: str
    release: str
    sign: Sign | None
    request: Request
    without: str = ""


def read_defect(file: Path, solver: str = "", wrapper: str | None = None) -> Defect:
    """The defect in a trace, a script, or the folder of a bucket. `solver` is the one of a script, and
    of a trace that names none. Raises InputError.
    """
    path = kept_trace(file) if file.is_dir() else file
    text = _script(path, solver) if path.suffix == SUFFIX else read_trace(path)
    named, _, version = header_value(text, "solver").partition(" ")
    family = named or solver_of(solver)
    if not family:
        raise InputError("the trace does not say its solver: name it with --solver", file=str(path))
    kept = None if wrapper else origin(path)
    request = Request(wrapper=wrapper)
    if kept is not None:
        request = usable_request(replace(kept.of_traces(), targets=()), path)
        version = version or parse_target(kept.target).release
    return Defect(
        path, text, family, release_in(version), kept_sign(text, str(path)), request, _without(text)
    )


def files_in(paths: Sequence[Path], table: Path | None = None) -> list[tuple[str, Path]]:
    """The files of defects: those given, the folders of buckets, and the traces and scripts in other
    folders. Each has a name: its path as seen from the folder of `table`, without a table as it is
    given. Raises InputError.
    """
    base = None if table is None else table.absolute().parent
    found = []
    for path in paths:
        files = [path] if not path.is_dir() or is_bucket(path) else _kept(path)
        if not files:
            raise InputError("no trace or script is in this folder", file=str(path))
        for file in files:
            name = str(file) if base is None else os.path.relpath(file.absolute(), base)
            found.append((name, file))
    return found


def defects_of(
    files: Sequence[tuple[str, Path]], solver: str, wrapper: str | None
) -> tuple[list[tuple[str, Defect]], list[InputError]]:
    """The defects in the named files, and what is wrong with files that cannot be read. Defects of
    other solvers than `solver` are left out where that is not empty. Raises InputError where all
    files could be read and none is of the solver.
    """
    found, errors = [], []
    for name, file in files:
        try:
            defect = read_defect(file, solver, wrapper)
        except InputError as error:
            errors.append(error)
            continue
        if not solver or defect.solver == solver_of(solver):
            found.append((name, defect))
    if not found and not errors:
        raise InputError(f"no finding of {solver_of(solver)} is here", file=str(files[0][1]))
    return found, errors


def _kept(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.suffix in (".trace", SUFFIX))


def _without(text: str) -> str:
    """The older of the two releases that a trace compares, or the one that decides what the trace's
    solver does not; empty where it names neither.
    """
    names = header_value(text, COMPARED) or header_value(text, BASELINE)
    place = parse_target(split_names(names)[0]).release if names else ""
    return release_in(place)


def _script(path: Path, solver: str) -> str:
    if not solver:
        raise InputError("name the solver that the script is run on with --solver", file=str(path))
    text = read_text(path, "script", MAX_SCRIPT)
    return trace_of(Scripted(text, statuses_of(text)), solver_of(solver))
