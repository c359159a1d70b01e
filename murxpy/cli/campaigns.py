"""The way from the options of a command to its campaign."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TextIO

import click
from click.core import ParameterSource

from murxpy.campaign.asked import Asked, asked, unusable
from murxpy.campaign.campaign import Campaign
from murxpy.campaign.statistics import operators_of, reaches
from murxpy.cli.campaign_options import CommandOptions
from murxpy.cli.params import began, goes_on
from murxpy.cli.report.console import (
    continuing_without_terminal,
    is_live_terminal,
    make_console,
    say,
    write_now,
)
from murxpy.cli.report.findings import DefectView, defect_views, of_session, unread
from murxpy.cli.report.jsonl import JsonLines
from murxpy.cli.report.live import LiveStatus
from murxpy.cli.report.outcome import exit_code, outcome_lines
from murxpy.cli.report.plain_lines import Lines, PlainLines
from murxpy.cli.report.statistics import print_statistics, reach_sections
from murxpy.cli.report.summary import lacking, print_summary
from murxpy.errors import InputError
from murxpy.findings.folder import refuse_links
from murxpy.findings.replayed import walk_seeds
from murxpy.findings.store import read_buckets, read_versions
from murxpy.fuzzers.setups import Enumerated, Mutation
from murxpy.grants import only_granted
from murxpy.processes import interrupts
from murxpy.processes.gcov import watch
from murxpy.processes.limits import Limits
from murxpy.processes.targets import Plan
from murxpy.records.config import CampaignConfig
from murxpy.records.events import Ended, Notice, Started
from murxpy.records.snapshot import BucketView


def make_reporter(*, json: bool = False, stream: TextIO | None = None) -> Lines | LiveStatus:
    """The consumer of a campaign's events for `stream`, by default standard output: JSON lines if
    asked for, the live view on a terminal, and plain lines elsewhere. As a `with` block it restores
    the terminal at its end.
    """
    stream = sys.stdout if stream is None else stream
    if json:
        return JsonLines(stream)
    return LiveStatus(make_console(stream)) if is_live_terminal(stream) else PlainLines(stream)


def run(
    targets: tuple[str, ...],
    options: CommandOptions,
    mutation: Mutation | None = None,
    enumeration: Enumerated | None = None,
    notes: Sequence[str] = (),
) -> int:
    """Do the campaign, or the one run, that the options ask for, and return the exit code. The campaign
    says `notes` when it begins, behind all that may refuse the options.
    """
    if options.run_seed is not None and options.compare:
        raise InputError("'murxpy fuzz --compare' and --run-seed exclude each other: leave one out")
    if options.run_seed is not None and options.keep_scripts:
        raise InputError(
            "--keep-scripts is for campaigns, and --run-seed prints its one trace: leave one out"
        )
    if options.run_seed is not None and options.seed is None and mutation and mutation.walks:
        raise InputError(
            "the seeds of the run are walks of its campaign: name that campaign's --seed, too"
        )
    if options.gcov is not None:  # all processes of the campaign count
        refuse_links(options.out)
        os.environ.update(watch(options.out, options.gcov))
    campaign = asked(targets, options, mutation, enumeration, sys.argv[1:])
    return carry_out(replace(campaign, notes=(*notes, *campaign.notes)), options)


def carry_out(campaign: Asked, options: CommandOptions) -> int:
    """Do a campaign, or its one run, as `options` say, and return the exit code."""
    if options.run_seed is not None:
        with interrupts.at_once():
            return _one_run(
                campaign.plans, campaign.limits, options.run_seed, as_json=options.as_json
            )
    config = campaign.config(began())
    if options.as_json and options.statistics:
        raise click.UsageError("--statistics prints tables: leave it or --json out")
    others = [*campaign.judged, *options.baseline]
    with only_granted():  # as a new process begins
        named = unusable(campaign.request, others)
    finish = finish_command(options.out, named)
    return _campaign(Campaign(config), options, campaign.notes, finish)


def finish_command(out: Path, names: Sequence[str]) -> str:
    """The command that does what the campaign in folder `out` has left, which uses `names`."""
    return f"murxpy finish {' '.join(map(quote, (str(out), *names)))}"


def _campaign(
    campaign: Campaign, options: CommandOptions, notes: Sequence[str], finish: str
) -> int:
    """Run the campaign with its report, which begins with `notes` and ends with the command `finish`
    if something is left, and return the exit code.
    """
    as_json, resumed = options.as_json, campaign.config.resume
    started: Started | None = None
    ended: Ended | None = None
    with (
        goes_on(campaign.config.out),
        make_reporter(json=as_json) as reporter,
        closing(iter(campaign)) as events,
    ):
        for event in events:
            with continuing_without_terminal():
                reporter.consume(event)
            if isinstance(event, Started):
                started = event
                for text in (*_jobs_note(campaign.config), *notes, *lacking(campaign.abouts)):
                    reporter.consume(Notice(text))
            elif isinstance(event, Ended):
                ended = event
    if started is None or ended is None:
        return 0
    if options.statistics:
        theories = operators_of(campaign.abouts)
        print_statistics(make_console(), ended.snapshot, theories, ended.seeds, ended.offered)
        for section in reach_sections(reaches(Path(started.out))):
            section.print(make_console())
    if not as_json:
        found = _found(started.out, None if resumed else ended.snapshot.buckets)
        tables = not (resumed or options.statistics)
        print_summary(
            make_console(),
            started,
            ended,
            found,
            mutants=tables,
            figures=not resumed or ended.snapshot.runs > 0,
            finish=finish,
        )
    return ended.exit_code


def _jobs_note(config: CampaignConfig) -> list[str]:
    """A notice where more processes run than the user asked for."""
    count = len(config.targets)
    if count <= config.jobs:
        return []
    return [
        f"{count} processes make runs, although --jobs {config.jobs} asks for fewer: each target needs its own"
    ]


def _found(out: str, buckets: Sequence[BucketView] | None) -> list[DefectView]:
    """The defects that the campaign found, the worst first, from the folder `out`: those of `buckets`,
    or all where they are None. A disk that was full can leave a folder that nobody can read.
    """
    try:
        views = defect_views(read_buckets(Path(out)), read_versions(Path(out)), out)
    except InputError:
        return unread(buckets or ())
    return views if buckets is None else of_session(views, buckets)


def _one_run(plans: Sequence[Plan], limits: Limits, seed: int, *, as_json: bool) -> int:
    """Do the run of one seed, and return the exit code."""
    if len(plans) != 1:
        raise InputError("--run-seed: expected one target, whose run it is")
    if as_json:
        raise InputError(
            "--run-seed writes a trace: leave --json out, or replay the trace with --json"
        )
    source = click.get_current_context().get_parameter_source("wall")
    if (
        source is ParameterSource.DEFAULT
    ):  # the limit of campaigns would cut traces on a busy machine
        limits = replace(limits, wall=limits.hang)
    replayed = walk_seeds(plans[0], [(seed, ())], limits, follow=write_now)
    for line in outcome_lines(replayed):
        say(line, err=True)
    return exit_code(replayed)
