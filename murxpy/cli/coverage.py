"""`murxpy coverage`: the lines of a solver that a campaign reached."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from murxpy.cli.options import json_option, out_argument
from murxpy.cli.params import Existing
from murxpy.cli.report.console import make_console, print_json
from murxpy.cli.report.tables import Section, Table, kinds
from murxpy.errors import InputError
from murxpy.findings.folder import refuse_links
from murxpy.foreign import escaped
from murxpy.processes.gcov import gather
from murxpy.processes.handles import Scratch

_COUNTED = ("line", "function", "branch")
_FEWEST = 15  # files that are listed: those with most lines that were not reached


@click.command()
@click.argument("build", type=Existing())
@out_argument
@click.option(
    "--source",
    type=Existing(),
    metavar="DIR",
    help="Folder with the source files that count.  [default: BUILD]",
)
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write a page with each source file and its lines.",
)
@json_option
def coverage(build: Path, out: Path, source: Path | None, html: Path | None, as_json: bool) -> None:
    """Say which lines, functions and branches of a solver the campaign in the output folder OUT
    (murxpy-out) reached, by the counters of a build with gcov in the folder BUILD.

    'murxpy fuzz SOLVER --gcov BUILD' makes the counters, and gcovr reads them: pip install
    'murxpy[coverage]'.

    \b
      murxpy fuzz z3@build --gcov build --time 1h
      murxpy coverage build --source src --html lines.html
    """
    if find_spec("gcovr") is None:
        raise InputError("gcovr is not installed: pip install 'murxpy[coverage]'")
    refuse_links(out)
    found = _summary(out, build, source or build, html)
    if as_json:
        print_json(found)
        return
    console = make_console()
    _totals(found).print(console)
    _files(found).print(console)


def _summary(out: Path, build: Path, source: Path, html: Path | None) -> dict[str, Any]:
    """What gcovr tells of the counters of the campaign in `out`."""
    with Scratch("coverage") as folder:
        told, data = folder / "summary.json", folder / "data"
        gather(out, build, data)
        command = [sys.executable, "-P", "-m", "gcovr", "--root", str(source.absolute())]
        command += ["--gcov-ignore-errors", "all", "--json-summary", str(told)]
        command += ["--html-details", str(html.absolute())] if html is not None else []
        done = subprocess.run([*command, str(data)], capture_output=True, text=True, check=False)
        if done.returncode or not told.is_file():
            last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
            raise InputError(f"gcovr cannot read the counters: {escaped(last)}", file=str(out))
        found: dict[str, Any] = json.loads(told.read_text(encoding="utf-8"))
    if not found["line_total"]:
        raise InputError(
            f"no source file below {source} has counters: name the folder of the sources with --source"
        )
    return found


def _percent(entry: Mapping[str, Any], what: str) -> str:
    percent = entry[f"{what}_percent"]
    return "-" if percent is None else f"{percent:.1f} %"


def _totals(found: Mapping[str, Any]) -> Section:
    table = Table(kinds(["what"], ["reached", "of", "share"]))
    for what in _COUNTED:
        plural = f"{what}es" if what == "branch" else f"{what}s"
        table.add(plural, found[f"{what}_covered"], found[f"{what}_total"], _percent(found, what))
    return Section("Reached", [table])


def _files(found: Mapping[str, Any]) -> Section:
    def missed(entry: Mapping[str, Any]) -> int:
        return int(entry["line_total"] - entry["line_covered"])

    table = Table(kinds(["file"], ["lines", "not reached", "share"]))
    files = sorted(found["files"], key=lambda entry: (-missed(entry), entry["filename"]))
    for entry in files[:_FEWEST]:
        share = _percent(entry, "line")
        table.add(escaped(entry["filename"]), entry["line_total"], missed(entry), share)
    return Section("Files with most lines that were not reached", [table])
