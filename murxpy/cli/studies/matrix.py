"""`murxpy matrix`: a solver followed over its releases with every small script."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from murxpy.cli.options import (
    CHECK_LIMIT,
    check_span,
    format_option,
    jobs_option,
    judges_option,
    memory_option,
    out_option,
    span_options,
    time_option,
    wrapper_option,
)
from murxpy.cli.params import goes_on, names
from murxpy.cli.report.console import make_console, say
from murxpy.cli.report.matrix import (
    answers_table,
    evidence,
    heat_map,
    shown_triggers,
    solved_lines,
    solved_table,
    study_data,
    study_table,
    triggers_table,
)
from murxpy.findings.folder import MATRIX, Folder, write_atomically
from murxpy.fuzzers.setups import all_checked
from murxpy.processes.environments import package_of, print_notice
from murxpy.processes.inquiries import wrapper_of
from murxpy.processes.limits import Limits
from murxpy.processes.releases import short, span
from murxpy.processes.targets import grant_target, releases_of
from murxpy.studies.matrix import TRIGGERS, Answers, Question, Triggers, carry_out, find

FIRST = 51_000
_MOST = 10**9  # scripts of a grammar; the seeds of runs have room for their places
_TOLD = 10.0  # seconds between two lines of progress


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixOptions:
    """The options of a study. `out` is None where none is given."""

    span: str | None
    grammars: tuple[str, ...]
    first: int | None
    at: int | None
    take: int | None
    step: int | None
    out: Path | None
    judges: tuple[str, ...]
    jobs: int
    check_limit: float
    wall: float
    memory: int
    own_checks: bool
    wrapper: str | None

    def of_studies(self) -> bool:
        """Whether the command line has an option that a report on a folder does not take."""
        words = (self.span, self.grammars, self.step, self.out, self.judges)
        return any((*words, self.first, self.at, self.take))


@click.command()
@click.argument("what", metavar="SOLVER|FOLDER")
@click.option(
    "--releases",
    "span",
    metavar="RELEASES",
    help="Releases that are followed, such as 4.8.7..latest.",
)
@click.option(
    "--grammar",
    "grammars",
    type=names(),
    default="",
    metavar="NAMES",
    help="Grammars whose scripts are asked: names from 'murxpy grammars', and files of your own.",
)
@span_options("Ask", FIRST)
@click.option(
    "--step",
    type=click.IntRange(1, 2**16 - 1),
    metavar="S",
    help="Ask only every S-th of these scripts, to see far with few of them.  [default: 1]",
)
@out_option("Folder for the answers.")
@judges_option(
    "Other targets that answer each script, too; their answers tell which release is wrong.",
    default="",
)
@jobs_option("Processes at a time.")
@time_option("--check-limit", "20ms", f"{CHECK_LIMIT}.")
@time_option("--wall", "10s", "Wall time of a script, after which its answer is 'timeout'.")
@memory_option
@click.option(
    "--model-validate",
    "own_checks",
    is_flag=True,
    help="Also have the solver check its own models, by the options that its wrapper names.",
)
@wrapper_option
@format_option("What is printed.")
def matrix(what: str, form: str, **given: Any) -> int:
    """Ask each release of a solver every small script of grammars, and tell which releases are wrong on
    how many; or print again what the study in a FOLDER found, asking no solver.

    The answers are kept in the folder. A study that was stopped goes on where it was, and one with
    more scripts, grammars or releases asks only what is new. The exit code is 1 where the newest
    release is wrong on a script.

    \b
    Examples:
      murxpy matrix z3 --releases 4.8.7..latest --grammar arrays,ints --first 2000 --out m
      murxpy matrix cvc5 --releases 1.1.2,latest --grammar strings --cross-check z3 --out n
      murxpy matrix m --format csv
    """
    options = MatrixOptions(**given)
    if not options.span and (Path(what).is_dir() or "/" in what):
        if options.of_studies():
            raise click.UsageError("a folder is only reported on: leave the options of a study out")
        return _report(Path(what), form)
    if not options.of_studies():
        raise click.UsageError(
            f"there is no folder '{what}'; a study needs --releases, --grammar and --out"
        )
    if not (options.span and options.grammars and options.out):
        raise click.UsageError(
            "a study needs --releases, --grammar and --out; a report needs the folder of a study"
        )
    check_span(options.first, options.at, options.take)
    if (options.take or options.first or 0) > _MOST:
        raise click.UsageError(
            f"--first and --take: expected at most {_MOST:,}, which --step thins out"
        )
    _ask(_question(_targets(what, options.span, options.wrapper), options), options.out)
    return _report(options.out, form)


def _question(targets: Sequence[str], options: MatrixOptions) -> Question:
    return Question(
        targets,
        options.judges,
        all_checked(options.grammars),
        options.at or 0,
        options.take or options.first or FIRST,
        1000 * options.check_limit,
        options.own_checks,
        Limits(wall=options.wall, memory=options.memory, by_line=True),
        options.step or 1,
        jobs=options.jobs,
        wrapper=options.wrapper,
    )


def _ask(question: Question, out: Path) -> None:
    """Ask what the folder `out` does not know yet."""
    with closing(Folder(out, MATRIX)), closing(Answers(out, make=True)) as answers, goes_on(out):
        carry_out(question, answers, _ProgressLine().tell, print_notice)


def _targets(solver: str, releases: str, wrapper: str | None) -> list[str]:
    """The releases that are followed, oldest first. Raises InputError, TargetError."""
    package = package_of(wrapper_of(solver, wrapper))
    named = span(releases, releases_of(package.name), package.name)
    targets = [f"{solver}@{short(one)}" for one in named]
    for target in targets:
        grant_target(target)
    return targets


class _ProgressLine:
    """Tells on standard error how far the study is."""

    def __init__(self) -> None:
        self._last = 0.0

    def tell(self, target: str, grammar: str, done: int, size: int, came: Counter[str]) -> None:
        """Tell it at the end of a grammar, and now and then before."""
        now = time.monotonic()
        if done < size and now - self._last < _TOLD:
            return
        self._last = now
        words = ", ".join(f"{number:,} {answer}" for answer, number in sorted(came.items()))
        print_notice(f"{target} {grammar}: {done:,} of {size:,} scripts ({words})")


def _report(folder: Path, form: str) -> int:
    """Print what a study found, and draw it into its folder."""
    answers = Answers(folder)
    try:
        found = find(answers)
    finally:
        answers.close()
    if form == "json":
        click.echo(json.dumps(study_data(found), indent=1))
    elif form == "csv":
        click.echo(study_table(found).to_csv(), nl=False)
    else:
        _print(found)
    for name, text in (("triggers.svg", heat_map(found)), ("solved.svg", solved_lines(found))):
        write_atomically(folder / name, text)
    return int(
        any(found.whole(one.number).kinds[kind] for one in found.newest for kind in TRIGGERS)
    )


def _print(found: Triggers) -> None:
    console = make_console()
    click.echo("Triggers: unsound / invalid model / crash")
    triggers_table(found).print(console)
    click.echo("\nAnswers")
    answers_table(found).print(console)
    click.echo("\nDecided at a cost of at most 2^k resource units")
    solved_table(found).print(console)
    triggers = shown_triggers(found)
    if triggers.rows:
        say("\nThe triggers by the targets that show them, with the first script of each row")
        triggers.print(console)
    click.echo("")
    for line in evidence(found):
        say(line)
