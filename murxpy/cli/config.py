"""`murxpy config`: which values of options hold, and where they come from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import click

from murxpy.cli import SOURCES, commands, murxpy
from murxpy.cli.configuration import (
    ENVIRONMENT,
    FILE,
    NAMED,
    PLUGINS,
    PROJECT,
    USER,
    Given,
    Source,
    each_option,
    environment,
    holding,
    plugins_of,
    user_file,
    variable,
)
from murxpy.cli.options import json_option
from murxpy.cli.report.console import make_console, print_json, say
from murxpy.cli.report.tables import Table, kinds
from murxpy.errors import InputError, nearest

_ABOUT = {
    NAMED: "named by --config",
    PROJECT: "of the project, not trusted: it names no programs, wrappers, files and folders",
    USER: "your own",
}
_TRUSTED = "of the project, trusted"


@dataclass(frozen=True, slots=True)
class _Value:
    """The value of an option, and where it comes from: a file and a line, an environment variable, or
    the default. With `shared` it stands above the tables of its file. `hides` are the values that it
    goes before.
    """

    command: str
    option: str
    value: Any
    origin: str
    file: str = ""
    line: int | None = None
    shared: bool = False
    hides: tuple[Given, ...] = ()

    @property
    def place(self) -> str:
        return self.origin if not self.file else _place(self.file, self.line)


@click.command()
@click.argument("command", metavar="[COMMAND]", required=False)
@json_option
@click.pass_context
def config(ctx: click.Context, command: str | None, as_json: bool) -> None:
    """Show the options that configuration files and environment variables give, and from where each
    comes; with COMMAND all options of this command.

    The command line goes before MURXPY_COMMAND_OPTION in the environment, this before the file of
    'murxpy --config FILE', then murxpy.toml or [tool.murxpy] in the pyproject.toml of the project,
    then your own file in ~/.config/murxpy/config.toml, then the default.

    \b
    murxpy config
    murxpy config fuzz                            # with defaults
    murxpy --config nightly.toml config fuzz --json
    """
    known = commands()
    if command is not None and command not in known:
        raise InputError(f"unknown command '{command}'{nearest(command, known)}")
    sources: list[Source] = ctx.meta.get(SOURCES, [])
    values = list(_values(ctx, sources, command, every=True) if command else _all(ctx, sources))
    if as_json:
        print_json(_plain(sources, values))
        return
    for source in sources:
        say(
            f"{source.path}: {_TRUSTED if source.origin == PROJECT and source.trusted else _ABOUT[source.origin]}"
        )
    if not sources:
        say(f"no {FILE} here or above, and no {user_file() or 'home folder'}")
    if values:
        table = Table(kinds(("option", "value", "from", "goes before")))
        for value in values:
            hidden = ", ".join(
                f"{_text(one.value)} ({_place(str(one.source.path), one.line)})"
                for one in value.hides
            )
            table.add(
                f"{value.command} --{value.option}".strip(),
                _text(value.value),
                value.place,
                hidden or None,
            )
        table.print(make_console())


def _all(ctx: click.Context, sources: list[Source]) -> Iterator[_Value]:
    """What is given to all commands, each value for commands that share it once, behind the plug-ins."""
    assert ctx.parent is not None
    seen = set()
    plugins, given = plugins_of(sources, ctx.parent)
    if plugins:
        named = given.source if given else None
        yield _Value(
            "",
            PLUGINS,
            plugins,
            named.origin if named else "--plugin or MURXPY_PLUGIN",
            str(named.path) if named else "",
            given.line if given else None,
        )
    for name in commands():
        for value in _values(ctx, sources, name, every=False):
            if not value.shared:
                yield value
            elif (value.option, value.place) not in seen:
                seen.add((value.option, value.place))
                yield replace(value, command="")


def _values(
    ctx: click.Context, sources: list[Source], name: str, *, every: bool
) -> Iterator[_Value]:
    """The values of the options of a command, with `every` also the defaults."""
    whole = murxpy.get_command(ctx, name)
    assert whole is not None
    found = holding([environment(name, whole), *sources], name, whole)
    for path, option, param in each_option((name,), whole):
        words = " ".join(path)
        given = found.get((path, param.name or ""))
        if given is not None and given.option is param:
            outside = given.source.origin == ENVIRONMENT
            yield _Value(
                words,
                option,
                True if param.is_flag and given.value else given.value,
                variable((*path, option)) if outside else given.source.origin,
                "" if outside else str(given.source.path),
                given.line,
                given.shared,
                tuple(given.hides),
            )
        elif every:
            yield _Value(words, option, param.to_info_dict().get("default"), "default")


def _plain(sources: list[Source], values: list[_Value]) -> dict[str, Any]:
    return {
        "files": [
            {"file": str(one.path), "origin": one.origin, "trusted": one.trusted} for one in sources
        ],
        "values": [
            {
                "command": one.command,
                "option": one.option,
                "value": one.value,
                "origin": one.origin,
                "file": one.file or None,
                "line": one.line,
                "goes-before": [
                    {"value": other.value, "file": str(other.source.path), "line": other.line}
                    for other in one.hides
                ],
            }
            for one in values
        ],
    }


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _place(file: str, line: int | None) -> str:
    shown = os.path.relpath(file)
    shown = file if shown.startswith("..") else shown
    return shown if line is None else f"{shown}:{line}"
