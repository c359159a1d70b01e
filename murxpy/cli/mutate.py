"""`murxpy opfuzz` and the commands of the other mutation fuzzers: each runs a campaign of one fuzzer.
A command has the options of `murxpy fuzz` and the fuzzer's own options.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

import click

from murxpy.campaign.asked import MutationOptions, mutation_of
from murxpy.cli.campaign_options import CommandOptions, taken
from murxpy.cli.campaigns import run
from murxpy.cli.fuzz import MIX_OPTIONS, fuzz
from murxpy.cli.options import Grouped, chosen, listed, own_options, time_option
from murxpy.cli.params import MISSING_SEEDS, Existing, names
from murxpy.fuzzers.setups import SCRIPT_CHECKS
from murxpy.sources.mutation.registry import FUZZERS

_NOT_HERE = (
    "targets",
    "mix",
    "machine",
    "theories",
    "no_quantifiers",
    "linear",
    "smt_lib_only",
    "logic",
    "no_swarm",
    "contract",
    "compare",
)  # options of walks alone

(WALL,) = listed(
    time_option(
        "--wall",
        "2s",
        "Wall time of a mutant. When a mutant takes longer, its run of --iterations mutants is killed. With "
        "--run-seed it is 20s where it is not given.",
    )
)

CHECK = click.Option(
    ["--check", "checks"],
    type=names([*SCRIPT_CHECKS, "all", "none"]),
    default="",
    metavar="NAMES",
    help="What some mutants are asked for and what is then checked: models of sat answers, cores of unsat answers; "
    "all or none.  [default: models,cores]",
)


def _command(name: str, about: str) -> click.Command:
    """The command of one fuzzer; its own options come first."""
    own = own_options(name)
    limited = (*(field.name for field in fields(MutationOptions)), "wall")
    shared = [
        CHECK if param.name == "checks" else param
        for param in fuzz.params
        if param.name not in (*_NOT_HERE, *limited, *MIX_OPTIONS)
    ]
    limits = [
        WALL if param.name == "wall" else param for param in fuzz.params if param.name in limited
    ]
    target = click.Argument(["target"], metavar="SOLVER[@PLACE]")
    seeds = click.Argument(
        ["seeds"],
        metavar="SEEDS...",
        nargs=-1,
        required=True,
        type=Existing(MISSING_SEEDS, text=True),
    )
    params = [target, seeds, *own, *limits, *shared]
    return Grouped(
        name,
        callback=_callback(name, [option.name or "" for option in own]),
        params=params,
        help=about,
        examples=[
            (f"murxpy {name} z3 seeds/ --time 5m", "scripts and folders of them are seeds"),
            (f"murxpy {name} z3 seeds/ --options all", "mutants set any options of the solver"),
            (f"murxpy {name} z3 seeds/ --cross-check cvc5", "cvc5 answers each mutant, too"),
            (f"murxpy fuzz z3 seeds/ --mix api:2,{name}:2", "half of the runs call the API"),
        ],
    )


def _callback(name: str, own: Sequence[str]) -> Callable[..., int]:
    def callback(target: str, seeds: tuple[str, ...], **given: Any) -> int:
        options, of_mutants = taken(CommandOptions, given), taken(MutationOptions, given)
        choices = {name: chosen({key: given[key] for key in own})}
        mutation = mutation_of(((name, 1.0),), seeds, options.judges, of_mutants, choices)
        return run((target,), options, mutation)

    return callback


COMMANDS = {name: _command(name, entry.about) for name, entry in FUZZERS.items() if entry.command}
