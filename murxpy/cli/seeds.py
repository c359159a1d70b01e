"""`murxpy seeds`: what each seed of a campaign gave in the hands of each mutation fuzzer."""

from __future__ import annotations

from pathlib import Path

import click

from murxpy.campaign.findings.store import read_yields
from murxpy.errors import InputError
from murxpy.report.console import make_console
from murxpy.report.seeds import ENDS, print_seeds, seeds_json


@click.command()
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path), default="murxpy-out")
@click.option(
    "--most",
    type=click.IntRange(1),
    default=ENDS,
    metavar="N",
    show_default=True,
    help="Show the best N and the worst N.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all of them as JSON.")
def seeds(out: Path, most: int, as_json: bool) -> None:
    """Show which seeds paid in the campaign in the output folder OUT (murxpy-out), which may be
    running.

    A seed's weight is what it gave by what it cost, in decided checks: its share of the runs to
    come. A new bucket counts as 50, a check that went to its limit and a finding that is not new
    cost 10, a run that had to be killed 100.
    """
    found = read_yields(out)
    if as_json:
        click.echo(seeds_json(found))
    elif not found:
        raise InputError(
            "no seeds were used here: it is a campaign of walks, not of mutation fuzzers",
            file=str(out),
        )
    else:
        print_seeds(make_console(), found, most)
