"""`murxpy findings`: the findings of a campaign for people, as JSON, as a table, or as a list of known
bugs.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import get_args

import click
from rich.text import Text

from murxpy.campaign.behind.regroup import regroup as regroup_buckets
from murxpy.cli.options import count_option, format_option, kept_option
from murxpy.cli.params import in_out_option, names, out_or_bucket_argument
from murxpy.cli.report.console import make_console, print_json
from murxpy.cli.report.findings import (
    DefectView,
    bucket_data,
    defect_data,
    defect_views,
    defects_csv,
    findings_csv,
    findings_known,
    print_defects,
    print_findings,
)
from murxpy.cli.report.text import amount
from murxpy.findings.bucket_names import is_bucket
from murxpy.findings.defects import known_of
from murxpy.findings.store import read_buckets, read_versions
from murxpy.oracles.crash import Tier
from murxpy.oracles.documented import TIER as DOCUMENTED
from murxpy.processes.environments import print_notice
from murxpy.processes.targets import solver_of


@click.command()
@out_or_bucket_argument
@in_out_option
@format_option(
    "For people, as JSON, as a table with commas, or as a file for 'murxpy fuzz --known'.",
    "known",
)
@click.option("--json", "form", flag_value="json", help="The same as --format json.")
@count_option("--limit", "List the N worst only.")
@click.option(
    "--kind",
    "kinds",
    type=names(),
    default="",
    metavar="KINDS",
    help="List only these kinds, such as invalid-model,crash.",
)
@click.option(
    "--solver",
    "solvers",
    type=names(),
    default="",
    metavar="SOLVERS",
    help="List only findings of these solvers. With --regroup, SOLVER@PLACE lets a target be used that "
    "the folder names.",
)
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]),
    metavar="DATE",
    help="List only defects that were first found at this local time or later, such as 2026-11-22.",
)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="List every bucket for itself, and also findings of tier documented: they need something "
    "that the solver documents as internal, unsupported or experimental.",
)
@click.option(
    "--regroup",
    is_flag=True,
    help="First find out again which buckets are one defect, and make the smaller traces for that "
    "where they are missing.",
)
@kept_option("--wrapper")
@kept_option("--cross-check")
@click.option("--tier", type=click.Choice(get_args(Tier)), help="List only findings of this tier.")
def findings(
    source: Path,
    form: str,
    limit: int | None,
    kinds: tuple[str, ...],
    solvers: tuple[str, ...],
    since: datetime | None,
    every: bool,
    regroup: bool,
    tier: str | None,
) -> None:
    """List the defects in the output folder OUT of a campaign (murxpy-out), the worst first: wrong
    answers, wrong models and cores, crashes, exceptions, and what else was found. Of a BUCKET, the
    folder OUT/findings/BUCKET or the beginning of its name, only its defect is listed.

    A defect is one fault of a solver, and may have shown in several buckets of findings.
    """
    out = source.absolute().parent.parent if is_bucket(source) else source
    if regroup:
        regroup_buckets(out, print_notice)
    views = [
        view
        for view in _views(out, source)
        if (not kinds or any(bucket.kind in kinds for bucket in view.buckets))
        and (not solvers or view.shown.solver in map(solver_of, solvers))
        and tier in (None, view.shown.tier)
        and (since is None or view.first >= since.timestamp())
    ]
    listed = [view for view in views if every or tier or view.shown.tier != DOCUMENTED]
    printed = listed[:limit]
    rows = [bucket for view in printed for bucket in view.buckets]
    if form == "json":
        print_json([*map(bucket_data, rows)] if every else [*map(defect_data, printed)])
    elif form == "csv":
        click.echo(findings_csv(rows) if every else defects_csv(printed), nl=False)
    elif form == "known":
        _, marks = known_of(out, {row.key for row in rows})
        click.echo(findings_known(rows, marks), nl=False)
    elif every:
        print_findings(make_console(), rows)
    else:
        _print_defects(printed, len(views) - len(listed), len(listed))


def _views(out: Path, source: Path) -> list[DefectView]:
    """The defects of the campaign in `out`; only its own where `source` is the folder of a bucket."""
    views = defect_views(read_buckets(out), read_versions(out), str(out))
    if source == out:
        return views
    key = source.absolute().name
    return [view for view in views if key in [bucket.key for bucket in view.buckets]]


def _print_defects(views: Sequence[DefectView], hidden: int, found: int) -> None:
    """Print defects for people, and say what is not printed."""
    console = make_console()
    print_defects(console, views)
    notes = [] if views else ["no findings"]
    if found > len(views):
        notes.append(f"{amount(found - len(views), 'more defect')}; leave out --limit to see all")
    if hidden:
        notes.append(
            f"{amount(hidden, 'defect')} hidden: need what the solver documents as internal, unsupported or "
            "experimental ('murxpy findings --all')"
        )
    for note in notes:
        console.print(Text(note), soft_wrap=True)
