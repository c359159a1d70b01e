"""`murxpy regress`: which kept findings show on a release or a build."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from murxpy.cli import fail, tell
from murxpy.cli.options import json_option, theory_option, time_option, tries_option, wrapper_option
from murxpy.cli.params import FileOrBucket, Target, in_out_option
from murxpy.cli.report.console import Progress, make_console, print_json, say
from murxpy.cli.report.releases import regressed_table, regressed_total
from murxpy.errors import InputError
from murxpy.judging.defects import Defect, defects_of, files_in
from murxpy.judging.regress import TABLE, Regressed, read_table
from murxpy.judging.regress import regress as regressed

UNTESTED = 3  # exit code where every finding is untestable


@click.command()
@click.argument(
    "paths",
    metavar="FOLDER|TRACE|SCRIPT|BUCKET...",
    type=FileOrBucket(folder=True),
    nargs=-1,
    required=True,
)
@in_out_option
@click.option(
    "--solver",
    type=Target(),
    metavar="SOLVER[@PLACE]",
    help="Release or build on which the findings are replayed. Findings of other solvers are left out.",
)
@theory_option
@wrapper_option
@tries_option("Number of replays of each finding at most, for defects that do not show each time.")
@time_option("--wall", "20s", "Wall time of a replay.")
@click.option(
    "--fail-on",
    type=click.Choice(["back", "shows"]),
    default="back",
    show_default=True,
    help="Exit with 1 where a finding is back, or where any finding shows.",
)
@json_option
def regress(
    paths: tuple[Path, ...],
    solver: str | None,
    wrapper: str | None,
    tries: int,
    wall: float,
    fail_on: str,
    as_json: bool,
) -> int:
    """Replay kept findings on a release or a build, and compare with the releases that are known to
    show them. These stand in the header of each trace, and in the table that 'murxpy bisect --table'
    wrote (ranges.json in the first folder among the arguments).

    \b
    shows       the release shows the defect
    back        the release shows it again: older releases did, the last one tested did not
    mended      the release does not show it, but an older release does
    gone        neither this release nor an older one shows it
    untestable  nobody can say whether the release shows it

    Exits with 1 where a finding is back, and with 3 where every finding is untestable, so that
    nothing was tested.

    \b
    Examples:
      murxpy regress traces/regressions --solver z3@latest
      murxpy regress my-findings --solver cvc5@~/src/cvc5/build --fail-on shows --json
    """
    if solver is None:
        raise InputError("name the release or the build to look at with --solver")
    table = next((path for path in paths if path.is_dir()), paths[0].parent) / TABLE
    named, errors = defects_of(files_in(paths, table), solver, wrapper)
    rows = list(_replayed(named, solver, read_table(table), tries, wall))
    _print(rows, solver, as_json)
    return max([_code(rows, solver, fail_on), *map(tell, errors)])


def _code(rows: list[Regressed], solver: str, fail_on: str) -> int:
    """The exit code of the findings that were replayed."""
    if rows and all(row.status == "untestable" for row in rows):
        why = "nothing was tested, since each finding is untestable there"
        return fail(f"{solver}: {why}", UNTESTED)
    return int(any(row.status in ("back", fail_on) for row in rows))


def _replayed(
    named: list[tuple[str, Defect]],
    solver: str,
    table: dict[str, dict[str, Any]],
    tries: int,
    wall: float,
) -> Iterator[Regressed]:
    """Replay the findings one after another, and show how many are done."""
    with Progress("replaying", len(named)) as progress:
        for name, defect in named:
            yield regressed(name, defect, solver, table.get(name, {}), tries, wall)
            progress.step()


def _print(rows: list[Regressed], solver: str, as_json: bool) -> None:
    if as_json:
        print_json([asdict(row) for row in rows])
    else:
        regressed_table(rows).print(make_console())
        say(f"{solver}: {regressed_total(rows)}")
