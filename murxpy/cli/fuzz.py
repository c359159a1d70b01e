"""`murxpy fuzz`: a campaign on one solver or several, or a single random run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from murxpy.campaign.asked import MutationOptions, mutation_of, usual_mix
from murxpy.cli.campaign_options import CommandOptions, taken
from murxpy.cli.campaigns import run
from murxpy.cli.completing import theories as theory_names
from murxpy.cli.options import (
    CHECK_LIMIT,
    JUDGES,
    TARGETS,
    WHAT,
    Grouped,
    cluster_options,
    count_option,
    jobs_option,
    judges_option,
    memory_option,
    out_option,
    own_options,
    percent_option,
    prefixed,
    seed_option,
    theory_option,
    time_option,
)
from murxpy.cli.params import (
    OUT,
    Existing,
    NamedFile,
    Text,
    duration,
    judge_names,
    names,
    run_seed,
)
from murxpy.data import wrapper_names
from murxpy.data.machines import DEFAULT
from murxpy.errors import InputError
from murxpy.findings.kinds.registry import KINDS
from murxpy.fuzzers.seeds import SUFFIX, TRACE
from murxpy.fuzzers.setups import CHECKS, DEFAULT_CHECKS, WAYS, is_auto, parse_mix, walked_machines
from murxpy.learning.guide import OFF
from murxpy.learning.guide import WAYS as WAYS_TO_GUIDE
from murxpy.processes.targets import solver_of
from murxpy.sources.mutation.registry import API, FUZZERS

_EXAMPLES = (
    ("murxpy fuzz z3 --cross-check cvc5 --time 10m", "random API calls; cvc5 answers, too"),
    ("murxpy fuzz z3 --mix api:2,opfuzz:1,storm:1", "also mutate the formulas of walks"),
    ("murxpy fuzz z3 seeds/ --mix api:2,fusion:1,opfuzz:1", "also mutate scripts"),
    ("murxpy fuzz z3 seeds/", "all sources; most time for those that find most"),
    ("murxpy fuzz z3 --mix auto,api,parts,rewriting", "random API calls in several ways"),
    ("murxpy fuzz z3 --options 'arith.nl.*,ff.*'", "which options of the solver runs set"),
    ("murxpy fuzz z3 --machine parts", "optimizers, fixed points and other parts of the API"),
    ("murxpy fuzz z3 --time 10m --finish", "also group and describe all findings"),
    ("murxpy fuzz z3@4.13.0 z3@latest --runs 2000 --compare", "what the newer release broke"),
    ("murxpy fuzz z3 --cluster tcp://head:8786 --time 24h", "on many machines"),
    ("murxpy fuzz z3@build --gcov build", "which lines of a build with gcov are reached"),
    ("murxpy fuzz 'smt2:/opt/solver --incremental'", "any program that reads SMT-LIB"),
)


@click.command(cls=Grouped, examples=_EXAMPLES, under={"linear": WHAT})
@click.argument("targets", metavar="SOLVER[@PLACE]... [SEEDS...]", nargs=-1)
@click.option(
    "--time", type=duration, metavar="TIME", help="Stop after this time, such as 60s, 5m or 2h."
)
@count_option("--runs", "Stop after this number of runs on each target.")
@jobs_option(
    "Number of processes that make runs, at least one for each target; judges and --share have their own.  [default: one "
    "for each usable CPU]",
    default=None,
)
@seed_option("Seed of the campaign.  [default: the seed of the campaign in --out, or a new one]")
@out_option("Output folder. A campaign that is already in it goes on.", OUT)
@cluster_options
@click.option(
    "--theories",
    type=names(candidates=theory_names),
    default="",
    metavar="NAMES",
    help="Use only these theories, such as BV,FP,QUANT; with -FP all others.",
)
@click.option(
    "--no-quantifiers", is_flag=True, help="Use no quantifiers, as with --theories -QUANT."
)
@click.option(
    "--smt-lib-only",
    is_flag=True,
    help="Take only actions for which a script of SMT-LIB has a command, and no checks of answers.",
)
@click.option("--linear", is_flag=True, help="Use only linear arithmetic.")
@click.option(
    "--logic",
    type=Text(),
    metavar="NAME|PATTERN",
    default="",
    help="Give each run the theories of a logic of SMT-LIB, such as QF_AUFBV, or of one that 'QF_*' fits.",
)
@judges_option(
    f"{JUDGES}: each decided check; repeatable.",
    multiple=True,
)
@time_option(
    "--judge-limit",
    "200ms",
    "Limit of each check that a judge is asked: its own resource limit that takes about this time.",
)
@percent_option(
    "--judged",
    100.0,
    "So many of the runs are judged, drawn by their seeds, because a judge may take longer than a run.",
)
@click.option(
    "--baseline",
    type=judge_names,
    default="",
    metavar=TARGETS,
    help="Ask these older releases, or other solvers, about scripts that the target leaves unknown, until one decides: "
    "where one does and the target gives up, that is a finding. With mutation fuzzers and 'enumerate'.",
)
@click.option(
    "--compare",
    is_flag=True,
    help="Compare two releases, the older named first: the newer replays each run of the older, and only what it broke is found.",
)
@click.option(
    "--machine",
    type=NamedFile(),
    default="default",
    metavar="NAME|FILE",
    show_default=True,
    help="State machine that makes the runs.",
)
@click.option(
    "--contract",
    is_flag=True,
    help="Misuse the binding on purpose: make wrong calls, which it must refuse cleanly, and end the lives of objects early.",
)
@click.option(
    "--profile", type=NamedFile(), metavar="FILE", help="More restrictions on what is generated."
)
@theory_option
@click.option(
    "--wrapper",
    type=NamedFile(),
    metavar="FILE",
    help="Wrapper of a solver. Its solver is the target if no other is named.",
)
@click.option(
    "--set",
    "settings",
    type=Text(),
    multiple=True,
    metavar="NAME=VALUE",
    help="Set this option of the solver in every run; repeatable.",
)
@click.option(
    "--no-swarm",
    is_flag=True,
    help="Give each run all theories and operators, with the machine's weights.",
)
@click.option(
    "--guide",
    type=click.Choice(WAYS_TO_GUIDE),
    default=OFF,
    show_default=True,
    help="What runs are made of is learnt: from what the solver says of itself (statistics), or also from findings and costs (bandit); "
    "or walks in which the solver did something new are varied (corpus).",
)
@click.option("--no-option-fuzzing", is_flag=True, help="The same as --options none.")
@click.option(
    "--options",
    "drawn_options",
    type=names(),
    default="",
    metavar="SETS|NAMES",
    help="Options of the solver that are set at random: none, listed (those with an entry in the wrapper), the solver's sets "
    "safe, common and regular, all, or names and patterns, such as common,'nl-*'.  [default: listed]",
)
@click.option(
    "--limits",
    type=click.Choice(["solver", "wall"]),
    default="solver",
    show_default=True,
    help="What ends a check: the solver's own resource limit, or only --wall.",
)
@click.option(
    "--check",
    "checks",
    type=names([*CHECKS, "all", "none"]),
    default="",
    metavar="NAMES",
    help=f"What is checked of answers: {', '.join(CHECKS)}; all or none.  [default: {', '.join(DEFAULT_CHECKS)}]",
)
@time_option(
    "--wall",
    "2s",
    "Wall time of a run, or with --mix of each of its mutants. A run that takes longer is killed, and so is a random run in which "
    "one call takes an eighth of this time of the processor. With --run-seed it is 20s where it is not given.",
)
@memory_option
@click.option("--isolate", is_flag=True, help="Fork a new process for each run.")
@click.option(
    "--known",
    type=Existing(),
    multiple=True,
    metavar="FILE|OUT",
    help="File of known bugs (a registry of 'murxpy known', or a list of keys, patterns or marks), or the output folder of "
    "another campaign, whose defects do not count; repeatable.",
)
@click.option(
    "--fail-on",
    type=names(KINDS),
    default="",
    metavar="KINDS",
    help="Further kinds of findings that make the exit code 1, such as hang,out-of-memory.",
)
@click.option(
    "--mix",
    type=Text(),
    metavar="SOURCES",
    help="Sources of the runs with weights, such as api:4,opfuzz:2."
    " api walks the machine of --machine, and the name of a shipped machine, such as parts, that one."
    " With auto in front (auto,api,opfuzz), sources with more new findings get more time; auto alone means all sources."
    " Mutation fuzzers take SEEDS, or else walks.  [default: auto with SEEDS, and api without]",
)
@click.option(
    "--iterations",
    type=click.IntRange(1, 1_000_000),
    default=25,
    show_default=True,
    help="Number of mutants of a seed in one run. Those of storm come of one pool of formulas, which gives at most 300 to 1,000.",
)
@count_option(
    "--budget",
    "Number of mutants that each fuzzer makes of a seed at most. When all seeds are used up, the campaign ends.",
)
@time_option(
    "--check-limit",
    "50ms",
    f"{CHECK_LIMIT}; of mutants.",
)
@click.option(
    "--through",
    type=click.Choice(WAYS),
    default=WAYS[0],
    show_default=True,
    help="Give mutants to the solver as text, call by call through its API, or either in half of the runs.",
)
@click.option(
    "--size-limit",
    type=click.IntRange(1),
    default=100_000,
    metavar="BYTES",
    show_default=True,
    help="Size of the largest seed that is used.",
)
@click.option(
    "--walk-seeds",
    type=click.IntRange(0, 10_000),
    metavar="N",
    help="Number of walks whose formulas the mutation fuzzers take as seeds, beside SEEDS.  "
    "[default: 200 without SEEDS, else 0]",
)
@percent_option(
    "--stability",
    0.0,
    "Of so many mutants also ask variants that mean the same, for 'murxpy statistics'.",
)
@click.option(
    "--stop-at-first",
    "first",
    is_flag=True,
    help="Stop at the first finding that makes the exit code 1.",
)
@click.option(
    "--minimize/--no-minimize",
    default=True,
    help="Make the traces of findings smaller while the campaign runs, within --share.  [default: --minimize]",
)
@click.option(
    "--bisect",
    is_flag=True,
    help="Find out which of the releases in the cache show a finding; see 'murxpy releases'.",
)
@click.option(
    "--finish",
    is_flag=True,
    help="When --time is over, do at once what is left: confirm, group and describe all that was found. Without it the "
    "campaign ends 15 s after --time, or a tenth of it, and 'murxpy finish' does the rest.",
)
@percent_option(
    "--share",
    5.0,
    "Part of the campaign's CPU time for --minimize, --bisect, programs and gdb, the worst findings first. The rest "
    "follows after the last run.",
)
@click.option(
    "--keep-scripts",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the formula of each run as SMT-LIB to DIR/LOGIC/STATUS, for other fuzzers and solvers.",
)
@click.option(
    "--kept-runs",
    type=click.Choice(["all", "decided"]),
    default="all",
    show_default=True,
    help="Of which runs --keep-scripts writes the formula: all, or those with a check that was decided.",
)
@click.option(
    "--gcov",
    type=Existing(),
    metavar="BUILD",
    help="Count the lines that are reached of a solver built with 'gcc --coverage' in the folder BUILD; see 'murxpy coverage'.",
)
@click.option(
    "--run-seed",
    type=run_seed,
    metavar="HEX",
    help="Do only the run of this seed, and write its trace to standard output as it happens.",
)
@click.option(
    "--statistics",
    is_flag=True,
    help="Also print tables at the end: operators, states, actions, refusals, mutants, seeds. 'murxpy statistics' prints them later.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Write the events as JSON, one object a line."
)
def fuzz(targets: tuple[str, ...], mix: str | None, **given: Any) -> int:
    """Fuzz solvers through their Python APIs until --time or --runs is reached, or until Ctrl-C.

    A target is a solver (z3, cvc5, cvc5-pythonic) that is installed beside murxpy. With SOLVER@PLACE it is the
    solver in another virtual environment, or in a build folder; with smt2:COMMAND it is a program that
    reads SMT-LIB on its standard input. With SEEDS, SMT-LIB scripts or folders of them, mutation fuzzers
    change these beside the random calls (--mix). Findings are kept under --out.
    """
    targets, seeds = _sorted_out(targets)
    options, of_mutants = taken(CommandOptions, given), taken(MutationOptions, given)
    if not targets and options.wrapper is None:
        raise click.UsageError(
            "name a solver, such as z3 or cvc5 ('murxpy wrappers' lists them), or give --wrapper"
        )
    if mix is None:
        mix = usual_mix(seeds, contract=options.contract)
    if options.judged < 100 and not options.judges:
        raise click.UsageError(
            "--judged is about the runs that judges see: give --cross-check, too"
        )
    if options.smt_lib_only and options.contract:
        raise click.UsageError(
            "--contract makes calls that no script has: leave --smt-lib-only out"
        )
    if mix is None and of_mutants.stability:
        raise click.UsageError("--stability asks variants of mutants: give --mix, or leave it out")
    sources = () if mix is None else parse_mix(mix, of_mutants.through)
    choices = prefixed(given, [name for name, _ in sources])
    if not sources:
        return run(targets, options)
    auto = mix is not None and is_auto(mix)
    mutation = mutation_of(sources, seeds, options.judges, of_mutants, choices, auto=auto)
    if options.machine != DEFAULT and set(dict(sources)) <= set(walked_machines()):
        raise click.UsageError(
            f"no source of --mix walks the machine of --machine: add '{API}', or leave --machine out"
        )
    return run(targets, options, mutation)


def _sorted_out(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The solvers among the arguments, and the seeds: files and folders that exist. Raises InputError
    for a name that can only be a missing seed.
    """
    wrappers = wrapper_names()
    others = [
        name
        for name in names
        if name not in wrappers
        and solver_of(name) == name
        and Path(name).suffix not in (".yaml", ".yml")
    ]
    seeds = [name for name in others if Path(name).exists()]
    missing = [
        name
        for name in others
        if name not in seeds and (Path(name).suffix in (SUFFIX, TRACE) or os.sep in name)
    ]
    if missing:
        raise InputError("there is no such file", file=missing[0])
    return tuple(name for name in names if name not in seeds), tuple(seeds)


_OF_MIX = [option for name in FUZZERS for option in own_options(name, prefix=True)]
MIX_OPTIONS = tuple(option.name for option in _OF_MIX)
_AT = next(at for at, param in enumerate(fuzz.params) if param.name == "mix") + 1
fuzz.params[_AT:_AT] = _OF_MIX  # behind --mix
