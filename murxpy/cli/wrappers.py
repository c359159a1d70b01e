"""`murxpy wrappers`: the wrappers of the solvers, or everything that one wrapper spells."""

from __future__ import annotations

import click

from murxpy.cli.options import json_option
from murxpy.cli.params import NamedFile
from murxpy.cli.report.console import make_console, print_json
from murxpy.cli.report.reference import (
    options_table,
    profile_lines,
    spellings_table,
    wrappers_table,
)
from murxpy.data import load_wrapper, wrapper_names
from murxpy.solvers.wrapper import SECTIONS


@click.command()
@click.argument("wrapper", type=NamedFile(), required=False)
@json_option
def wrappers(wrapper: str | None, as_json: bool) -> None:
    """Show the wrappers, or the spellings, options and profile of WRAPPER (a name or a YAML file)."""
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
