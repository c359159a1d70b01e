"""`murxpy triage`: which solver is wrong in each disagreement and each invalid model of a campaign."""

from __future__ import annotations

import json
from pathlib import Path

import click

from murxpy.campaign.judging.triage import triaged
from murxpy.campaign.workers.limits import Limits
from murxpy.cli.params import duration, judge_names
from murxpy.report.console import make_console
from murxpy.report.judged import print_triage, triage_json


@click.command()
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path), default="murxpy-out")
@click.option(
    "--cross-check",
    "judges",
    type=judge_names,
    default="",
    metavar="SOLVER[@PLACE],...",
    help="Solvers that are asked where a trace names no judges.  [default: all other solvers]",
)
@click.option(
    "--again",
    is_flag=True,
    help="Ask about all findings again, not only about those without a triage.",
)
@click.option(
    "--wall",
    type=duration,
    default="5s",
    metavar="TIME",
    show_default=True,
    help="Wall time of a replay.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def triage(out: Path, judges: tuple[str, ...], again: bool, wall: float, as_json: bool) -> None:
    """Say for each disagreement and each invalid model in the output folder OUT of a campaign which
    solver is wrong, and by which evidence.
    """
    judged = triaged(out, judges, again, Limits(wall=wall))
    if as_json:
        click.echo(json.dumps(triage_json(judged, str(out)), indent=2))
    else:
        print_triage(make_console(), judged, str(out))
