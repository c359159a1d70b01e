"""`murxpy findings`: the findings of a campaign for people, as JSON, or as a list of known bugs."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from murxpy.campaign.findings.store import read_buckets, read_versions
from murxpy.cli.params import out_argument
from murxpy.oracles.crash import Tier
from murxpy.report.console import make_console
from murxpy.report.findings import (
    bucket_views,
    findings_json,
    findings_known,
    print_findings,
    shown,
)


@click.command()
@out_argument
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "known"]),
    default="text",
    show_default=True,
    help="For people, as JSON, or as a file for 'murxpy fuzz --known'.",
)
@click.option("--json", "style", flag_value="json", help="The same as --format json.")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Also list findings of tier documented: they need something that the solver documents as "
    "internal, unsupported or experimental.",
)
@click.option("--tier", type=click.Choice(get_args(Tier)), help="List only findings of this tier.")
def findings(out: Path, style: str, every: bool, tier: str | None) -> None:
    """List the findings in the output folder OUT of a campaign (murxpy-out), one entry for each
    defect.
    """
    rows = bucket_views(read_buckets(out), read_versions(out), str(out))
    every = every or tier is not None
    rows = [row for row in rows if tier in (None, row.tier)]
    if style != "text" and not every:
        rows = shown(rows)
    if style == "json":
        click.echo(findings_json(rows))
    elif style == "known":
        click.echo(findings_known(rows), nl=False)
    else:
        print_findings(make_console(), rows, every)
