"""`murxpy statistics`: the tables of a campaign."""

from __future__ import annotations

import json
from pathlib import Path

import click

from murxpy.campaign.findings.store import read_counters, read_operators, read_yields
from murxpy.campaign.snapshot import Snapshot
from murxpy.cli.params import json_option, out_argument
from murxpy.report.console import make_console
from murxpy.report.statistics import print_statistics


@click.command()
@out_argument
@json_option
def statistics(out: Path, as_json: bool) -> None:
    """Show what all sessions of the campaign in the output folder OUT (murxpy-out) tried: operators,
    states, actions, refusals, mutants and seeds. With --json, print every counter by its name.
    """
    counters = read_counters(out)
    if as_json:
        click.echo(json.dumps(counters, indent=2))
    else:
        snapshot = Snapshot(0.0, counters)
        print_statistics(make_console(), snapshot, read_operators(out), read_yields(out))
