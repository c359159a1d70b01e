"""`murxpy stability`: how much answers and costs of scripts differ where nothing of substance does."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from murxpy.cli.options import (
    CHECK_LIMIT,
    count_option,
    format_option,
    jobs_option,
    memory_option,
    out_option,
    seed_option,
    time_option,
    wrapper_option,
)
from murxpy.cli.params import MISSING_SEEDS, Existing, goes_on, judge_names, names
from murxpy.cli.report.console import Progress, make_console, say
from murxpy.cli.report.stability import (
    classes_table,
    drawing,
    scripts_table,
    study_data,
    study_table,
)
from murxpy.data import load_catalogue, with_dialect
from murxpy.errors import InputError
from murxpy.findings.folder import STABILITY, Folder, write_atomically
from murxpy.fuzzers.seeds import SeedFiles, collect_seeds
from murxpy.logic.catalogue import build_catalogue
from murxpy.logic.sorts import IllSorted
from murxpy.oracles.stability import REFUSED, UNSTABLE
from murxpy.processes.environments import print_notice
from murxpy.processes.inquiries import wrapper_of
from murxpy.processes.limits import Limits
from murxpy.processes.targets import parse_target
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.solvers.facts import build_facts
from murxpy.sources.mutation.variants import METHODS, PLAIN, Varier
from murxpy.sources.mutation.varied import MOST
from murxpy.studies.stability import Question, Row, Store, Subject, carry_out, lists_of, rows

_METHODS = tuple(name for name in METHODS if name != PLAIN)


@click.command()
@click.argument("targets", metavar="SOLVER[@PLACE],...", type=judge_names)
@click.argument(
    "scripts", metavar="SCRIPTS...", nargs=-1, required=True, type=Existing(MISSING_SEEDS)
)
@click.option(
    "--methods",
    type=names(_METHODS),
    default=",".join(_METHODS),
    show_default=True,
    metavar="NAMES",
    help="What is changed: the names, the order of declarations and assertions, the order of operands, or"
    " the solver's random seed. A variant has one change.",
)
@count_option(
    "--variants",
    "Variants of a script by each method. 'stable' can be told from 59 on.",
    60,
    MOST - 1,
)
@time_option("--check-limit", "1s", f"{CHECK_LIMIT}.")
@time_option("--wall", "30s", "Wall time of a variant.")
@memory_option
@jobs_option("Processes at a time.")
@seed_option("Another seed makes other variants.", "0")
@out_option("Keep the answers there, and draw stability.svg. A study that was stopped goes on.")
@wrapper_option
@click.option(
    "--print",
    "shown",
    metavar="METHOD:K",
    help="Print variant K of the only script, in the words of the only target, and ask nobody.",
)
@click.option(
    "--fail-on", type=click.Choice([UNSTABLE]), help="Also exit with 1 where a script is unstable."
)
@format_option("What is printed.")
def stability(
    targets: Sequence[str],
    scripts: Sequence[Path],
    shown: str | None,
    out: Path | None,
    form: str,
    fail_on: str | None,
    **given: Any,
) -> int:
    """Ask targets variants of scripts that mean the same, and tell how much answers and costs differ.

    A script is 'stable' if over 95 % of its variants are decided by each method, 'unsolved' if less
    than 5 % are, 'unstable' if neither holds by some method, and 'unsure' where there are too few
    variants to tell. SCRIPTS are files and folders. The exit code is 1 where variants of a script have
    different answers, or a variant crashes the solver.

    \b
    Examples:
      murxpy stability z3 proofs/
      murxpy stability z3@4.13.0,z3@latest proofs/ --methods shuffle,seed --out spread
      murxpy stability cvc5 goal.smt2 --print shuffle:17
    """
    question = _question(targets, scripts, **given)
    if shown is not None:
        click.echo(_variant(question, shown), nl=False)
        return 0
    found = _study(question, out)
    _report(found, form)
    if out is not None:
        write_atomically(out / "stability.svg", drawing(found))
    wrong = any(len(row.answers) > 1 or row.crashes for row in found)
    return int(wrong or (fail_on is not None and any(row.kind == UNSTABLE for row in found)))


def _study(question: Question, out: Path | None) -> list[Row]:
    """Ask the questions that the folder `out` has no answers for, and print the results."""
    with ExitStack() as stack:
        if out is not None:
            stack.callback(Folder(out, STABILITY).close)
        store = stack.enter_context(Store(out))
        stack.enter_context(goes_on(out))
        with Progress(lists_of(question, store)) as progress:
            carry_out(question, store, progress.step, print_notice)
        return list(rows(question, store))


def _question(
    targets: Sequence[str],
    scripts: Sequence[Path],
    methods: Sequence[str],
    check_limit: float,
    wall: float,
    memory: int,
    **as_given: Any,
) -> Question:
    for name, given in (("SOLVER", targets), ("--methods", methods)):
        if not given:
            raise click.UsageError(f"expected at least one name in {name}")
    found = collect_seeds(scripts)
    for notice in found.notices():
        print_notice(notice)
    subjects = list(_readable(found, parse_target(targets[0]).solver))
    ordered = [name for name in METHODS if name in methods]
    limits = Limits(wall=wall, memory=memory, by_line=True)
    return Question(
        targets, subjects, ordered, check_ms=1000 * check_limit, limits=limits, **as_given
    )


def _readable(found: SeedFiles, dialect: str) -> Iterator[Subject]:
    """The scripts that can be read; the user is told about the others. The folder that all of them
    are in is left out of the names. Raises InputError where the only one cannot be read.
    """
    catalogue = build_catalogue(load_catalogue())
    folders = [os.path.dirname(os.path.abspath(name)) for name, *_ in found.files]
    for name, text, _ in found.files:
        try:
            read_script(text, name, catalogue, dialect=dialect)
        except InputError as error:
            if len(found.files) == 1:
                raise
            print_notice(f"left out: {error}")
        else:
            yield Subject(os.path.relpath(name, os.path.commonpath(folders)), text)


def _variant(question: Question, shown: str) -> str:
    """The text of a variant that the user names. Raises UsageError, InputError."""
    method, _, number = shown.partition(":")
    if method not in METHODS or not number.isdecimal() or int(number) >= MOST:
        known = ", ".join(METHODS)
        raise click.UsageError(
            f"--print {shown}: expected a method ({known}), a colon, and a number below {MOST:,}"
        )
    if len(question.scripts) != 1 or len(question.targets) != 1:
        raise click.UsageError("--print takes one target and one script")
    (subject,) = question.scripts
    solver = parse_target(question.targets[0]).solver
    wrapper = wrapper_of(solver, question.wrapper)
    catalogue = build_catalogue(with_dialect(load_catalogue(), wrapper))
    script = read_script(subject.text, subject.name, catalogue, dialect=solver)
    seeds = build_facts(wrapper).script_seeds
    varier = Varier(script, solver, subject.number(question.seed), seeds)
    try:
        return varier.text(method, int(number))
    except (Unsayable, IllSorted) as error:
        raise InputError(f"there is no such variant: {error}", file=subject.name) from None


def _report(found: Sequence[Row], form: str) -> None:
    if form == "json":
        click.echo(json.dumps(study_data(found), indent=1))
        return
    if form == "csv":
        click.echo(study_table(found).to_csv(), nl=False)
        return
    console = make_console()
    scripts_table(found).print(console)
    click.echo("\nScripts by class")
    classes_table(found).print(console)
    for row in found:
        if row.kind == REFUSED:
            say(f"{row.target} {row.script}: refused: {row.plain.message}")
        if len(row.answers) > 1:
            answers = ", ".join(f"{answer} ({row.first[answer]})" for answer in row.answers)
            say(f"{row.target} {row.script}: variants have different answers: {answers}")
        if row.crashes:
            say(f"{row.target} {row.script}: {row.crashes}")
