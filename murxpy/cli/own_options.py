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
from murxpy.campaign.judging.rule_check import prove_files
from murxpy.cli.params import Existing, names
from murxpy.errors import InputError, nearest
from murxpy.foreign import read_text
from murxpy.fuzzers.rules import proved_rules
from murxpy.mutation.entry import Setting
from murxpy.mutation.functions.choosing import BUILT_IN
from murxpy.mutation.registry import FUZZERS
from murxpy.report.console import say
from murxpy.smtlib.reading.scripts import MAX_SCRIPT

# settings that are useless beside another setting
_APART = {
    "functions_only": ("generate",),
    "concat_only": ("functions", "functions_only", "generate", "within", "all_constraints"),
}


def _option(front: str, setting: Setting) -> click.Option:
    types: dict[str, Any] = {
        "number": click.IntRange(setting.least, setting.most),
        "choice": click.Choice(list(setting.choices)),
        "functions": Existing(),
        "function-names": names(),
        "rules": names(),
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
            choices[name] = chosen(found, f"{name}-")
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


def chosen(found: Mapping[str, Any], front: str = "") -> dict[str, Any]:
    """The settings as a fuzzer reads them, with the text of a file in place of its path. The names of
    the options begin with `front`. Raises InputError.
    """
    choices = {option.replace("-", "_"): value for option, value in found.items()}
    own: list[str] = []
    if choices.get("functions") is not None:
        choices["functions"], own = _functions(choices["functions"])
    only = choices.get("functions_only") or ()
    known = list(dict.fromkeys([*own, *BUILT_IN]))
    for name in only:
        if name not in known:
            raise InputError(
                f"--{front}functions-only: unknown function '{name}'{nearest(name, known)}; known"
                f" are {', '.join(known)}"
            )
    if only:
        choices["functions_only"] = list(only)
    if choices.get("rules") == ():
        raise InputError(
            f"--{front}rules: expected names of rules or books, or files of them, found none; "
            "'murxpy rules' shows them"
        )
    if choices.get("rules"):
        for note in prove_files(choices["rules"]):
            say(f"note: {note}", err=True)
        choices["rules"] = list(choices["rules"])
        proved_rules(choices["rules"])  # a name that is none is told at once
    for option, others in _APART.items():
        for other in others:
            if choices.get(option) and choices.get(other):
                one, two = (f"--{front}{name.replace('_', '-')}" for name in (option, other))
                raise InputError(f"{one} and {two} exclude each other; leave one of them out")
    return choices


def _functions(file: Path) -> tuple[str, list[str]]:
    """The text of a file of fusion functions, and their names. Raises InputError where one of their
    laws is wrong.
    """
    text = read_text(file, "script of fusion functions", MAX_SCRIPT)
    found, notes = check_functions(text, str(file))
    for note in notes:
        say(f"note: {note}", err=True)
    return text, found
