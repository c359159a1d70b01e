"""The way from the options of a command to its campaign."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from shlex import quote
from typing import Any, TextIO

import click
from click.core import ParameterSource

from murxpy.campaign.behind.process import installed
from murxpy.campaign.campaign import Campaign
from murxpy.campaign.statistics import operators_of, reaches
from murxpy.cli.campaign_options import CampaignOptions, KeptOptions, MutationOptions
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
from murxpy.cli.report.statistics import print_reach, print_statistics
from murxpy.cli.report.summary import lacking, print_summary
from murxpy.data.grants import only_granted
from murxpy.errors import InputError
from murxpy.findings.defects import known_of
from murxpy.findings.known import read_registry
from murxpy.findings.replayed import walk_seeds
from murxpy.findings.store import read_buckets, read_seed, read_versions
from murxpy.fuzzers.setups import (
    Enumerated,
    Mutation,
    RunOptions,
    chosen_checks,
    needs_seeds,
    parse_option,
    without_object,
)
from murxpy.judging.operators import agree, judge_plans, make_judges
from murxpy.judging.walked import with_walks
from murxpy.processes import interrupts
from murxpy.processes.environments import installing
from murxpy.processes.limits import Limits, ensure_files
from murxpy.processes.plans import KEPT_OPTIONS, Request, foreign, make_plans, settle
from murxpy.processes.releases import version
from murxpy.processes.targets import Plan, absolute_target, parse_target, unnamed
from murxpy.records.config import CampaignConfig
from murxpy.records.events import Ended, Notice, Started
from murxpy.records.snapshot import BucketView
from murxpy.solvers.options import LISTED, NONE
from murxpy.sources.mutation.registry import API
from murxpy.sources.mutation.source import TEXT


def make_reporter(*, json: bool = False, stream: TextIO | None = None) -> Lines | LiveStatus:
    """The consumer of a campaign's events for `stream`, by default standard output: JSON lines if
    asked for, the live view on a terminal, and plain lines elsewhere. As a `with` block it restores
    the terminal at its end.
    """
    stream = sys.stdout if stream is None else stream
    if json:
        return JsonLines(stream)
    return LiveStatus(make_console(stream)) if is_live_terminal(stream) else PlainLines(stream)


def _refuse_programs(plans: Sequence[Plan]) -> None:
    """Raise InputError for a target of contract mode that is a program of the user."""
    for plan in plans:
        if plan.target.program:
            raise InputError(
                f"--contract is about Python bindings, and {plan.target.name} is a program: leave one of the two out"
            )


def baseline_plan(request: Request, plans: Sequence[Plan], options: CampaignOptions) -> Plan | None:
    """The plan of the release that --baseline names; None where it names none. Raises InputError where
    the campaign has nothing for it to do.
    """
    name = options.baseline
    if name is None:
        return None
    if request.mutation is None:
        raise InputError(
            "--baseline asks an older release about scripts: use it with 'murxpy janus' or another "
            "fuzzer of scripts, or with --mix"
        )
    if request.mutation.through not in (TEXT, "both"):
        raise InputError(f"--baseline and --through {request.mutation.through} exclude each other")
    if options.compare or len(plans) != 1:
        raise InputError("--baseline is for one target, without --compare")
    _check_release(plans[0].target.name, name)
    return judge_plans((name,), request)[0]


def _check_release(target: str, name: str) -> None:
    """Raise InputError where `name` is no older release of the solver of `target`."""
    newer, older = parse_target(target), parse_target(name)
    if older.solver != newer.solver or name == target:
        raise InputError(
            f"--baseline {name}: expected another release of the target, as {newer.solver}@RELEASE"
        )
    if older.release and newer.release and version(older.release) >= version(newer.release):
        raise InputError(
            f"--baseline {name}: expected a release older than that of the target, {target}"
        )


# ----------------------------------------------------------------------
# From the options of `murxpy fuzz`, or of the command of a mutation fuzzer, to a campaign.


# The part of --wall that one call of a random run may take of the processor's time: a quarter of a
# second. Of 940 runs, five had a call that returned between this time and twice as much. Calls that
# took longer than that took 13 % of all time.
_CALL = 0.125
WALK_SEEDS = 200
# The defects that the user calls known: keys and patterns of buckets, and marks of defects.
Known = tuple[list[str], dict[str, str]]


def mutation_of(
    mix: Sequence[tuple[str, float]],
    seeds: Sequence[str],
    judges: Sequence[Sequence[str]],
    given: MutationOptions,
    choices: Mapping[str, Mapping[str, Any]],
) -> Mutation:
    """The settings of the mutation fuzzers. Raises UsageError where seeds are missing."""
    walks = given.walk_seeds
    if walks is None:
        walks = WALK_SEEDS if needs_seeds(mix) and not seeds else 0
    if needs_seeds(mix) and not seeds and not walks:
        raise click.UsageError("no seeds: name SMT-LIB scripts or folders of them")
    if given.stability and given.through == API:
        raise click.UsageError("--stability asks scripts: leave --through api out")
    return Mutation(
        tuple(mix),
        tuple(seeds),
        given.iterations,
        1000.0 * given.check_limit,
        given.size_limit,
        choices,
        "standard" if judges else "",  # all judges read it
        given.through,
        given.budget,
        given.stability / 100,
        walks,
    )


def run(
    targets: tuple[str, ...],
    options: CampaignOptions,
    mutation: Mutation | None = None,
    enumeration: Enumerated | None = None,
) -> int:
    """Do the campaign, or the one run, that the options ask for, and return the exit code."""
    if options.contract and options.machine == "default":
        options = replace(options, machine="contract")
    request = settle(_request(targets, options, mutation, enumeration))
    judged = tuple(dict.fromkeys(name for given in options.judges for name in given))
    if options.compare:
        request, judged = compared(request, options)
    return carry_out(request, judged, options, _known(options.known))


def carry_out(
    request: Request,
    judged: tuple[str, ...],
    options: CampaignOptions,
    known: Known,
    names: Mapping[str, str] | None = None,
) -> int:
    """Do the campaign, or the one run, of `request`, whose runs the solvers called `judged` look at,
    and whose user knows the defects `known`. A target has another name in the campaign's folder where
    `names` says so. Returns the exit code.
    """
    mutation = request.mutation
    plans = make_plans(request)
    if options.contract:
        _refuse_programs(plans)
    if names is not None:
        plans = tuple(
            replace(
                plan,
                target=replace(plan.target, name=names.get(plan.target.name, plan.target.name)),
            )
            for plan in plans
        )
    limits = _limits(options, by_line=mutation is not None or request.enumeration is not None)
    judges = make_judges(request, plans, judged) if judged else ()
    baseline = baseline_plan(request, plans, options)
    notes = _without_object(options.checks, plans)
    notes += dict.fromkeys(note for plan in plans for note in plan.notes)
    # an interrupted campaign ends before its first run
    if judges and not options.compare and not interrupts.early():
        plans, lacking_notes = agree(plans, judges, limits)
        notes += lacking_notes
    if mutation is not None and mutation.walks and not interrupts.early():
        seed = _seed_of(options)
        options = replace(options, seed=seed)
        plans, walk_notes = with_walks(plans, judges, mutation, seed, limits)
        notes += walk_notes
    if options.run_seed is not None:
        with interrupts.at_once():
            return _one_run(plans, limits, options.run_seed, as_json=options.as_json)
    plans = tuple(replace(plan, setup={**plan.setup, "callables": True}) for plan in plans)
    config = _config(plans, judges, limits, options, _recorded(request, judged, options))
    config = replace(config, baseline=baseline, known=tuple(known[0]), known_marks=known[1])
    if options.as_json and options.statistics:
        raise click.UsageError("--statistics prints tables: leave it or --json out")
    others = [*judged, *filter(None, [options.baseline])]
    with only_granted():  # as a new process begins
        named = unusable(request, others)
    return _campaign(Campaign(config), options, notes, finish_command(options.out, named))


def _seed_of(options: CampaignOptions) -> int:
    """The seed of the campaign, whose walks are seeds: that of the user, else that of the folder, else a
    new one. Raises InputError for a single run, which has no folder.
    """
    if options.seed is not None:
        return options.seed
    if options.run_seed is not None:
        raise InputError(
            "the seeds of the run are walks of its campaign: name that campaign's --seed, too"
        )
    stored = read_seed(options.out)
    return secrets.randbits(32) if stored is None else stored


def unusable(request: Request, others: Sequence[str]) -> list[str]:
    """Return the things that a campaign was given and that may not be used now, because the command
    line does not name them: parts of `request`, and targets among `others`. Raises InputError for a
    name that is none.
    """
    return [
        *[name for _, name in foreign(request)],
        *[name for name in others if unnamed(name)],
    ]


def finish_command(out: Path, names: Sequence[str]) -> str:
    """The command that does what the campaign in folder `out` has left, which uses `names`."""
    return f"murxpy finish {' '.join(map(quote, (str(out), *names)))}"


def compared(request: Request, options: CampaignOptions) -> tuple[Request, tuple[str, ...]]:
    """The request for the older of two releases, and the name of the newer one. Raises InputError
    where the options do not name two releases to compare.
    """
    names = request.targets
    if len(names) != 2:
        raise InputError(
            f"'murxpy fuzz --compare' takes two releases of one solver, the older first; "
            f"found {' '.join(names) or 'none'}"
        )
    older, newer = map(parse_target, names)
    if older.solver != newer.solver:
        raise InputError(
            f"'murxpy fuzz --compare' is for two releases of one solver, found {older.solver} and {newer.solver}; "
            "--cross-check compares the answers of different solvers"
        )
    if older.release and newer.release and version(older.release) >= version(newer.release):
        raise InputError(
            f"of two releases to compare the older stands first, found {older.release} before {newer.release}"
        )
    if older.options != newer.options:
        raise InputError(
            "'murxpy fuzz --compare': both releases run with the same options, expected the same in brackets behind "
            f"both names, found {' '.join(names)}"
        )
    for given, option in (
        (bool(options.judges), "--cross-check"),
        (options.contract, "--contract"),
        (options.run_seed is not None, "--run-seed"),
    ):
        if given:
            raise InputError(
                f"'murxpy fuzz --compare' and {option} exclude each other: leave one out"
            )
    return replace(request, targets=names[:1]), names[1:]


def _limits(options: CampaignOptions, *, by_line: bool) -> Limits:
    # Only random runs have many calls: a mutant is one line, and of two releases one may be slower.
    free = by_line or options.compare or options.limits == "wall"
    limits = Limits(
        wall=options.wall,
        memory=options.memory,
        by_line=by_line,
        judge_ms=1000.0 * options.judge_limit,
        call=0.0 if free else _CALL * options.wall,
    )
    return replace(limits, recycle=1) if options.isolate else limits


def _config(
    plans: tuple[Plan, ...],
    judges: tuple[Plan, ...],
    limits: Limits,
    options: CampaignOptions,
    recorded: dict[str, Any],
) -> CampaignConfig:
    if options.bisect and not any(installed(plan.setup.get("wrapper") or {}) for plan in plans):
        raise InputError(
            "--bisect asks the releases that are in the cache, and none of these solvers is there: "
            "'murxpy releases SOLVER --add RELEASES' installs some"
        )
    jobs = options.jobs or len(os.sched_getaffinity(0))
    ensure_files(jobs)
    return CampaignConfig(
        plans,
        options.out,
        options.seed,
        jobs,
        options.time,
        options.runs,
        options.first,
        limits,
        fail_on=options.fail_on,
        machine=options.machine,
        arguments=recorded,
        minimize=options.minimize,
        judges=judges,
        judged=options.judged / 100,
        bisect=options.bisect,
        share=options.share / 100,
        compare=options.compare,
        since=began() + installing(),
        finish=options.finish,
        resume=options.resume,
        scripts=options.keep_scripts,
        scripts_decided=options.kept_runs == "decided",
    )


def _known(paths: Sequence[Path]) -> Known:
    """The defects that the user calls known. Raises InputError."""
    patterns: list[str] = []
    marks: dict[str, str] = {}
    for path in paths:
        if path.is_dir():
            keys, more = known_of(path)
        else:
            registry = read_registry(path)
            keys, more = registry.patterns(), registry.marks()
        patterns += keys
        marks.update(more)
    return patterns, marks


def _without_object(checks: Sequence[str], plans: Sequence[Plan]) -> list[str]:
    """A notice for each target that has nothing for a check that the user asked for by name."""
    lacking = [
        (plan.target.name, without_object(checks, plan.setup.get("wrapper", {}))) for plan in plans
    ]
    return [
        f"{target} has nothing that --check {','.join(names)} could check"
        for target, names in lacking
        if names
    ]


def _drawn_options(options: CampaignOptions) -> tuple[str, ...]:
    """The sets, names and patterns of the options that runs draw. Raises InputError."""
    if not options.no_option_fuzzing:
        return options.drawn_options or (LISTED,)
    if options.drawn_options not in ((), (NONE,)):
        raise InputError("--no-option-fuzzing sets no options: leave it or --options out")
    return (NONE,)


def _request(
    targets: tuple[str, ...],
    options: CampaignOptions,
    mutation: Mutation | None,
    enumeration: Enumerated | None,
) -> Request:
    quantified = () if not options.no_quantifiers else ("-QUANT",)
    of_runs = RunOptions(
        (*options.theories, *quantified),
        options.linear,
        options.smt_lib_only,
        options.logic,
        tuple(map(parse_option, options.settings)),
        not options.no_swarm,
        _drawn_options(options),
        options.limits,
        chosen_checks(options.checks),
        options.guide,
    )
    return Request(
        targets,
        options.machine,
        options.wrapper,
        options.profile,
        of_runs,
        mutation,
        enumeration,
    )


def _recorded(
    request: Request, judges: tuple[str, ...], options: CampaignOptions
) -> dict[str, Any]:
    """The user's request, as the store keeps it."""
    more = {"judges": [absolute_target(name) for name in judges]} if judges else {}
    kept = {field.name: getattr(options, field.name) for field in fields(KeptOptions)}
    if kept["baseline"] is not None:
        kept["baseline"] = absolute_target(kept["baseline"])
    return {"request": request.recorded(), "command": sys.argv[1:], **more, KEPT_OPTIONS: kept}


def _campaign(
    campaign: Campaign, options: CampaignOptions, notes: Sequence[str], finish: str
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
        print_reach(make_console(), reaches(Path(started.out)))
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
