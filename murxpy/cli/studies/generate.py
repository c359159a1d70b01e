"""Whether solvers refuse malformed texts cleanly: with an error, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from murxpy.cli.options import (
    OUTPUT,
    SCRIPTS,
    TARGETS,
    Grouped,
    count_option,
    listed,
    output_option,
    seed_option,
)
from murxpy.cli.params import judge_names
from murxpy.cli.report.console import Progress
from murxpy.cli.shapes import shape_of, shape_options
from murxpy.data import wrapper_names
from murxpy.logic.catalogue import STANDARD
from murxpy.machine.outcomes import CRASH
from murxpy.machine.random import Stream, mix
from murxpy.machine.trace.lift import lift
from murxpy.processes.environments import print_notice
from murxpy.processes.limits import Limits
from murxpy.smtlib.printing.scripts import print_script
from murxpy.sources.trees.scripts import Corrupted, TreeScripts, corrupted
from murxpy.studies.performance.campaign import tree_scripts_of
from murxpy.studies.performance.solvers import LATE, Solvers

ACCEPTED = "accepted"
_LIMIT = 500.0  # milliseconds of a usual machine
_ERROR = "error"
_ANSWERS = ("sat", "unsat", "unknown", "exhausted")


@dataclass(frozen=True, slots=True)
class Unclean:
    """A solver that does not refuse a text cleanly: it dies, throws what no rule of its wrapper knows or
    does not end, or accepts what all others refuse.
    """

    solver: str
    kind: str
    answers: Mapping[str, str]
    message: str = ""


def unclean(solvers: Solvers, text: str) -> list[Unclean]:
    """Which of the solvers do not refuse a malformed text cleanly."""
    weights = {one.name: solvers.weigh(one.number, text, _LIMIT) for one in solvers.known}
    answers = {name: weight.answer for name, weight in weights.items()}
    found = []
    for name, weight in weights.items():
        others = [answer for other, answer in answers.items() if other != name]
        if weight.answer in (CRASH, LATE):
            found.append(Unclean(name, CRASH, answers, weight.message))
        elif weight.answer in _ANSWERS and _all_refuse(others):
            found.append(Unclean(name, ACCEPTED, answers))
    return found


def _all_refuse(answers: Sequence[str]) -> bool:
    return bool(answers) and all(answer == _ERROR for answer in answers)


# ----------------------------------------------------------------------
# `murxpy generate`: random scripts of full trees.


def _generate(
    seed: int,
    through: str,
    dialect: str,
    output: Path | None,
    corrupt: bool,
    asked: tuple[str, ...] | None,
    count: int | None,
    **shape: Any,
) -> int:
    """Print one random script: each assertion is a full tree, and the script is well-sorted. The same
    options and the same seed give the same script.

    With --corrupt the script has a fault, for parsers; --ask has solvers read such scripts, which they
    must refuse with an error. No solver is asked otherwise.
    """
    if count is not None and not asked:
        raise click.UsageError("--count says how many scripts --ask makes: give --ask, too")
    if asked and not corrupt:
        raise click.UsageError("--ask goes with --corrupt: well-sorted scripts are asked by 'perf'")
    if corrupt and through == "api":
        raise click.UsageError("--corrupt makes texts: leave --through api out")
    # calls of the API need no words of a dialect
    tree_scripts = tree_scripts_of(shape_of(shape), seed, (dialect,) if through == "script" else ())
    if asked:
        return _ask(tree_scripts, seed, dialect, asked, count or _COUNT, output)
    script = tree_scripts.script(tree_scripts.new(mix(seed, 0)))
    text = print_script(script, dialect) if through == "script" else lift(script).text()
    _print(_corrupted(tree_scripts, seed, 0, dialect).text if corrupt else text, output)
    return 0


def _print(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


def _corrupted(tree_scripts: TreeScripts, seed: int, number: int, dialect: str) -> Corrupted:
    """The malformed text with this number."""
    key = mix(seed, number)
    text = print_script(tree_scripts.script(tree_scripts.new(key)), dialect)
    return corrupted(text, Stream(mix(key, 1)), tree_scripts.universe.tables.catalogue)


def _ask(
    tree_scripts: TreeScripts,
    seed: int,
    dialect: str,
    asked: tuple[str, ...],
    count: int,
    output: Path | None,
) -> int:
    """Have solvers read malformed texts, and print those that are not refused cleanly."""
    theories = tree_scripts.shape.theories
    found = 0
    with (
        closing(Solvers(asked, theories, None, Limits(), print_notice)) as solvers,
        Progress("asking", count) as progress,
    ):
        for number in range(count):
            progress.step()
            made = _corrupted(tree_scripts, seed, number, dialect)
            for one in unclean(solvers, made.text):
                found += 1
                answers = ", ".join(f"{name} {answer}" for name, answer in one.answers.items())
                progress.clear()
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
        metavar=TARGETS,
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
