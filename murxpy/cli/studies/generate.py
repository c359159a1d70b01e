"""`murxpy generate`: random scripts of full trees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from murxpy.campaign.performance.campaign import garden_of
from murxpy.cli.params import seed
from murxpy.cli.parts.grouped import OUTPUT, SCRIPTS, Grouped
from murxpy.cli.studies.shapes import shape_of, shape_options
from murxpy.data import wrapper_names
from murxpy.logic.dialects import STANDARD
from murxpy.machine.random import mix
from murxpy.smtlib.printing.scripts import print_script
from murxpy.trace.lift import lift


def _generate(seed: int, through: str, dialect: str, output: Path | None, **wishes: Any) -> int:
    """Print one random script: each assertion is a full tree, and the script is well-sorted.

    No solver is asked. The same options and the same seed give the same script.
    """
    garden = garden_of(shape_of(wishes), seed, (dialect,))
    script = garden.script(garden.new(mix(seed, 0)))
    text = print_script(script, dialect) if through == "script" else lift(script).text()
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
    return 0


_OWN = [
    click.Option(
        ["--seed"],
        type=seed,
        default="1",
        show_default=True,
        metavar="N",
        help="Seed of the script.",
    ),
    click.Option(
        ["--through"],
        type=click.Choice(["script", "api"]),
        default="script",
        show_default=True,
        help="Print a script, or a trace of API calls, which 'murxpy replay --solver' runs.",
    ),
    click.Option(
        ["--dialect"],
        type=click.Choice([STANDARD, *wrapper_names()]),
        default=STANDARD,
        show_default=True,
        help="SMT-LIB of the standard, or as a solver has it.",
    ),
    click.Option(
        ["-o", "--output"],
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write to this file.  [default: standard output]",
    ),
]
COMMAND = Grouped(
    "generate",
    callback=_generate,
    params=[*shape_options(), *_OWN],
    help=_generate.__doc__,
    under={"theories": SCRIPTS, "seed": SCRIPTS, "through": OUTPUT, "dialect": OUTPUT},
    examples=[
        ("murxpy generate --theories BV,FP --assertions 5 --depth 3 --seed 1", "a script"),
        ("murxpy generate --theories INT --linear --through api -o it.trace", "calls of the API"),
    ],
)
