"""Which lines of a solver its runs reach, where somebody has a build with counters of gcov.

A library that is loaded before the solver writes the counters every two seconds and when a process dies, to
files below one folder, which worker processes may change beside their own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from murxpy.errors import InputError
from murxpy.worker.confine import COUNTERS

FOLDER = "coverage"  # of a campaign
_SOURCE = Path(__file__).with_name("gcov.c")
_NOTES, _DATA = ".gcno", ".gcda"
COUNTED = ("line", "function", "branch")
_COMPILER = ("__", "_GLOBAL__")  # begin the names of functions that no source file has


def watch(out: Path, build: Path) -> Mapping[str, str]:
    """The environment variables with which the processes of a campaign in `out` count the lines of the
    solver in `build`. Raises InputError where nothing is counted: the build has no counters, or there
    is no compiler.
    """
    if not any(build.rglob(f"*{_NOTES}")):
        raise InputError(f"--gcov: {build} has no file *{_NOTES}: build the solver for gcov there")
    compiler = shutil.which("gcc")
    if compiler is None:
        raise InputError("--gcov needs gcc, with which the solver was built")
    data = out.absolute() / FOLDER
    data.mkdir(parents=True, exist_ok=True)
    library = data / "gcov.so"
    command = [compiler, "-shared", "-fPIC", "-O1", str(_SOURCE), "-lgcov", "-lpthread"]
    done = subprocess.run([*command, "-o", str(library)], capture_output=True, text=True)
    if done.returncode:
        raise InputError(f"--gcov: gcc cannot make a library: {done.stderr.strip()[:300]}")
    loaded = os.environ.get("LD_PRELOAD", "")
    return {
        "LD_PRELOAD": f"{library}:{loaded}" if loaded else str(library),
        "GCOV_PREFIX": str(data),
        "GCOV_ERROR_FILE": os.devnull,
        COUNTERS: str(data),
    }


def gather(out: Path, build: Path, into: Path) -> None:
    """Put links to the counters of the campaign in `out` into the folder `into`, and beside each one to
    the notes that the compiler wrote in `build`. Raises InputError where there are none. Nothing else in
    `out` is used, which may come from a stranger.
    """
    data = out.absolute() / FOLDER
    counted = [file for file in sorted(data.rglob(f"*{_DATA}")) if file.is_file()]
    if not counted:
        raise InputError(
            f"{data} has no counters: 'murxpy fuzz SOLVER --gcov {build}' writes them",
            file=str(out),
        )
    known = {notes.name: notes.absolute() for notes in build.rglob(f"*{_NOTES}")}
    for file in counted:
        place = into / file.relative_to(data)
        notes = Path(os.sep, file.relative_to(data)).with_suffix(_NOTES)  # where it was compiled
        found = notes if notes.is_relative_to(build.absolute()) else known.get(notes.name)
        if found is not None and found.is_file():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(file)
            place.with_suffix(_NOTES).symlink_to(found)
    if not into.exists():
        raise InputError(
            f"{build} has no notes (*{_NOTES}) of the files that were counted: name the build that was fuzzed"
        )


def counters(folder: Path) -> list[Path]:
    """The files of counters that `gather` has put into `folder`."""
    return sorted(folder.rglob(f"*{_DATA}"))


def told(files: Sequence[Path]) -> Iterator[tuple[bytes, str]]:
    """What gcov tells, as JSON, of each file of counters, and what it complains of, such as counters of
    another build. Raises InputError where there is no gcov.
    """
    program = shutil.which("gcov")
    if program is None:
        raise InputError("there is no gcov, which comes with the gcc that built the solver")
    command = [program, "--branch-probabilities", "--json-format", "--stdout"]

    def one(file: Path) -> tuple[bytes, str]:
        done = subprocess.run([*command, str(file)], cwd=file.parent, capture_output=True)
        return done.stdout, done.stderr.decode(errors="replace").strip()

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        yield from pool.map(one, files)


class Reached:
    """Which lines, functions and branches of the source files below `source` were reached.

    Each instance of a template is a function of its own. Its lines and branches count once, as those of
    a header do that many files include: they are reached where they are in one of them.
    """

    def __init__(self, source: Path) -> None:
        self._source = source.resolve()
        self._files: dict[str, tuple[dict[Hashable, bool], ...]] = defaultdict(
            lambda: tuple({} for _ in COUNTED)
        )
        self._name = cache(self._below)

    def _below(self, folder: str, file: str) -> str | None:
        """The name of a source file below `source`, None elsewhere."""
        path = Path(folder, file).resolve()
        return str(path.relative_to(self._source)) if path.is_relative_to(self._source) else None

    def take(self, text: bytes) -> None:
        """Add what gcov tells of one file of counters."""
        for line in text.splitlines():
            found = json.loads(line)
            for file in found["files"]:
                name = self._name(found["current_working_directory"], file["file"])
                if name is not None:
                    self._add(self._files[name], file)

    def _add(self, known: tuple[dict[Hashable, bool], ...], file: Mapping[str, Any]) -> None:
        lines, functions, branches = known
        for one in file["functions"]:
            if not one["demangled_name"].startswith(_COMPILER):
                _note(functions, one["name"], one["execution_count"])
        for one in file["lines"]:
            number = one["line_number"]
            _note(lines, number, one["count"])
            for at, branch in enumerate(one["branches"]):
                _note(branches, (number, at), branch["count"])

    def figures(self) -> dict[str, Any]:
        """How many of each there are, in all and in each file, as plain data."""
        files = [{"filename": name, **_figures(self._files[name])} for name in sorted(self._files)]
        sums = {
            key: sum(file[key] for file in files)
            for what in COUNTED
            for key in (f"{what}_total", f"{what}_covered")
        }
        return {"root": str(self._source), **_with_shares(sums), "files": files}


def _note(known: dict[Hashable, bool], place: Hashable, count: int) -> None:
    known[place] = known.get(place, False) or count > 0


def _figures(known: tuple[dict[Hashable, bool], ...]) -> dict[str, Any]:
    sums: dict[str, int] = {}
    for what, places in zip(COUNTED, known, strict=True):
        sums |= {f"{what}_total": len(places), f"{what}_covered": sum(places.values())}
    return _with_shares(sums)


def _with_shares(sums: dict[str, int]) -> dict[str, Any]:
    """Sums with the share of what was reached in percent, None of nothing."""
    shares = {
        f"{what}_percent": round(100 * sums[f"{what}_covered"] / total, 1) if total else None
        for what in COUNTED
        for total in [sums[f"{what}_total"]]
    }
    return {**sums, **shares}
