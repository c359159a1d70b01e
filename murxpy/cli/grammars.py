"""`murxpy grammars`: the grammars, how many scripts each has, and its scripts by index."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import click

from murxpy.cli.options import index, json_option
from murxpy.cli.report.console import make_console, print_json, say
from murxpy.cli.report.enumeration import SIZES, counts_table, productions
from murxpy.data.lookup import grammar_names
from murxpy.errors import InputError
from murxpy.fuzzers.setups import checked
from murxpy.machine.random import Stream
from murxpy.sources.enumeration.grammar import Grammar


@click.command()
@click.argument("name", required=False)
@click.option("--at", type=index, metavar="INDEX", help="Print the scripts from this index on.")
@click.option(
    "--take",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="K",
    help="Number of scripts to print.",
)
@click.option(
    "--sample",
    type=click.IntRange(1),
    metavar="N",
    help="Print N scripts, each drawn uniformly among those of --size.",
)
@click.option(
    "--size", type=click.IntRange(1, 3000), metavar="K", help="Size of the scripts to draw."
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of --sample."
)
@json_option
def grammars(
    name: str | None,
    at: int | None,
    take: int,
    sample: int | None,
    size: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Show the grammars with their numbers of scripts by size; or the productions of the grammar
    NAME, which can be a file of yours. No solver is asked.

    \b
    Examples:
      murxpy grammars strings
      murxpy grammars strings --at 51000 --take 3
      murxpy grammars ints --sample 5 --size 12
    """
    _refuse_clashes(name, at, sample, size)
    if name is None:
        _show([checked(known) for known in grammar_names()], as_json)
        return
    grammar = checked(name)
    if at is None and sample is None:
        _show([grammar], as_json)
        if not as_json:
            for line in productions(grammar):
                say(line)
        return
    _print(
        grammar,
        _sampled(grammar, sample, size, seed) if sample and size else _from(grammar, at or 0, take),
        as_json,
    )


def _refuse_clashes(name: str | None, at: int | None, sample: int | None, size: int | None) -> None:
    """Raise UsageError for options that do not fit each other."""
    if name is None and (at is not None or sample is not None):
        raise click.UsageError("name a grammar whose scripts to print")
    if at is not None and sample is not None:
        raise click.UsageError("--at and --sample exclude each other: leave one out")
    if (sample is None) != (size is None):
        raise click.UsageError("--sample and --size belong together: name both or neither")


def _print(grammar: Grammar, chosen: Iterable[tuple[int, str]], as_json: bool) -> None:
    for number, text in chosen:
        click.echo(
            json.dumps({"index": str(number), "script": grammar.whole(text)})
            if as_json
            else f"; {grammar.name} {number}\n{grammar.whole(text)}"
        )


def _show(found: list[Grammar], as_json: bool) -> None:
    if as_json:
        rows = [
            {
                "grammar": grammar.name,
                "about": grammar.about,
                "counts": [grammar.of_size(size) for size in range(1, SIZES + 1)],
            }
            for grammar in found
        ]
        print_json(rows)
    else:
        counts_table(found).print(make_console())


def _from(grammar: Grammar, first: int, take: int) -> Iterator[tuple[int, str]]:
    if grammar.number is not None and first + take > grammar.number:
        raise InputError(
            f"the grammar {grammar.name} has {grammar.number:,} scripts: expected --at and --take within them"
        )
    return ((number, grammar.at(number)) for number in range(first, first + take))


def _sampled(grammar: Grammar, count: int, size: int, seed: int) -> Iterator[tuple[int, str]]:
    among = grammar.of_size(size)
    if not among:
        raise InputError(f"the grammar {grammar.name} has no scripts of size {size}")
    stream = Stream(seed)
    before = grammar.up_to(size - 1)
    for _ in range(count):
        place = stream.below(among)
        yield before + place, grammar.in_size(size, place)
