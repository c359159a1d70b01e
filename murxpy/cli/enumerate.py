"""`murxpy enumerate`: a campaign that tests every script of a grammar up to an index."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import click

from murxpy.campaign.asked import MutationOptions, older
from murxpy.cli.campaign_options import CommandOptions, taken
from murxpy.cli.campaigns import run
from murxpy.cli.fuzz import MIX_OPTIONS, fuzz
from murxpy.cli.mutate import WALL
from murxpy.cli.options import (
    CHECK_LIMIT,
    TARGETS,
    Grouped,
    check_span,
    count_option,
    listed,
    span_options,
    time_option,
)
from murxpy.cli.params import Guarded, NamedFile, began, duration, judge_names, names
from murxpy.cli.report.console import make_console, say
from murxpy.cli.report.enumeration import (
    calls_guarantee,
    calls_table,
    given_up,
    given_up_table,
    guarantee,
    guarantee_table,
    judged,
    judged_lines,
    judged_table,
    left_table,
    left_unknown,
    tested,
    whole_sizes,
)
from murxpy.data import default_judges, is_installed, is_same_solver
from murxpy.errors import FolderLost, InputError
from murxpy.findings.store import read_given_up, read_scripts
from murxpy.fuzzers.setups import SCRIPT_CHECKS, Enumerated, checked, enumeration_setup, of_calls
from murxpy.judging.kept_answers import FILE as ANSWERS
from murxpy.processes import interrupts
from murxpy.processes.environments import print_notice, user_cache
from murxpy.processes.plans import Request, check_targets
from murxpy.processes.targets import parse_target
from murxpy.solvers.options import NONE
from murxpy.sources.enumeration.blocks import BY_JUDGES, BY_TARGET, LARGEST, Blocks
from murxpy.sources.enumeration.grammar import Grammar, first_large
from murxpy.sources.mutation.fuzzers.enumerate import QUICK

LIMIT = (
    "25ms"  # of a check: twice that decides one script in 100 more, and costs half as much again
)
FIRST = 51_000  # of the scripts of each grammar; they show 80 % of what 8 million show
LARGE = 4096  # characters of a large script
LARGE_TAKE = 5_000  # scripts from each large index on
_FARTHER = 10**10  # times the index before
_INCOMPLETE = {
    BY_JUDGES: "Incompleteness of judges: scripts that the target decides and a judge gives up",
    BY_TARGET: "Incompleteness of the target: scripts that a judge decides and the target gives up",
}
_NOT_HERE = (
    "targets",
    "mix",
    "machine",
    "theories",
    "no_swarm",
    "guide",
    "no_option_fuzzing",
    "contract",
    "compare",
    "runs",
    "seed",
    *(field.name for field in fields(MutationOptions) if field.name != "check_limit"),
    *MIX_OPTIONS,
)
_OWN = (
    click.Argument(["target"], metavar="SOLVER[@PLACE]"),
    Guarded(
        ["--grammar", "grammars"],
        type=names(),
        default="",
        metavar="NAMES",
        help="Grammars whose scripts are tested, in turn: names from 'murxpy grammars', and files of your own.",
    ),
    click.Option(
        ["--calls"],
        type=click.IntRange(1, 12),
        metavar="K",
        help="Instead of scripts, make all sequences of up to K calls of the solver over a pool of terms.",
    ),
    Guarded(
        ["--pool"],
        type=NamedFile(),
        metavar="NAME",
        help="Pool of --calls: a name under fsm/calls, or a file of your own.  [default: core]",
    ),
    click.Option(
        ["--ci"],
        type=duration,
        metavar="TIME",
        help="Continuous integration: stop after this time, and take the grammars "
        f"{','.join(QUICK)} where --grammar names none.",
    ),
    click.Option(
        ["--large"],
        type=click.IntRange(1, 100),
        metavar="N",
        help=f"Test large scripts, N times --take of each grammar ({LARGE_TAKE:,}): from the first power of ten on whose "
        "script has 4 KB, then from indices 10^10 times as large. Each has a folder of its own below --out.",
    ),
    click.Option(
        ["--no-reference"],
        is_flag=True,
        help="With --ci and without --cross-check, have no other solver confirm the answers.",
    ),
    *listed(span_options("Test", FIRST)),
    click.Option(
        ["--canonical"],
        is_flag=True,
        help="Skip a script that is another one but for the names of constants or the order of operands.",
    ),
    click.Option(
        ["--simplify"],
        is_flag=True,
        help="Have the solver simplify the terms of the scripts, and compare what it makes of them with our "
        "evaluation: at all points where there are few.",
    ),
    *listed(count_option("--block", "Number of scripts that one run tests.", 100, LARGEST)),
)
(_LIMIT,) = listed(
    time_option("--check-limit", LIMIT, f"{CHECK_LIMIT}, and twice this time by the clock.")
)
(_BASELINES,) = listed(
    click.option(
        "--baseline",
        type=judge_names,
        default="",
        metavar=TARGETS,
        help="Ask these other solvers, or older releases, about scripts that the target leaves unknown, until one decides: "
        "where one does and the target gives up, that is a finding.  [default: those of --cross-check]",
    )
)
_CHECK = click.Option(
    ["--check", "checks"],
    type=names([*SCRIPT_CHECKS, "all", "none"]),
    default="",
    metavar="NAMES",
    help="What scripts are asked for and what is then checked: models of sat answers, cores of unsat answers; all or "
    "none. With both, every other script asks for a core.  [default: models]",
)
_DRAWN = click.Option(
    ["--options", "drawn_options"],
    type=names(),
    default="",
    metavar="SETS|NAMES",
    help="Options of the solver of which each block of scripts draws one or two: listed (those with an entry in the "
    "wrapper), the solver's sets common and regular, all, or names and patterns.  [default: none]",
)
_SHARED = {
    "drawn_options": _DRAWN,
    "baseline": _BASELINES,
    "checks": _CHECK,
    "wall": WALL,
    "check_limit": _LIMIT,
}


def _params() -> list[click.Parameter]:
    shared = [param for param in fuzz.params if param.name not in (*_NOT_HERE, "first")]
    return [*_OWN, *(_SHARED.get(param.name or "", param) for param in shared)]


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumerateOptions:
    """The options of the command's own."""

    grammars: tuple[str, ...]
    calls: int | None
    pool: str | None
    ci: float | None
    first: int | None
    at: int | None
    take: int | None
    canonical: bool
    simplify: bool
    no_reference: bool
    large: int | None
    block: int
    check_limit: float


def _enumerate(target: str, **given: Any) -> int:
    """Test every script of a grammar, the smallest first, up to an index.

    At the end stands what that guarantees: up to which size all scripts were tested, and how many
    were answered. A campaign that is stopped goes on where it was.
    """
    own, options = taken(EnumerateOptions, given), taken(CommandOptions, given)
    check_targets(Request((target,), wrapper=options.wrapper))
    if not own.large:
        check_span(own.first, own.at, own.take)
    if own.simplify and options.judges:
        raise click.UsageError("--simplify asks for no answers: leave --cross-check out")
    if own.ci is not None and options.time is not None:
        raise click.UsageError("--ci and --time exclude each other: leave one out")
    enumerated = _wanted(own)
    if not options.drawn_options:
        options = replace(options, drawn_options=(NONE,))
    if not options.checks and not own.simplify and not own.calls:
        options = replace(options, checks=("models",))
    notes: Sequence[str] = ()
    if own.ci is not None and not own.simplify:
        options, notes = _daily(options, target, own.no_reference)
    if not options.baseline and not own.calls:
        judges = [name for given in options.judges for name in given]
        options = replace(options, baseline=tuple([j for j in judges if older(j, target)]))
    if own.ci is not None:
        options = replace(options, time=own.ci)
    if options.run_seed is not None:  # it must name a block
        Blocks(enumeration_setup(enumerated)).of(options.run_seed)
    if own.large:
        return _far(enumerated, target, options, own.large)
    return _done(enumerated, target, options, notes)


def _done(
    enumerated: Enumerated, target: str, options: CommandOptions, notes: Sequence[str] = ()
) -> int:
    """Do the campaign, tell what it guarantees, and return the exit code."""
    code = run((target,), options, enumeration=enumerated, notes=notes)
    if options.run_seed is None:
        try:
            _tell(enumerated, target, options.out, as_json=options.as_json)
        except InputError:  # a campaign that lost its folder has said so
            if code != FolderLost.exit_code:
                raise
    return code


def _far(enumerated: Enumerated, target: str, options: CommandOptions, times: int) -> int:
    """Do a campaign for each grammar and each of its large indices, one after another, and return the
    largest exit code. Each gets the same part of the time that is left. Ctrl-C ends the last one.
    """
    grammars = [checked(name) for name in enumerated.grammars]
    firsts = [_first_of(grammar, options.out) for grammar in grammars]
    indices = [first * _FARTHER**turn for turn in range(times) for first in firsts]
    codes = [0]
    for number, at in enumerate(indices):
        name = enumerated.grammars[number % len(grammars)]
        plain = grammars[number % len(grammars)].name
        out = options.out / f"{plain}-1e{len(str(at)) - 1}"
        one = replace(enumerated, grammars=(name,), at=at)
        until = options.time
        if until is not None:  # a campaign counts its time from when the command began
            spent = time.monotonic() - began()
            until = spent + max(0.0, until - spent) / (len(indices) - number)
        codes.append(_done(one, target, replace(options, out=out, time=until)))
        if interrupts.early():
            break
    return max(codes)


def _first_of(grammar: Grammar, out: Path) -> int:
    """The first large index of a grammar. In a folder that has campaigns of the grammar, it is the least
    of theirs, so that it is sought only once.
    """
    names = [path.name for path in out.iterdir()] if out.is_dir() else []
    found = [re.fullmatch(rf"{re.escape(grammar.name)}-1e(\d{{1,4}})", name) for name in names]
    digits = [int(match[1]) for match in found if match is not None]
    if digits:
        return int(10 ** min(digits))
    print_notice(f"looking for the first script of {grammar.name} with {LARGE:,} characters")
    first = first_large(grammar, LARGE)
    print_notice(f"{grammar.name}: script 1e{len(str(first)) - 1} is the first")
    return first


def _daily(
    options: CommandOptions, target: str, alone: bool
) -> tuple[CommandOptions, Sequence[str]]:
    """The options of a campaign that is run each day: the first other solver that is installed confirms
    the answers, unless the user names judges or wants the target `alone`. What judges answer is kept
    in a file, so that the next day costs the target alone. The second value says who confirms them.
    """
    judges = options.judges
    notes: Sequence[str] = ()
    if not judges and not alone:
        family = parse_target(target).solver
        others = [n for n in default_judges() if not is_same_solver(n, family)]
        name = next((n for n in others if is_installed(n)), "")
        if not name:
            lacking = " ".join(others)
            return options, [
                f"no other solver is installed, so that nobody confirms the answers: 'pip install {lacking}' adds one"
            ]
        notes = [f"{name} confirms the answers; --cross-check names others, --no-reference none"]
        judges = ((name,),)
    answers = user_cache() / ANSWERS if judges else None
    return replace(options, judges=judges, answers=answers), notes


def _wanted(own: EnumerateOptions) -> Enumerated:
    """Return the scripts or the sequences of calls that are to be enumerated. Raises UsageError,
    InputError.
    """
    if own.ci is None and not own.grammars and not own.calls:
        raise click.UsageError("name grammars with --grammar, or give --ci TIME or --calls K")
    if own.large and (
        own.calls or own.at is not None or own.first is not None or own.ci is not None
    ):
        raise click.UsageError(
            "--large goes with --take, and not with --calls, --at, --first or --ci"
        )
    enumerated = Enumerated(
        own.grammars or QUICK,
        own.take or own.first or (LARGE_TAKE if own.large else FIRST),
        own.at or 0,
        own.block,
        1000.0 * own.check_limit,
        own.simplify,
        canonical=own.canonical,
    )
    if not own.calls and own.pool is None:
        return enumerated
    others = (own.grammars, own.ci is not None, own.at is not None, own.simplify, own.canonical)
    if not own.calls or any(others):
        raise click.UsageError(
            "--calls goes with --pool and --first, and not with --grammar, --at, --ci, --simplify or --canonical"
        )
    return of_calls(enumerated, own.pool or "core", own.calls, own.first)


def _tell(enumerated: Enumerated, target: str, out: Path, *, as_json: bool) -> None:
    """Print what the campaign in the folder `out` guarantees, of all its sessions."""
    grammars = enumerated.loaded()
    counters = read_scripts(out, target)
    rows = tested(grammars, enumerated.at, enumerated.take, counters)
    answered, left = judged(counters), left_unknown(counters)
    tried = range(enumerated.at, enumerated.at + enumerated.take)
    lost = {
        side: given_up(grammars, kept, tried)
        for side, kept in read_given_up(out, target).items()
        if side in _INCOMPLETE and kept
    }
    if as_json:
        for row in rows:
            figures = {**asdict(row), "decided": row.decided, "scripts": str(row.scripts)}
            click.echo(json.dumps({"event": "tested", **figures}))
        for scripts in answered:
            click.echo(json.dumps({"event": "judged", **asdict(scripts)}))
        for side, causes in lost.items():
            for cause in causes:
                click.echo(json.dumps({"event": "gave-up", "by": side, **asdict(cause)}))
        for unknown in left:
            click.echo(json.dumps({"event": "left-unknown", **asdict(unknown)}))
        return
    console = make_console()
    if enumerated.calls:
        click.echo("\nSequences of calls")
        calls_table(rows).print(console)
        for line in calls_guarantee(rows, target):
            say(line)
        return
    click.echo("\nScripts")
    guarantee_table(rows).print(console)
    if answered:
        click.echo("\nAnswers of judges to decided scripts")
        judged_table(answered).print(console)
    for side, causes in lost.items():
        click.echo(f"\n{_INCOMPLETE[side]}")
        given_up_table(causes).print(console)
    if left:
        click.echo("\nScripts that are unknown, of which a judge was asked")
        left_table(left).print(console)
    for line in (*guarantee(rows, target), *judged_lines(answered, whole_sizes(rows))):
        say(line)


COMMAND = Grouped(
    "enumerate",
    callback=_enumerate,
    params=_params(),
    help=_enumerate.__doc__,
    examples=[
        (
            "murxpy enumerate z3 --grammar strings,ints --cross-check cvc5",
            "the first 51,000 of both",
        ),
        ("murxpy enumerate z3 --grammar arrays --at 1e275 --take 5000", "large ones"),
        ("murxpy enumerate z3 --grammar arrays,ints --large 6", "six times 5,000 of 4 KB and more"),
        ("murxpy enumerate z3 --calls 4", "all sequences of up to four calls of the solver"),
        ("murxpy enumerate z3 --grammar ints5 --check cores", "cores of two assertions"),
        (
            "murxpy enumerate 'z3[smt.arith.solver=2]' --grammar ints --cross-check z3",
            "one configuration against another",
        ),
        ("murxpy enumerate cvc5 --grammar strings --options common", "with drawn options"),
        (
            "murxpy enumerate z3 --ci 20m",
            "as much as 20 minutes allow, confirmed by another solver, for continuous integration",
        ),
    ],
)
