"""Indices of scripts on the command line: exact integers, also those of many digits; and the options
that say which scripts of a grammar are meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import click

from murxpy.cli.parts.options import Command

MOST = 4000  # digits of an index


def index(text: str) -> int:
    """The integer in `51000`, `51_000` or `1e275`, exactly. Raises BadParameter."""
    match = re.fullmatch(r"(\d[\d_]*)(?:[eE]\+?(\d{1,5}))?", text.strip())
    if match is None or len(match[1]) + int(match[2] or 0) > MOST:
        raise click.BadParameter(
            f"'{text}': expected an integer of at most {MOST} digits, such as 51000 or 1e275"
        )
    power: int = 10 ** int(match[2] or 0)
    return int(match[1]) * power


def span_options(verb: str, first: int) -> Callable[[Command], Command]:
    """The options `--first`, `--at` and `--take`, for a command that does with scripts what `verb`
    says; where none of them is given, with the `first` scripts.
    """
    options = (
        click.option(
            "--first",
            type=index,
            metavar="N",
            help=f"{verb} the first N scripts of each grammar.  [default: {first}]",
        ),
        click.option(
            "--at",
            type=index,
            metavar="INDEX",
            help=f"{verb} the scripts from this index on, such as 1e275, which is the exact integer; needs --take.",
        ),
        click.option(
            "--take",
            type=click.IntRange(1, 10**12),
            metavar="K",
            help=f"{verb} K scripts from --at on.",
        ),
    )

    def attach(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return attach


def check_span(first: int | None, at: int | None, take: int | None) -> None:
    """Raise UsageError where these options exclude each other."""
    if (at is None) != (take is None):
        raise click.UsageError("--at and --take belong together: name both or neither")
    if first is not None and at is not None:
        raise click.UsageError("--first and --at exclude each other: leave one out")
