"""The defects under `traces/regressions` still show, each by the kind of finding in its trace's
header, on the release that has them.

Those of solvers are replayed in forks of this process on the installed releases; those of bindings,
and all of older releases, by the command.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from shipped import shows
from toy import Crashed, forked, live, replay

from murxpy.judging.regress import read_table
from murxpy.machine.trace.grammar import parse_trace

FOLDER = Path(__file__).parents[2] / "traces" / "regressions"
DEATHS = {"crash", "abort"}
TRACES = sorted(FOLDER.glob("*/*.trace"))
RANGES = read_table(FOLDER / "ranges.json")


def kind(file: Path) -> str:
    """The kind of finding that a trace shows, by its header."""
    return parse_trace(file.read_text(encoding="utf-8"), file.name).header["finds"]


def solver(file: Path) -> str:
    return file.parent.name.rpartition("-")[0]


def installed(file: Path) -> bool:
    """Whether the installed release is known to show what the trace shows."""
    return shows(f"{file.parent.name}/{file.name}", RANGES)


def of_a_binding(file: Path) -> bool:
    return file.name.startswith("contract-")


def same_as(kind: str) -> set[str]:
    """The kinds that show the same defect: memory that a solver freed twice ends its process by
    either signal, as the heap happens to lie.
    """
    return DEATHS if kind in DEATHS else {kind}


def names(files: list[Path]) -> list[str]:
    return [f"{file.parent.name}-{file.stem}" for file in files]


HERE = [file for file in TRACES if installed(file) and not of_a_binding(file)]
BY_KIND: dict[str, list[Path]] = {}
for _file in HERE:
    _finds = re.search(r"^# finds (.*)$", _file.read_text(encoding="utf-8"), re.MULTILINE)
    BY_KIND.setdefault(f"{solver(_file)} {_finds and _finds[1]}", []).append(_file)
QUICK = {file for files in BY_KIND.values() for file in files[:2]}  # the others are slow
BY_COMMAND = [file for file in TRACES if file not in HERE]


def test_every_trace_is_described() -> None:
    notes = "".join(
        note.read_text(encoding="utf-8")
        for note in (FOLDER.parent.parent / "docs" / "notes").glob("*.md")
    )
    for file in TRACES:
        assert f"{file.stem.removeprefix('contract-')}" in notes, file


def test_every_trace_has_a_range_that_the_release_of_its_folder_is_in() -> None:
    for file in TRACES:
        release = file.parent.name.rpartition("-")[2]
        assert RANGES[f"{file.parent.name}/{file.name}"]["asked"][release] == "shows", file


def test_every_trace_says_what_it_shows() -> None:
    assert [file for file in TRACES if not kind(file)] == []


@pytest.mark.parametrize(
    "file",
    [pytest.param(file, marks=() if file in QUICK else pytest.mark.slow) for file in HERE],
    ids=names(HERE),
)
def test_a_defect_of_a_solver_shows(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    session = live(solver(file))
    try:
        finding = forked(lambda: replay(session, text)[1]["finding"])
        shown = finding and finding["kind"]
    except Crashed as crashed:
        shown = {signal.SIGSEGV: "crash", signal.SIGABRT: "abort"}.get(crashed.args[0])
    except EOFError:  # the process ended before it could say what it found
        shown = "exit"
    assert shown in same_as(kind(file))


@pytest.mark.slow
@pytest.mark.parametrize("file", BY_COMMAND, ids=names(BY_COMMAND))
def test_the_defect_shows_by_the_command(file: Path) -> None:
    where = [] if installed(file) else ["--solver", "@".join(file.parent.name.rsplit("-", 1))]
    command = [sys.executable, "-m", "murxpy", "replay", str(file), *where, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1, done.stderr
    shown = json.loads(done.stdout)
    assert shown["outcome"] in same_as(kind(file))
    if of_a_binding(file):
        assert shown["tier"] == ("solver" if "cube" in file.name else "binding")
