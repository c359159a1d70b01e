"""`murxpy generate`: random scripts of full trees."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import click

from murxpy.campaign.performance.campaign import garden_of
from murxpy.campaign.performance.refusing import unclean
from murxpy.campaign.performance.solvers import Solvers
from murxpy.campaign.workers.limits import Limits
from murxpy.cli.params import judge_names
from murxpy.cli.parts.grouped import OUTPUT, SCRIPTS, Grouped
from murxpy.cli.parts.options import count_option, listed, output_option, seed_option
from murxpy.cli.studies.shapes import shape_of, shape_options
from murxpy.data import wrapper_names
from murxpy.logic.dialects import STANDARD
from murxpy.machine.random import Stream, mix
from murxpy.releases.environments import print_notice
from murxpy.smtlib.printing.scripts import print_script
from murxpy.trace.lift import lift
from murxpy.trees.corrupting import Corrupted, corrupted
from murxpy.trees.scripts import Garden


def _generate(
    seed: int,
    through: str,
    dialect: str,
    output: Path | None,
    corrupt: bool,
    asked: tuple[str, ...] | None,
    count: int | None,
    **wishes: Any,
) -> int:
    """Print one random script: each assertion is a full tree, and the script is well-sorted. The same
    options and the same seed give the same script.

    With --corrupt the script has a fault, for parsers; --ask has solvers read such scripts, which they
    must refuse with an error. No solver is asked otherwise.
    """
    if asked is not None and not asked:
        raise click.UsageError("--ask: expected solvers, found none")
    if count is not None and not asked:
        raise click.UsageError("--count says how many scripts --ask makes: give --ask, too")
    if asked and not corrupt:
        raise click.UsageError("--ask goes with --corrupt: well-sorted scripts are asked by 'perf'")
    if corrupt and through == "api":
        raise click.UsageError("--corrupt makes texts: leave --through api out")
    # calls of the API need no words of a dialect
    garden = garden_of(shape_of(wishes), seed, (dialect,) if through == "script" else ())
    if asked:
        return _ask(garden, seed, dialect, asked, count or _COUNT, output)
    script = garden.script(garden.new(mix(seed, 0)))
    text = print_script(script, dialect) if through == "script" else lift(script).text()
    _print(_corrupted(garden, seed, 0, dialect).text if corrupt else text, output)
    return 0


def _print(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


def _corrupted(garden: Garden, seed: int, number: int, dialect: str) -> Corrupted:
    """The malformed text with this number."""
    key = mix(seed, number)
    text = print_script(garden.script(garden.new(key)), dialect)
    return corrupted(text, Stream(mix(key, 1)), garden.universe.tables.catalogue)


def _ask(
    garden: Garden,
    seed: int,
    dialect: str,
    asked: tuple[str, ...],
    count: int,
    output: Path | None,
) -> int:
    """Have solvers read malformed texts, and print those that are not refused cleanly."""
    theories = garden.shape.theories
    found = 0
    with closing(Solvers(asked, theories, None, Limits(), print_notice)) as solvers:
        for number in range(count):
            made = _corrupted(garden, seed, number, dialect)
            for one in unclean(solvers, made.text):
                found += 1
                answers = ", ".join(f"{name} {answer}" for name, answer in one.answers.items())
                head = f"; {one.kind} by {one.solver}: {made.fault} ({answers}) {one.message}"
                _print(f"{head.rstrip()}\n{made.text}", output and _numbered(output, number))
    told = f"{count} malformed scripts, {found} that a solver does not refuse cleanly"
    click.echo(f"; {told}")
    return int(found > 0)


def _numbered(output: Path, number: int) -> Path:
    return output.with_name(f"{output.stem}-{number}{output.suffix}")


_COUNT = 100
_OWN = listed(
    seed_option("Seed of the script.", "1"),
    click.option(
        "--through",
        type=click.Choice(["script", "api"]),
        default="script",
        show_default=True,
        help="Print a script, or a trace of API calls, which 'murxpy replay --solver' runs.",
    ),
    click.option(
        "--dialect",
        type=click.Choice([STANDARD, *wrapper_names()]),
        default=STANDARD,
        show_default=True,
        help="SMT-LIB of the standard, or as a solver has it.",
    ),
    click.option("--corrupt", is_flag=True, help="Put a fault into the script."),
    click.option(
        "--ask",
        "asked",
        type=judge_names,
        metavar="TARGETS",
        help="Solvers that read scripts with faults. It is told which of them die, do not end, or "
        "accept what all others refuse.",
    ),
    count_option("--count", f"Scripts that --ask makes.  [default: {_COUNT}]"),
    output_option,
)
COMMAND = Grouped(
    "generate",
    callback=_generate,
    params=[*shape_options(), *_OWN],
    help=_generate.__doc__,
    under={"theories": SCRIPTS, "seed": SCRIPTS, "through": OUTPUT, "dialect": OUTPUT},
    examples=[
        ("murxpy generate --theories BV,FP --assertions 5 --depth 3 --seed 1", "a script"),
        ("murxpy generate --theories BV --corrupt --ask z3,cvc5", "what parsers must refuse"),
        ("murxpy generate --theories INT --linear --through api -o it.trace", "calls of the API"),
    ],
)
