"""The figures of a campaign: `murxpy statistics`, its tables, `murxpy seeds`, what each seed gave in
each mutation fuzzer, and `murxpy arms`, what came of each choice of its guidance.
"""

from __future__ import annotations

from pathlib import Path

import click

from murxpy.campaign.statistics import reaches
from murxpy.cli.options import count_option, json_option, out_argument
from murxpy.cli.report.arms import MOST, arms_data, print_arms
from murxpy.cli.report.console import make_console, print_json
from murxpy.cli.report.seeds import ENDS, seed_sections, seeds_data
from murxpy.cli.report.statistics import print_statistics, reach_sections
from murxpy.errors import InputError
from murxpy.findings.store import (
    read_counters,
    read_learnt,
    read_nodes,
    read_offered,
    read_operators,
    read_yields,
)
from murxpy.learning.arms import KINDS
from murxpy.records.snapshot import Snapshot


@click.command()
@out_argument
@count_option("--most", "Show the N best and the N worst seeds.", ENDS)
@json_option
def seeds(out: Path, most: int, as_json: bool) -> None:
    """Show which seeds gave most in the campaign in the output folder OUT (murxpy-out), which may be
    running.

    The weight of a seed is its gain divided by its cost, and seeds get runs in proportion to their
    weights. Both are counted in decided checks: a new bucket counts as 50 of them. A check that
    reaches its limit costs as much as 10, so does a finding that is not new, and a run that is killed
    costs as much as 100.
    """
    found = read_yields(out)
    if as_json:
        print_json({"seeds": seeds_data(found)})
    elif not found:
        raise InputError(
            "this campaign used no seeds: its runs are walks, not mutants",
            file=str(out),
        )
    else:
        console = make_console()
        for section in seed_sections(found, read_offered(out), most):
            section.print(console)


@click.command()
@out_argument
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(KINDS),
    multiple=True,
    help="Show only such arms; repeatable.",
)
@count_option("--most", "Show the N best arms of each kind.", MOST)
@json_option
def arms(out: Path, kinds: tuple[str, ...], most: int, as_json: bool) -> None:
    """Show which options, theories and other arms of guidance hang together with findings, wrong
    answers and news in the campaign in the output folder OUT (murxpy-out), which may be running.

    The columns x say how many times as often a run with the arm shows that as the guided runs
    without an arm of its kind. The last column is the chance that a run with it pays, as learnt.
    The newest runs are not among them, at least 32: a run is learnt from when the first run that
    may be chosen by it begins.
    """
    found = read_learnt(out)
    if as_json:
        print_json(arms_data(found))
    elif not found:
        raise InputError(
            "this campaign has no arms: 'murxpy fuzz --guide bandit' makes one that learns",
            file=str(out),
        )
    else:
        print_arms(make_console(), found, kinds or KINDS, most)


@click.command()
@out_argument
@json_option
def statistics(out: Path, as_json: bool) -> None:
    """Show what all sessions of the campaign in the output folder OUT (murxpy-out) tried: operators,
    states, actions, refusals, mutants, seeds, the nodes of a cluster, and how many of the public callables of the binding were
    called. With --json, print every counter by its name.
    """
    counters = read_counters(out)
    if as_json:
        print_json(counters)
    else:
        snapshot = Snapshot(0.0, counters, kept_nodes=tuple(read_nodes(out)))
        print_statistics(
            make_console(), snapshot, read_operators(out), read_yields(out), read_offered(out)
        )
        console = make_console()
        for section in reach_sections(reaches(out)):
            section.print(console)
