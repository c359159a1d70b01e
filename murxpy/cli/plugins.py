"""`murxpy plugins`: the plug-ins that are installed."""

from __future__ import annotations

import click

from murxpy import plugins as registry
from murxpy.cli.options import json_option
from murxpy.cli.report.console import make_console, print_json, say
from murxpy.cli.report.tables import Table, kinds


@click.command()
@json_option
def plugins(as_json: bool) -> None:
    """List the installed plug-ins, what each gives, and whether it is used. A plug-in is code of its
    authors. It is used, and so imported, only where --plugin or your own configuration file names it.

    \b
    murxpy plugins
    murxpy --plugin murxpy-parity fuzz z3 --check models,parity
    """
    used = registry.used()
    found = registry.installed()
    if as_json:
        rows = [
            {
                "name": one.name,
                "version": one.version,
                "used": one.name in used,
                "gives": [
                    {
                        "kind": registry.GROUPS[entry.group][0],
                        "name": entry.name,
                        "from": entry.value,
                    }
                    for entry in one.entries
                ],
            }
            for one in found
        ]
        print_json(rows)
        return
    if not found:
        say("no plug-in is installed")
        return
    table = Table(kinds(("plug-in", "version", "used", "gives")))
    for one in found:
        table.add(
            one.name, one.version, "yes" if one.name in used else "no", ", ".join(one.gives())
        )
    table.print(make_console())
