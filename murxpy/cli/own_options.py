"""The options that each mutation fuzzer has of its own: of its command, and with its name in front
of `murxpy fuzz --mix`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from murxpy.campaign.judging.law_check import check_functions
from murxpy.cli.params import Existing
from murxpy.errors import InputError
from murxpy.mutation.fusion import LABELS
from murxpy.mutation.storm import CONSTRUCTED, MOST_ASSERTIONS, MOST_DEPTH

OWN: dict[str, dict[str, dict[str, Any]]] = {
    "storm": {
        "unsat": {
            "is_flag": True,
            "help": "Make unsatisfiable instances, of seeds that are labelled so.",
        },
        "max-depth": {
            "type": click.IntRange(1, 10_000),
            "default": MOST_DEPTH,
            "help": "Connectives above a formula of the seed, at most.",
        },
        "max-assertions": {
            "type": click.IntRange(4, 10_000),
            "default": MOST_ASSERTIONS,
            "help": "Assertions of an instance, at most.",
        },
        "max-formulas": {
            "type": click.IntRange(1, 1_000_000),
            "default": CONSTRUCTED[1],
            "help": "Formulas put together for a seed, at most.",
        },
    },
    "fusion": {
        "oracle": {
            "type": click.Choice(list(LABELS)),
            "default": "sat",
            "help": "Fuse satisfiable scripts, unsatisfiable ones, or one of each.",
        },
        "functions": {
            "type": Existing(),
            "metavar": "FILE",
            "help": "Your own fusion functions, SMT-LIB definitions; z3 and cvc5 check their laws first.",
        },
        "generate": {
            "type": click.IntRange(0, 20),
            "default": 0,
            "metavar": "N",
            "help": "Make fusion functions at random, of up to N links on each side.",
        },
    },
    "opfuzz": {
        "mutations": {
            "type": click.IntRange(1, 1000),
            "default": 1,
            "help": "Operators changed from one mutant to the next.",
        },
    },
    "typefuzz": {
        "corpus": {
            "type": click.IntRange(0, 20),
            "default": 0,
            "metavar": "N",
            "help": "Take terms from N other seeds, too, drawn anew for each run.",
        },
    },
}


def own_options(name: str, *, prefix: bool = False) -> list[click.Option]:
    """The options of a fuzzer; with `prefix` they are called `--storm-max-depth` and so on."""
    front = f"{name}-" if prefix else ""
    return [
        click.Option([f"--{front}{option}"], show_default="default" in given, **given)
        for option, given in OWN[name].items()
    ]


def prefixed(wishes: dict[str, Any], sources: Collection[str]) -> dict[str, dict[str, Any]]:
    """The settings of each of `sources`, taken out of the wishes of `murxpy fuzz`. Raises
    UsageError for settings of another one.
    """
    context = click.get_current_context()
    choices: dict[str, dict[str, Any]] = {}
    for name, options in OWN.items():
        found = {option: wishes.pop(f"{name}_{option}".replace("-", "_")) for option in options}
        if name in sources:
            choices[name] = chosen(found)
            continue
        for option in options:
            if (
                context.get_parameter_source(f"{name}_{option}".replace("-", "_"))
                is ParameterSource.COMMANDLINE
            ):
                raise click.UsageError(f"--{name}-{option} is of {name}, which --mix does not have")
    return choices


def chosen(found: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as a fuzzer reads them; a file as its text. Raises InputError."""
    choices = {option.replace("-", "_"): value for option, value in found.items()}
    if choices.get("functions") is not None:
        choices["functions"] = _functions(choices["functions"])
    return choices


def _functions(file: Path) -> str:
    """The text of a file of fusion functions, whose laws hold. Raises InputError."""
    try:
        text = file.read_bytes().decode()
    except UnicodeDecodeError:
        raise InputError(
            "expected SMT-LIB definitions of fusion functions, found no text", file=str(file)
        ) from None
    check_functions(text, str(file))
    return text
