"""`murxpy stability`: how much answers and costs of scripts differ where nothing of substance does."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from math import ceil, log10
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
from murxpy.cli.params import MISSING_SEEDS, Existing, Text, judge_names, names
from murxpy.cli.report.studies import Report, asked
from murxpy.cli.report.svg import Chart
from murxpy.cli.report.tables import Table, kinds
from murxpy.data import load_catalogue, with_dialect
from murxpy.errors import InputError
from murxpy.findings.folder import study_file
from murxpy.fuzzers.seeds import collect_seeds
from murxpy.logic.catalogue import build_catalogue
from murxpy.logic.sorts import IllSorted
from murxpy.oracles.stability import CLASSES, REFUSED, UNSTABLE, Spread, class_of
from murxpy.processes.environments import print_notice
from murxpy.processes.inquiries import wrapper_of
from murxpy.processes.limits import Limits
from murxpy.processes.targets import parse_target
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.solvers.facts import build_facts
from murxpy.sources.mutation.variants import METHODS, PLAIN, Varier
from murxpy.sources.mutation.varied import MOST
from murxpy.studies.stability import NamedScript, Row, Stability, kept_rows
from murxpy.studies.study import Store

_COLOURS = {"stable": "#27814b", "unstable": "#c0392b", "unsolved": "#5b6775", "unsure": "#b9770e"}
_DRAWN = 60  # scripts in the drawing
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
    type=Text(),
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
    study = _study(targets, scripts, **given)
    if shown is not None:
        click.echo(_variant(study, shown), nl=False)
        return 0
    found = asked(study, out)
    return _report(found, fail_on).show(form, out)


def _study(
    targets: Sequence[str],
    scripts: Sequence[Path],
    methods: Sequence[str],
    check_limit: float,
    wall: float,
    memory: int,
    seed: int,
    **as_given: Any,
) -> Stability:
    for name, given in (("SOLVER", targets), ("--methods", methods)):
        if not given:
            raise click.UsageError(f"expected at least one name in {name}")
    ordered = [name for name in METHODS if name in methods]
    limits = Limits(wall=wall, memory=memory, by_line=True)
    return Stability(
        targets=targets,
        scripts=list(readable(scripts, parse_target(targets[0]).solver)),
        methods=ordered,
        variation=seed,
        check_ms=1000 * check_limit,
        limits=limits,
        **as_given,
    )


def readable(paths: Sequence[Path], dialect: str) -> Iterator[NamedScript]:
    """The scripts in files and folders that can be read; others are told. The folder that all of them
    are in is left out of the names. Raises InputError where the only one cannot be read.
    """
    found = collect_seeds(paths)
    for notice in found.notices():
        print_notice(notice)
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
            yield NamedScript(os.path.relpath(name, os.path.commonpath(folders)), text)


def _variant(study: Stability, shown: str) -> str:
    """The text of a variant that the user names. Raises UsageError, InputError."""
    method, _, number = shown.partition(":")
    if method not in METHODS or not number.isdecimal() or int(number) >= MOST:
        known = ", ".join(METHODS)
        raise click.UsageError(
            f"--print {shown}: expected a method ({known}), a colon, and a number below {MOST:,}"
        )
    if len(study.scripts) != 1 or len(study.targets) != 1:
        raise click.UsageError("--print takes one target and one script")
    (subject,) = study.scripts
    solver = parse_target(study.targets[0]).solver
    wrapper = wrapper_of(solver, study.wrapper)
    catalogue = build_catalogue(with_dialect(load_catalogue(), wrapper))
    script = read_script(subject.text, subject.name, catalogue, dialect=solver)
    seeds = build_facts(wrapper).script_seeds
    varier = Varier(script, solver, subject.number(study.variation), seeds)
    try:
        return varier.text(method, int(number))
    except (Unsayable, IllSorted) as error:
        raise InputError(f"there is no such variant: {error}", file=subject.name) from None


# ----------------------------------------------------------------------
# What the study found, as tables, plain data and a drawing.


def reported(folder: Path) -> Report:
    """What a study in a folder found, asking no solver. Raises InputError."""
    with closing(Store(folder, study_file(Stability.name), read_only=True)) as answers:
        return _report(kept_rows(answers), None)


def _report(found: Sequence[Row], fail_on: str | None) -> Report:
    wrong = any(len(row.answers) > 1 or row.crashes for row in found)
    unstable = fail_on is not None and any(row.kind == UNSTABLE for row in found)
    return Report(
        lambda: _text(found),
        lambda: study_data(found),
        lambda: study_table(found),
        {"stability.svg": lambda: drawing(found)},
        int(wrong or unstable),
    )


def _text(found: Sequence[Row]) -> Iterator[str | Table]:
    yield scripts_table(found)
    yield from ("", "Scripts by class", classes_table(found))
    for row in found:
        name = f"{row.target} {row.script}"
        if row.kind == REFUSED:
            yield f"{name}: refused: {row.plain.message}"
        if len(row.answers) > 1:
            answers = ", ".join(f"{answer} ({row.first[answer]})" for answer in row.answers)
            yield f"{name}: variants have different answers: {answers}"
        if row.crashes:
            yield f"{name}: {row.crashes}"


def scripts_table(rows: Sequence[Row]) -> Table:
    """A row for each target and script: the answer to the script itself, its class, and for each method
    how many variants were decided and how many times the least cost the greatest is.
    """
    methods = list(rows[0].spreads) if rows else []
    columns = kinds(["target", "script", "answer"], ["cost"])
    table = Table({**columns, **kinds(["class"], methods)})
    for row in rows:
        plain = row.plain.answer, row.plain.cost
        table.add(row.target, row.script, *plain, row.kind, *map(_cell, row.spreads.values()))
    return table


def _cell(one: Spread) -> str:
    times = f" x{one.ratio:.1f}" if one.decided else ""
    return f"{one.decided}/{one.count}{times}"


def classes_table(rows: Sequence[Row]) -> Table:
    """A row for each target and method, and one for all methods: the number of scripts of each class."""
    columns = (*CLASSES, REFUSED)
    table = Table(kinds(["target", "method"], columns))
    for target in dict.fromkeys(row.target for row in rows):
        own = [row for row in rows if row.target == target]
        for method in own[0].spreads:
            counts = Counter(
                REFUSED if row.kind == REFUSED else class_of(row.spreads[method]) for row in own
            )
            table.add(target, method, *(counts[one] for one in columns))
        whole = Counter(row.kind for row in own)
        table.add(target, "all", *(whole[one] for one in columns), style="bold")
    return table


def study_data(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """All of it as plain data."""
    return [
        {
            "target": row.target,
            "script": row.script,
            "answer": row.plain.answer,
            "cost": row.plain.cost,
            "message": row.plain.message,
            "class": row.kind,
            "answers": row.answers,
            "first": row.first,
            "crashes": row.crashes,
            "methods": {
                method: {"class": class_of(one), **asdict(one)}
                for method, one in row.spreads.items()
            },
        }
        for row in rows
    ]


def study_table(rows: Sequence[Row]) -> Table:
    """A row for each target, script and method, with all figures."""
    figures = ["variants", "decided", "answers", "least", "middle", "most"]
    table = Table(kinds(["target", "script", "class", "method"], figures))
    for row in rows:
        for method, one in row.spreads.items():
            known = one.count, one.decided, " ".join(one.answers)
            costs = one.least, one.middle, one.most
            table.add(row.target, row.script, class_of(one), method, *known, *costs)
    return table


def drawing(rows: Sequence[Row]) -> str:
    """A bar for each script and method, from the least to the greatest cost of its decided variants,
    with a mark at half of them; scripts whose costs differ most stand first. Its colour is the class.
    """
    shown = sorted(rows, key=lambda row: -max(one.ratio for one in row.spreads.values()))[:_DRAWN]
    spreads = [one for row in shown for one in row.spreads.values()]
    costs = [cost for one in spreads for cost in (one.least, one.most)]
    low = _power(min(filter(None, costs), default=1))
    high = max(low + 1, _power(max(costs, default=1)))
    methods = len(shown[0].spreads) if shown else 1
    chart = Chart(
        "Cost of variants that mean the same, in resource units",
        (low, high),
        (len(shown), 0),
        560,
        9 * (methods + 1) * len(shown),
        left=300,
    )
    chart.x_axis({power: f"10^{power}" for power in range(ceil(low), int(high) + 1)}, above=True)
    chart.y_axis(
        {at + 0.4: f"{row.target} {row.script}"[-44:] for at, row in enumerate(shown)}, grid=False
    )
    for name, colour in _COLOURS.items():
        chart.key(name, colour)
    for at, row in enumerate(shown):
        for nth, (method, one) in enumerate(row.spreads.items(), 1):
            title = (
                f"{row.target} {row.script}, {method}: {one.decided} of {one.count} decided, "
                f"{one.least:,} to {one.most:,} units"
            )
            if one.decided:
                least, middle, most = map(_power, (one.least, one.middle, one.most))
                y = at + nth / (methods + 1)
                chart.bar(y, least, middle, most, class_of(one), title)
    return chart.text()


def _power(cost: int) -> float:
    return log10(max(1, cost))
