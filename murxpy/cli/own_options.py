"""The options that each mutation fuzzer declares for itself. Its own command has them as they are, and
`murxpy fuzz --mix` has them with the fuzzer's name in front.
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
from murxpy.mutation.entry import Setting
from murxpy.mutation.registry import FUZZERS


def _option(front: str, setting: Setting) -> click.Option:
    types: dict[str, Any] = {
        "number": click.IntRange(setting.least, setting.most),
        "choice": click.Choice(list(setting.choices)),
        "functions": Existing(),
    }
    given: dict[str, Any] = {"help": setting.help}
    if setting.kind == "switch":
        given["is_flag"] = True
    else:
        given |= {"type": types[setting.kind], "metavar": setting.metavar or None}
    if setting.default is not None:
        given |= {"default": setting.default, "show_default": True}
    return click.Option([f"--{front}{setting.name}"], **given)


def own_options(name: str, *, prefix: bool = False) -> list[click.Option]:
    """The options of a fuzzer. With `prefix` its name stands in front, as in `--storm-max-depth`."""
    front = f"{name}-" if prefix else ""
    return [_option(front, setting) for setting in FUZZERS[name].settings]


def prefixed(wishes: dict[str, Any], sources: Collection[str]) -> dict[str, dict[str, Any]]:
    """Take the settings of each source out of the options of `murxpy fuzz`. Raises UsageError for
    settings of a fuzzer that is not among the sources.
    """
    context = click.get_current_context()
    choices: dict[str, dict[str, Any]] = {}
    for name, entry in FUZZERS.items():
        options = [setting.name for setting in entry.settings]
        found = {option: wishes.pop(f"{name}_{option}".replace("-", "_")) for option in options}
        if name in sources:
            choices[name] = chosen(found)
            continue
        for option in options:
            if (
                context.get_parameter_source(f"{name}_{option}".replace("-", "_"))
                is ParameterSource.COMMANDLINE
            ):
                raise click.UsageError(
                    f"--{name}-{option} is an option of {name}, which is not among the sources of --mix"
                )
    return choices


def chosen(found: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as a fuzzer reads them, with the text of a file in place of its path. Raises
    InputError.
    """
    choices = {option.replace("-", "_"): value for option, value in found.items()}
    if choices.get("functions") is not None:
        choices["functions"] = _functions(choices["functions"])
    return choices


def _functions(file: Path) -> str:
    """The text of a file of fusion functions. Raises InputError where one of their laws is wrong."""
    try:
        text = file.read_bytes().decode()
    except UnicodeDecodeError:
        raise InputError(
            "expected SMT-LIB definitions of fusion functions, found no text", file=str(file)
        ) from None
    check_functions(text, str(file))
    return text
