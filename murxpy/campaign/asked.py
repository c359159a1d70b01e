"""From what a user asks for to a campaign: the options of `murxpy fuzz` and of the commands like it, and
the arguments of `murxpy.fuzz`, become plans, limits and a configuration.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from murxpy.cluster.places import parse_place
from murxpy.errors import InputError
from murxpy.findings.defects import known_of
from murxpy.findings.known import read_registry
from murxpy.findings.store import read_seed
from murxpy.fuzzers.setups import (
    AUTO,
    Enumerated,
    LimitedBy,
    Mutation,
    RunOptions,
    chosen_checks,
    needs_seeds,
    parse_option,
    without_object,
)
from murxpy.judging.operators import agree, apart, judge_plans, make_judges
from murxpy.judging.walked import with_walks
from murxpy.learning.guide import OFF
from murxpy.processes import interrupts
from murxpy.processes.environments import installed, installing
from murxpy.processes.limits import MIB, Limits, ensure_files
from murxpy.processes.plans import KEPT_OPTIONS, Request, foreign, make_plans, settle
from murxpy.processes.releases import version
from murxpy.processes.targets import Plan, absolute_target, parse_target, unnamed
from murxpy.records.config import CampaignConfig
from murxpy.solvers.options import LISTED, NONE
from murxpy.sources.mutation.registry import API
from murxpy.sources.mutation.source import TEXT

OUT = "murxpy-out"  # the output folder where none is named


# The part of --wall that one call of a random run may take of the processor's time: an eighth of a
# second. Of 287 runs of z3 that ended by themselves, one had a call that took more than half as long,
# and it did not decide. With a quarter of a second, runs that were killed took 8 to 12 % of all time.
_CALL = 0.0625
WALK_SEEDS = 200
# The defects that the user calls known: keys and patterns of buckets, and marks of defects.
Known = tuple[list[str], dict[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptOptions:
    """The options that the store keeps beside the request and the judges, because `murxpy finish` needs
    them.
    """

    compare: bool = False
    baseline: tuple[str, ...] = ()
    wall: float = 2.0
    memory: int = 2048 * MIB
    limits: LimitedBy = "solver"
    judge_limit: float = 0.2
    isolate: bool = False
    fail_on: tuple[str, ...] = ()
    minimize: bool = True
    bisect: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignOptions(KeptOptions):
    """What a campaign can be asked for, with the defaults of `murxpy fuzz`. Times are in seconds, `memory`
    is in bytes, `judged` and `share` are in percent. Only `murxpy finish` sets `resume`,
    and only `murxpy enumerate --ci` keeps the judges' `answers` in a file.
    """

    out: Path = Path(OUT)
    jobs: int | None = None
    finish: bool = False
    time: float | None = None
    runs: int | None = None
    seed: int | None = None
    theories: tuple[str, ...] = ()
    no_quantifiers: bool = False
    linear: bool = False
    smt_lib_only: bool = False
    logic: str = ""
    judges: tuple[tuple[str, ...], ...] = ()
    judged: float = 100.0
    machine: str = "default"
    contract: bool = False
    profile: str | None = None
    wrapper: str | None = None
    settings: tuple[str, ...] = ()
    no_swarm: bool = False
    guide: str = OFF
    no_option_fuzzing: bool = False
    drawn_options: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    known: tuple[Path, ...] = ()
    first: bool = False
    share: float = 5.0
    resume: bool = False
    keep_scripts: Path | None = None
    answers: Path | None = None
    kept_runs: str = "all"
    cluster: str | None = None
    lag: int | None = None
    shard: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationOptions:
    """The options that all commands that mutate seeds share."""

    iterations: int = 25
    check_limit: float = 0.05
    size_limit: int = 100_000
    through: str = TEXT
    budget: int | None = None
    stability: float = 0.0
    walk_seeds: int | None = None


def usual_mix(seeds: Sequence[str], *, contract: bool) -> str | None:
    """The mix of a user who names none: of all sources, where there are seeds, and else no mix. Raises
    InputError for seeds in contract mode.
    """
    if seeds and contract:
        raise InputError(f"{seeds[0]}: contract mode takes seeds only where a mix is named")
    return AUTO if seeds else None


def mutation_of(
    mix: Sequence[tuple[str, float]],
    seeds: Sequence[str],
    judges: Sequence[Sequence[str]],
    given: MutationOptions,
    choices: Mapping[str, Mapping[str, Any]],
    *,
    auto: bool = False,
) -> Mutation:
    """The settings of the mutation fuzzers; with `auto` for a mix that learns. Raises InputError where seeds are missing."""
    walks = given.walk_seeds
    if walks is None:
        walks = WALK_SEEDS if needs_seeds(mix) and not seeds else 0
    if needs_seeds(mix) and not seeds and not walks:
        raise InputError("no seeds: name SMT-LIB scripts or folders of them")
    if given.stability and given.through == API:
        raise InputError("--stability asks scripts: leave --through api out")
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
        auto,
    )


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


def _drawn_options(options: CampaignOptions) -> tuple[str, ...]:
    """The sets, names and patterns of the options that runs draw. Raises InputError."""
    if not options.no_option_fuzzing:
        return options.drawn_options or (LISTED,)
    if options.drawn_options not in ((), (NONE,)):
        raise InputError("--no-option-fuzzing sets no options: leave it or --options out")
    return (NONE,)


def _compared(request: Request, options: CampaignOptions) -> tuple[Request, tuple[str, ...]]:
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
    ):
        if given:
            raise InputError(
                f"'murxpy fuzz --compare' and {option} exclude each other: leave one out"
            )
    return replace(request, targets=names[:1]), names[1:]


def _baseline_plans(
    request: Request, plans: Sequence[Plan], options: CampaignOptions
) -> tuple[Plan, ...]:
    """The plans of the solvers and releases that --baseline names. Raises InputError where the campaign
    has nothing for them to do.
    """
    names = tuple(dict.fromkeys(options.baseline))
    if not names:
        return ()
    if request.mutation is None and request.enumeration is None:
        raise InputError(
            "--baseline is about scripts: use it with 'murxpy enumerate', with 'murxpy janus' or another fuzzer of "
            "scripts, or with --mix"
        )
    if request.mutation is not None and request.mutation.through not in (TEXT, "both"):
        raise InputError(f"--baseline and --through {request.mutation.through} exclude each other")
    if options.compare or len(plans) != 1:
        raise InputError("--baseline is for one target, without --compare")
    target = plans[0].target.name
    for name in names:
        if name == target:
            raise InputError(
                f"--baseline {name}: expected another solver, or another release of the target, as "
                f"{parse_target(target).solver}@RELEASE"
            )
        if not older(name, target):
            raise InputError(
                f"--baseline {name}: expected a release older than that of the target, {target}"
            )
    return judge_plans(names, request)


def older(name: str, target: str) -> bool:
    """Whether the solver called `name` may be a baseline of `target`: all but newer releases of the same
    solver, and the target itself. Raises InputError for a name that is none.
    """
    of_target, other = parse_target(target), parse_target(name)
    if name == target:
        return False
    if other.solver != of_target.solver or not other.release or not of_target.release:
        return True
    return version(other.release) < version(of_target.release)


def _limits(options: CampaignOptions, *, by_line: bool) -> Limits:
    # of two releases one may be slower
    free = options.compare or options.limits == "wall"
    limits = Limits(
        wall=options.wall,
        memory=options.memory,
        by_line=by_line,
        judge_ms=1000.0 * options.judge_limit,
        call=0.0 if free else _CALL * options.wall,
    )
    return replace(limits, recycle=1) if options.isolate else limits


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


def _refuse_programs(plans: Sequence[Plan]) -> None:
    """Raise InputError for a target of contract mode that is a program of the user."""
    for plan in plans:
        if plan.target.program:
            raise InputError(
                f"--contract is about Python bindings, and {plan.target.name} is a program: leave one of the two out"
            )


def _seed_of(options: CampaignOptions) -> int:
    """The seed of the campaign, whose walks are seeds: that of the user, else that of the folder, else a
    new one.
    """
    if options.seed is not None:
        return options.seed
    stored = read_seed(options.out)
    return secrets.randbits(32) if stored is None else stored


def _recorded(
    request: Request, judges: tuple[str, ...], options: CampaignOptions, command: Sequence[str]
) -> dict[str, Any]:
    """The user's request, as the store keeps it."""
    more = {"judges": [absolute_target(name) for name in judges]} if judges else {}
    kept = {field.name: getattr(options, field.name) for field in fields(KeptOptions)}
    kept["baseline"] = [absolute_target(name) for name in options.baseline]
    return {"request": request.recorded(), "command": [*command], **more, KEPT_OPTIONS: kept}


def unusable(request: Request, others: Sequence[str]) -> list[str]:
    """Return the things that a campaign was given and that may not be used now, because the command
    line does not name them: parts of `request`, and targets among `others`. Raises InputError for a
    name that is none.
    """
    return [
        *[name for _, name in foreign(request)],
        *[name for name in others if unnamed(name)],
    ]


# ----------------------------------------------------------------------
# A campaign that can begin.


@dataclass(frozen=True, slots=True)
class Asked:
    """A campaign that can begin: the `plans` of its targets, of its `judges` and of the older release
    that is asked about what stays unknown. `notes` are lines that its user should read, `judged` the
    names of the judges, and `command` the command line or whatever else asked for it.
    """

    request: Request
    judged: tuple[str, ...]
    options: CampaignOptions
    known: Known
    plans: tuple[Plan, ...]
    judges: tuple[Plan, ...]
    baselines: tuple[Plan, ...]
    limits: Limits
    notes: tuple[str, ...]
    command: tuple[str, ...]

    def config(self, began: float | None = None) -> CampaignConfig:
        """The configuration of the campaign, whose time counts from `began` on, by default from now.
        Raises InputError.
        """
        options = self.options
        plans = tuple(replace(p, setup={**p.setup, "callables": True}) for p in self.plans)
        if options.bisect and not any(installed(p.setup.get("wrapper") or {}) for p in plans):
            raise InputError(
                "--bisect asks the releases that are in the cache, and none of these solvers is there: "
                "'murxpy releases SOLVER --add RELEASES' installs some"
            )
        place = None if options.cluster is None else parse_place(options.cluster)
        jobs = options.jobs or max(
            1, len(os.sched_getaffinity(0)) // (place.local if place and place.local else 1)
        )
        ensure_files(jobs)
        patterns, marks = self.known
        return CampaignConfig(
            plans,
            options.out,
            options.seed,
            jobs,
            options.time,
            options.runs,
            options.first,
            self.limits,
            fail_on=options.fail_on,
            machine=options.machine,
            arguments=_recorded(self.request, self.judged, options, self.command),
            minimize=options.minimize,
            judges=self.judges,
            judged=options.judged / 100,
            bisect=options.bisect,
            share=options.share / 100,
            compare=options.compare,
            since=(time.monotonic() if began is None else began) + installing(),
            finish=options.finish,
            resume=options.resume,
            scripts=options.keep_scripts,
            scripts_decided=options.kept_runs == "decided",
            answers=options.answers,
            baselines=self.baselines,
            known=tuple(patterns),
            known_marks=marks,
            cluster=None if place is None else place.opener(),
            lag=options.lag,
            shard=options.shard,
        )


def asked(
    targets: tuple[str, ...],
    options: CampaignOptions,
    mutation: Mutation | None = None,
    enumeration: Enumerated | None = None,
    command: Sequence[str] = (),
) -> Asked:
    """The campaign on `targets` that `options` ask for: of walks, or with `mutation` of mutants, or with
    `enumeration` of enumerated scripts. Releases that are not in the cache are installed. Raises
    InputError and TargetError.
    """
    if options.shard is not None and options.compare:
        raise InputError("'murxpy fuzz --compare' and --shard exclude each other: leave one out")
    if options.shard is not None and options.seed is None and read_seed(options.out) is None:
        raise InputError("--shard: all shards of a campaign have one seed: give --seed, too")
    if options.cluster is not None:
        # Whatever is wrong with the name is said before anything is installed.
        parse_place(options.cluster).opener()
    if options.contract and mutation is not None and mutation.walks:
        raise InputError(
            "the walks of contract mode are no seeds: give SEEDS, or a mix whose sources need none"
        )
    if options.contract and options.machine == "default":
        options = replace(options, machine="contract")
    request = settle(_request(targets, options, mutation, enumeration))
    judged = tuple(dict.fromkeys(name for given in options.judges for name in given))
    if options.compare:
        request, judged = _compared(request, options)
    return prepared(request, judged, options, _known(options.known), command=command)


def prepared(
    request: Request,
    judged: tuple[str, ...],
    options: CampaignOptions,
    known: Known,
    names: Mapping[str, str] | None = None,
    command: Sequence[str] = (),
) -> Asked:
    """The campaign of `request`, whose runs the solvers called `judged` look at, and whose user knows the
    defects `known`. A target has another name in the campaign's folder where `names` says so. Raises
    InputError and TargetError.
    """
    mutation, names = request.mutation, names or {}
    plans = make_plans(request)
    if options.contract:
        _refuse_programs(plans)
    plans = tuple(
        replace(p, target=replace(p.target, name=names.get(p.target.name, p.target.name)))
        for p in plans
    )
    limits = _limits(options, by_line=mutation is not None or request.enumeration is not None)
    judges = make_judges(request, plans, judged) if judged else ()
    baselines = _baseline_plans(request, plans, options)
    notes = _without_object(options.checks, plans)
    notes += dict.fromkeys(note for plan in plans for note in plan.notes)
    # an interrupted campaign ends before its first run
    if judges and not options.compare and not interrupts.early():
        walks_apart = mutation is not None and mutation.walks_apart
        plans, of_judges = apart(plans, judges) if walks_apart else agree(plans, judges, limits)
        notes += of_judges
    if mutation is not None and mutation.walks and not interrupts.early():
        options = replace(options, seed=_seed_of(options))
        plans, walk_notes = with_walks(plans, judges, mutation, options.seed or 0, limits)
        notes += walk_notes
    return Asked(
        request,
        judged,
        options,
        known,
        plans,
        judges,
        baselines,
        limits,
        tuple(notes),
        tuple(command),
    )
