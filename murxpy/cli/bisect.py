"""`murxpy bisect`: which releases of a solver show a defect."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import click

from murxpy.cli import tell
from murxpy.cli.options import json_option, theory_option, time_option, tries_option, wrapper_option
from murxpy.cli.params import FileOrBucket, Guarded, Target, in_out_option
from murxpy.cli.report.console import print_json, say
from murxpy.cli.report.releases import range_lines
from murxpy.cli.report.text import amount
from murxpy.data import load_wrapper
from murxpy.errors import InputError, TargetError
from murxpy.findings.folder import write_atomically
from murxpy.findings.origin import origin
from murxpy.findings.ranges import keep_range
from murxpy.judging.bisection import Answer, Range, range_data
from murxpy.judging.defects import Defect, defects_of, files_in
from murxpy.judging.regress import find_range, read_table
from murxpy.processes.environments import package_of, print_notice
from murxpy.processes.releases import LATEST, chosen, short, span
from murxpy.processes.targets import TargetName, grant_target, releases_of


@click.command()
@click.argument(
    "files",
    metavar="TRACE|SCRIPT|BUCKET...",
    type=FileOrBucket(folder=True),
    nargs=-1,
    required=True,
)
@in_out_option
@click.option(
    "--releases",
    "asked",
    cls=Guarded,
    metavar="RELEASES",
    help="Releases that are considered, such as 4.8.7..latest.  [default: all that the wrapper supports]",
)
@click.option(
    "--solver",
    type=Target(),
    metavar="SOLVER",
    help="Solver whose releases are considered.  [default: the solver that the trace names]",
)
@theory_option
@wrapper_option
@tries_option("Number of replays on each release at most, for defects that do not show each time.")
@time_option("--wall", "20s", "Wall time of a replay.")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Replay on each release, not only where the bisection needs it.",
)
@click.option(
    "--table",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also keep the ranges in this JSON file, which 'murxpy regress' reads.",
)
@json_option
def bisect(
    files: tuple[Path, ...],
    asked: str | None,
    solver: str | None,
    wrapper: str | None,
    tries: int,
    wall: float,
    every: bool,
    table: Path | None,
    as_json: bool,
) -> int:
    """Find the releases that show the defect of a trace, of a script, of a bucket of a campaign (the
    folder OUT/findings/BUCKET, or the beginning of its name), or of each trace in a folder.

    Releases are installed when they are needed; see 'murxpy releases'. At each boundary, the trace
    is replayed on the releases on both sides. A release on which the trace cannot be replayed to
    its end is reported as untestable. Exits with 2 where no release shows a defect.

    \b
    Examples:
      murxpy bisect murxpy-out/findings/z3-crash-...
      murxpy bisect bug.trace --releases 4.12.0..latest
      murxpy bisect bug.smt2 --solver cvc5 --json
    """
    defects, errors = defects_of(files_in(files, table), solver or "", wrapper)
    found = partial(find_range, tries=tries, every=every, wall=wall, watch=_tell)
    data, code = _bisected(defects, asked, found, table, as_json)
    if as_json:
        print_json(data)
    return max([code, *map(tell, errors)])


def _bisected(
    defects: Iterable[tuple[str, Defect]],
    asked: str | None,
    find: Callable[..., tuple[Range, int]],
    table: Path | None,
    as_json: bool,
) -> tuple[dict[str, Any], int]:
    """Find, keep and print the range of each defect. Returns the ranges by name, and the exit code
    of the last defect whose range was not found, else 0.
    """
    data: dict[str, Any] = {}
    code = 0
    for name, defect in defects:
        releases, newest = _releases(defect, asked)
        print_notice(
            f"{name}: {amount(len(releases), 'release')} of {defect.solver}, a few of which are asked"
        )
        try:
            found, replays = find(defect, releases, newest=newest, notice=print_notice)
        except InputError as error:
            code = tell(error)
            continue
        data[name] = range_data(found, defect.solver, replays)
        if table is not None:
            _keep(table, name, data[name])
        if origin(defect.file) is not None:
            keep_range(defect.file.parent, data[name])
        if not as_json:
            for line in range_lines(found, f"{name}: {defect.solver}", replays):
                say(line)
    return data, code


def _releases(defect: Defect, asked: str | None) -> tuple[list[str], bool]:
    """The releases that are to be asked: those that the user names, else all that the wrapper takes;
    and whether the newest one there is is among them. The releases may be installed, since that is
    what the command is for. Raises InputError, TargetError.
    """
    package = package_of(load_wrapper(defect.request.wrapper or defect.solver))
    published = releases_of(package.name)
    named = span(asked, published, package.name) if asked else package.usable(published)
    if not named:
        raise TargetError(
            f"the index has no release of {package.name} that its wrapper is written for ({package.taken}); "
            "--releases names others"
        )
    for one in named:
        grant_target(str(TargetName(defect.solver, one)))
    return [short(one) for one in named], named[-1] == chosen(LATEST, published, package.name)


def _tell(release: str, answer: Answer) -> None:
    words = {"shows": "shows it", "gone": "does not show it", "untestable": "cannot be tested"}
    print_notice(f"  {release}: {words[answer.word]}")


def _keep(table: Path, name: str, entry: dict[str, Any]) -> None:
    """Add a range to the table in a file. Raises InputError."""
    kept = {key: entry[key] for key in ("solver", "range", "asked", "replays")}
    whole = {**read_table(table), name: kept}
    write_atomically(table, json.dumps(dict(sorted(whole.items())), indent=1) + "\n")
