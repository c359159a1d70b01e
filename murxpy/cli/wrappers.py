"""`murxpy wrappers`: the wrappers of the solvers, everything that one wrapper spells, whether its
spellings work, and the beginning of a new one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from murxpy.campaign.probe import Probe, probe
from murxpy.cli.doctor import operator_gaps
from murxpy.cli.options import json_option, output_option
from murxpy.cli.params import Guarded, NamedFile, Target, Text
from murxpy.cli.report.console import make_console, print_json, say
from murxpy.cli.report.reference import (
    form_cells,
    options_table,
    profile_lines,
    spellings_table,
    wrappers_table,
)
from murxpy.cli.report.text import amount, one_line
from murxpy.data import load_wrapper, wrapper_names
from murxpy.data.skeletons import skeleton
from murxpy.data.spellings import written
from murxpy.findings.folder import write_atomically
from murxpy.processes.plans import Request, make_plans
from murxpy.processes.targets import Plan
from murxpy.solvers.wrapper import SECTIONS


class _Shows(click.Group):
    """A group whose command `show` need not be written."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take arguments that begin with no command for those of `show`."""
        if not args or args[0] not in (*self.commands, "-h", "--help"):
            args = ["show", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Shows)
def wrappers() -> None:
    """Show the wrappers of the solvers, or the spellings, options and profile of one; check one; or
    begin a new one.

    \b
    murxpy wrappers                                 # a line for each solver
    murxpy wrappers z3                              # all that one wrapper spells
    murxpy wrappers new toy --module toy > toy.yaml # what the module offers, as a wrapper to fill in
    murxpy wrappers check toy.yaml                  # what is missing, ill-spelled or never drawn
    """


@wrappers.command()
@click.argument("wrapper", metavar="[WRAPPER|FILE]", type=NamedFile(), required=False)
@json_option
def show(wrapper: str | None, as_json: bool) -> None:
    """Show the wrappers, or the spellings, options and profile of one: its name or its YAML file."""
    console = make_console()
    if wrapper is None:
        loaded = {name: load_wrapper(name) for name in wrapper_names()}
        if as_json:
            print_json(loaded)
        else:
            wrappers_table(loaded).print(console)
        return
    data = load_wrapper(wrapper)
    if as_json:
        print_json(data)
        return
    for line in (f"{data['solver']}: {data['package']} {data['releases']}".rstrip(), *_facts(data)):
        console.print(line, soft_wrap=True)
    for title, table in (
        ("spellings", spellings_table(data, SECTIONS)),
        ("options", options_table(data)),
    ):
        if table.rows:
            console.print()
            table.print(console)
        else:
            console.print(f"no {title}")
    if data["profile"]:
        console.print(
            "", "profile", *profile_lines(data["profile"], "  "), sep="\n", soft_wrap=True
        )


@dataclass(frozen=True)
class Check:
    """What a check of a wrapper found. A spelling is a section, a key and a name, and behind them why:
    the name that the release lacks, or the guards that no run met. `ill_spelled` are the messages of
    calls that are the wrapper's fault, and `refused` the operators and actions that the solver refused
    whenever they were called. `messages` are its words. `gaps` has, by reason, operators that no run can draw.
    """

    spellings: int
    called: int
    missing: list[str]
    ill_spelled: list[str]
    refused: list[str]
    messages: list[str]
    undrawn: list[str]
    gaps: dict[str, list[str]]


# The sections whose spellings runs draw; the others are asked for by murxpy itself.
_DRAWN = (
    *("sorts", "special-values", "values", "constants", "variables", "functions"),
    *("operators", "actions"),
)


def check_of(plan: Plan, found: Probe) -> Check:
    """The check of the wrapper of `plan`, with which these runs were made."""
    spellings = written(plan.setup["wrapper"], _DRAWN)
    known = [one for one in spellings if not one.more.get("unsound")]  # these are not drawn
    lacking = {(section, key, name): what for section, key, name, what in found.about["missing"]}
    missing, undrawn = list[str](), list[str]()
    called = 0
    for one in known:
        place = f"{one.section} {one.key}@{one.name}"
        if found.counts.get(one.counter):
            called += 1
        elif (what := lacking.get((one.section, one.key, one.name))) is not None:
            missing.append(f"{place} ({what})")
        else:
            when = form_cells(one.more)[1]
            undrawn.append(f"{place} (when {when})" if when else place)
    ours = [bucket.message for bucket in found.buckets if bucket.tier == "murxpy"]
    gaps = {why: kinds for why, kinds in operator_gaps(plan, found.about).items() if kinds}
    refused = [
        name.partition(":")[2]
        for name, number in found.counts.items()
        if name.startswith(("op:", "action:"))
        and number
        and not found.counts.get(name.replace(":", "-ok:", 1))
    ]
    return Check(len(known), called, missing, ours, refused, [*found.refused], undrawn, gaps)


def check_lines(check: Check, runs: int) -> Iterator[str]:
    """What the user is told of a check."""
    yield f"  {amount(check.spellings, 'spelling')}, of which {amount(runs, 'run')} called {check.called:,}"
    for title, entries in (
        ("missing in this release", check.missing),
        ("ill-spelled, by what was raised", check.ill_spelled),
        ("refused whenever they were called", check.refused),
        ("what refused calls raised", check.messages),
        ("never called with success in these runs", check.undrawn),
    ):
        yield f"  {title}: {len(entries) or 'none'}"
        yield from (f"    {one_line(entry, 160)}" for entry in entries)
    for why, kinds in check.gaps.items():
        yield f"  {why}: {', '.join(kinds)}"


@wrappers.command()
@click.argument("wrapper", metavar="WRAPPER|FILE", type=NamedFile())
@click.argument("target", metavar="[SOLVER@PLACE]", type=Target(), required=False)
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    default=300,
    metavar="N",
    show_default=True,
    help="Number of random runs, which are the same each time.",
)
@json_option
def check(wrapper: str, target: str | None, runs: int, as_json: bool) -> int:
    """Call the spellings of a wrapper, a name or a YAML file, in random runs, and say which ones the
    release lacks, which ones are ill-spelled, and which ones no run called. SOLVER@PLACE names the
    folder of the solver's module where it is not installed, as in toy@.

    Exits with 1 where a spelling is ill-spelled or the solver refuses an operator or action whenever it
    is called, and with 4 when the solver cannot be used.
    """
    named = wrapper in wrapper_names()
    targets = (target,) if target else (wrapper,) if named else ()
    (plan,) = make_plans(Request(targets, wrapper=None if named else wrapper))
    found = probe(plan, runs, len(os.sched_getaffinity(0)))
    result = check_of(plan, found)
    if as_json:
        print_json({"target": plan.target.name, "runs": found.runs, **asdict(result)})
    else:
        say(f"{plan.target.name}: {found.about['solver']} {found.about['version']}")
        for line in check_lines(result, found.runs):
            say(line)
    return 1 if result.ill_spelled or result.refused else 0


@wrappers.command()
@click.argument("name")
@click.option(
    "--module",
    cls=Guarded,
    metavar="MODULE",
    required=True,
    help="The Python module of the solver.",
)
@click.option(
    "--theories",
    type=Text(),
    default="BOOL,BV",
    show_default=True,
    metavar="A,B",
    help="The theories that the solver has.",
)
@output_option
def new(name: str, module: str, theories: str, output: Path | None) -> None:
    """Print the beginning of a wrapper for a solver called NAME, whose MODULE is imported and looked at:
    each operator of its THEORIES with the functions, methods and members of enumerations whose names
    are like the operator's. 'murxpy wrappers check' says what is still to be done.
    """
    text = skeleton(name, module, theories.split(","))
    if output is None:
        click.echo(text, nl=False)
    else:
        write_atomically(output, text)


def _facts(data: dict[str, object]) -> list[str]:
    """The facts about the whole wrapper, one a line."""
    theories = data["theories"]
    named = ", ".join(theories) if isinstance(theories, list) else ""
    sources = data["helpers_sources"]
    helpers = [path for path, _ in sources] if isinstance(sources, list) else []
    return [
        f"module: {data['module']}",
        f"theories: {named}",
        f"helpers: {', '.join(helpers) or 'none'}",
    ]
