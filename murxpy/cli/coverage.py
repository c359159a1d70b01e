"""`murxpy coverage`: the lines of a solver that a campaign reached."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from murxpy.cli.options import json_option, out_argument
from murxpy.cli.params import Existing
from murxpy.cli.report.console import Progress, make_console, print_json, say
from murxpy.cli.report.tables import Section, Table, kinds
from murxpy.cli.report.text import amount
from murxpy.errors import InputError
from murxpy.findings.folder import refuse_links
from murxpy.foreign import escaped
from murxpy.processes.gcov import COUNTED, Reached, counters, gather, told
from murxpy.processes.handles import Scratch

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

    'murxpy fuzz SOLVER --gcov BUILD' makes the counters, and gcov reads them. The page of --html needs
    gcovr: pip install 'murxpy[coverage]'.

    \b
      murxpy fuzz z3@build --gcov build --time 1h
      murxpy coverage build --source src --html lines.html
    """
    if html is not None and find_spec("gcovr") is None:
        raise InputError("--html: gcovr is not installed: pip install 'murxpy[coverage]'")
    refuse_links(out)
    with Scratch("coverage") as folder:
        data = folder / "data"
        gather(out, build, data)
        found = _figures(data, source or build)
        if html is not None:
            _page(data, source or build, html)
    if as_json:
        print_json(found)
        return
    console = make_console()
    _totals(found).print(console)
    _files(found).print(console)


def _figures(data: Path, source: Path) -> dict[str, Any]:
    """What gcov tells of the counters in `data`."""
    reached, complaints = Reached(source), list[str]()
    files = counters(data)
    with Progress("reading", len(files)) as progress:
        for text, complaint in told(files):
            reached.take(text)
            complaints += filter(None, [complaint])
            progress.step()
    if complaints:
        of = f"{len(complaints):,} of {amount(len(files), 'file')} of counters"
        say(f"gcov cannot read {of}: {escaped(complaints[0])}", err=True)
    found = reached.figures()
    if not found["line_total"]:
        raise InputError(
            f"no source file below {source} has counters: name the folder of the sources with --source"
        )
    return found


def _page(data: Path, source: Path, html: Path) -> None:
    """Have gcovr write a page with each source file."""
    command = [sys.executable, "-P", "-m", "gcovr", "--root", str(source.absolute())]
    # the counters say what was reached, and may be as large as gcovr suspects to be a mistake of gcov
    command += ["--merge-lines", "--gcov-suspicious-hits-threshold", "0"]
    command += ["--gcov-ignore-errors", "all", "--html-details", str(html.absolute()), str(data)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise InputError(f"--html: gcovr cannot read the counters: {escaped(last)}")


def _percent(entry: Mapping[str, Any], what: str) -> str:
    percent = entry[f"{what}_percent"]
    return "-" if percent is None else f"{percent:.1f} %"


def _totals(found: Mapping[str, Any]) -> Section:
    table = Table(kinds(["what"], ["reached", "of", "share"]))
    for what in COUNTED:
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
