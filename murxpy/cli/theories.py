"""`murxpy theories`: the theories, or the operators of one."""

from __future__ import annotations

import json

import click

from murxpy.cli.params import json_option
from murxpy.data import load_catalogue, load_wrapper, wrapper_names
from murxpy.errors import InputError, nearest
from murxpy.report.console import make_console
from murxpy.report.tables import operators_table, print_table, theories_json, theories_table


@click.command()
@click.argument("theory", required=False)
@json_option
def theories(theory: str | None, as_json: bool) -> None:
    """Show the theories; or the operators of THEORY, with the number of ways in which the wrapper of
    each solver spells them.
    """
    catalogue = load_catalogue()
    wrappers = {name: load_wrapper(name) for name in wrapper_names()}
    if theory is not None:
        names = [entry["name"] for entry in catalogue["theories"]]
        if theory.upper() not in names:
            raise InputError(
                f"unknown theory '{theory}'{nearest(theory.upper(), names)}; known are {', '.join(names)}"
            )
        catalogue = {
            "theories": [
                entry for entry in catalogue["theories"] if entry["name"] == theory.upper()
            ]
        }
    if as_json:
        click.echo(json.dumps(theories_json(catalogue, wrappers), indent=2))
    elif theory is None:
        print_table(make_console(), theories_table(catalogue, wrappers))
    else:
        print_table(make_console(), operators_table(catalogue["theories"][0], wrappers))
