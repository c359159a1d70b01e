"""`murxpy lift`: an SMT-LIB script as a trace."""

from __future__ import annotations

from pathlib import Path

import click

from murxpy.cli.options import output_option, theory_option
from murxpy.cli.params import Existing
from murxpy.data import load_catalogue
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.trace.lift import lift as lift_script
from murxpy.smtlib.reading.scripts import read_file


@click.command()
@click.argument("file", metavar="SCRIPT", type=Existing())
@theory_option
@output_option
def lift(file: Path, output: Path | None) -> int:
    """Print SCRIPT, an SMT-LIB script, as a trace. 'murxpy replay --solver' runs the trace on any
    solver.
    """
    text = lift_script(read_file(file, build_catalogue(load_catalogue()))).text()
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
    return 0
