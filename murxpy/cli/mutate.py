"""`murxpy opfuzz` and the other mutation fuzzers: campaigns of one of them. They take the options of `murxpy fuzz`, and their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from murxpy.campaign.lawcheck import check_functions
from murxpy.cli.fuzz import MUTATION_OPTIONS, fuzz, mutation_of, run
from murxpy.cli.params import duration
from murxpy.errors import InputError
from murxpy.mutation.fusion import LABELS
from murxpy.mutation.storm import CONSTRUCTED, MOST_ASSERTIONS, MOST_DEPTH

_NOT_HERE = ("targets", "mix", "machine", "theories", "no_swarm", "checks", "contract")  # of walks alone

_WALL = click.Option(["--wall"], type=duration, default="2s", metavar="TIME", show_default=True,
                     help="Wall time of a mutant; past it, the run of --iterations mutants is killed.")  # fmt: skip


def _command(name: str, about: str, own: Sequence[click.Option]) -> click.Command:
    """The command of one fuzzer, with its own options in front."""
    shared = [param for param in fuzz.params if param.name not in (*_NOT_HERE, *MUTATION_OPTIONS, "wall")]
    limits = [_WALL if param.name == "wall" else param for param in fuzz.params if param.name in (*MUTATION_OPTIONS, "wall")]
    target = click.Argument(["target"], metavar="SOLVER[@PLACE]")
    seeds = click.Argument(["seeds"], metavar="SEEDS...", nargs=-1, required=True)
    params = [target, seeds, *own, *limits, *shared]
    return click.Command(name, callback=_callback(name, [option.name or "" for option in own]), params=params, help=about)


def _callback(name: str, own: Sequence[str]) -> Callable[..., int]:
    def callback(target: str, seeds: tuple[str, ...], **wishes: Any) -> int:
        choices = {key: wishes.pop(key) for key in own}
        if choices.get("functions") is not None:
            choices["functions"] = _functions(choices["functions"])
        mutation = mutation_of(((name, 1.0),), seeds, wishes, {name: choices})
        context = click.get_current_context()
        given = {param.name: param.process_value(context, param.get_default(context)) for param in fuzz.params if param.name in _NOT_HERE}
        return run((target,), {**given, **wishes}, mutation)

    return callback


def _functions(file: Path) -> str:
    """The text of a file of fusion functions, whose laws hold. Raises InputError."""
    try:
        text = file.read_bytes().decode()
    except UnicodeDecodeError:
        raise InputError("expected SMT-LIB definitions of fusion functions, found no text", file=str(file)) from None
    check_functions(text, str(file))
    return text


storm = _command(
    "storm",
    "Fuzz with formulas of scripts, put together anew so that a model of the seed is a model of them.\n\nSEEDS are SMT-LIB scripts "
    "and folders of them.",
    [click.Option(["--unsat"], is_flag=True, help="Make unsatisfiable instances, of seeds that are labelled so."),
     click.Option(["--max-depth"], type=click.IntRange(1, 10_000), default=MOST_DEPTH, show_default=True,
                  help="Connectives above a formula of the seed, at most."),
     click.Option(["--max-assertions"], type=click.IntRange(4, 10_000), default=MOST_ASSERTIONS, show_default=True,
                  help="Assertions of an instance, at most."),
     click.Option(["--max-formulas"], type=click.IntRange(1, 1_000_000), default=CONSTRUCTED[1], show_default=True,
                  help="Formulas put together for a seed, at most.")],
)
fusion = _command(
    "fusion",
    "Fuzz with pairs of scripts made one, tied together so that the answer is known.\n\nSEEDS are SMT-LIB scripts and folders of them, "
    "labelled by (set-info :status ...).",
    [click.Option(["--oracle"], type=click.Choice(list(LABELS)), default="sat", show_default=True,
                  help="Fuse satisfiable scripts, unsatisfiable ones, or one of each."),
     click.Option(["--functions"], type=click.Path(path_type=Path), metavar="FILE",
                  help="Your own fusion functions, SMT-LIB definitions; z3 and cvc5 check their laws first."),
     click.Option(["--generate"], type=click.IntRange(0, 20), default=0, show_default=True, metavar="N",
                  help="Make fusion functions at random, of up to N links on each side.")],
)
opfuzz = _command(
    "opfuzz",
    "Fuzz with scripts whose operators are changed into conforming ones.\n\nSEEDS are SMT-LIB scripts and folders of them. "
    "Nothing is known of what a mutant must answer: give --cross-check another solver, or look for crashes alone.",
    [click.Option(["--mutations"], type=click.IntRange(1, 1000), default=1, show_default=True,
                  help="Operators changed from one mutant to the next.")],
)
typefuzz = _command(
    "typefuzz",
    "Fuzz with scripts whose expressions are replaced by new ones of their sort.\n\nSEEDS are SMT-LIB scripts and folders of them; "
    "a new expression is made of the seed's own terms. Nothing is known of what a mutant must answer: give --cross-check another "
    "solver, or look for crashes alone.",
    [click.Option(["--corpus"], type=click.IntRange(0, 20), default=0, show_default=True, metavar="N",
                  help="Take terms from N other seeds, too, drawn anew for each run.")],
)
