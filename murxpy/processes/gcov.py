"""Which lines of a solver its runs reach, where somebody has a build with counters of gcov.

A library that is loaded before the solver writes the counters every two seconds and when a process dies, to
files below one folder, which worker processes may change beside their own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from murxpy.errors import InputError
from murxpy.worker.confine import COUNTERS

FOLDER = "coverage"  # of a campaign
_SOURCE = Path(__file__).with_name("gcov.c")
_NOTES, _DATA = ".gcno", ".gcda"


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
