"""Options that several commands take, each said once. A help text is a parameter where it must differ
between commands.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from murxpy.cli.params import OUT, Existing, NamedFile, duration, judge_names, seed, size
from murxpy.data import added_theories
from murxpy.data.grants import grant_file

Command = TypeVar("Command", bound=Callable[..., Any])

TARGETS = "SOLVER[@PLACE],..."
CHECK_LIMIT = "Limit of a check: the solver's resource limit that takes about this time"


def listed(*options: Callable[[Any], Any]) -> list[click.Parameter]:
    """The options for a command that is made of a list of parameters."""

    def command() -> None: ...

    for option in reversed(options):
        option(command)
    return click.command()(command).params


def _add_theories(ctx: click.Context, param: click.Parameter, value: tuple[Path, ...]) -> None:
    ctx.with_resource(added_theories(value))


# It is read before all arguments, because wrappers, scripts and traces may use what it defines.
theory_option = click.option(
    "--theory",
    type=Existing(),
    multiple=True,
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=_add_theories,
    help="YAML file of a theory with more operators, which the wrapper spells; repeatable.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
wrapper_option = click.option(
    "--wrapper", type=NamedFile(), metavar="FILE", help="Wrapper of the solver."
)


def _allow(ctx: click.Context, param: click.Parameter, value: tuple[Path, ...]) -> None:
    for path in value:
        grant_file(path)


# It is read before all arguments, because these may name what it allows.
allow_option = click.option(
    "--allow",
    type=Existing(),
    multiple=True,
    metavar="FILE|DIR",
    is_eager=True,
    expose_value=False,
    callback=_allow,
    help="Read this machine, profile, grammar, file of rules or folder of seeds, which the campaign's "
    "folder names; repeatable.",
)


def kept_option(name: str) -> Callable[[Command], Command]:
    """An option of a command that looks at a whole campaign: what the folder names, and what the user
    names here, too, may be used again.
    """
    metavar, about = {
        "--solver": (TARGETS, "Replay findings also on these targets, which the folder names."),
        "--cross-check": (TARGETS, "Ask also these judges, which the traces of the folder name."),
        "--wrapper": ("FILE", "Use also this wrapper, which the folder names."),
    }[name]
    kind = NamedFile() if metavar == "FILE" else judge_names
    return click.option(name, type=kind, metavar=metavar, expose_value=False, help=about)


memory_option = click.option(
    "--memory",
    type=size,
    default="2g",
    show_default=True,
    metavar="SIZE",
    help="Memory of a process; 0 for no limit.",
)
out_argument = click.argument("out", metavar="OUT", type=click.Path(path_type=Path), default=OUT)
output_option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write to this file.  [default: standard output]",
)


def out_option(help: str, default: str | None = None) -> Callable[[Command], Command]:
    """The folder that a command writes."""
    return click.option(
        "--out",
        type=click.Path(path_type=Path),
        default=default,
        show_default=True,
        metavar="DIR",
        help=help,
    )


def time_option(name: str, default: str, help: str) -> Callable[[Command], Command]:
    """An option that takes a span of time."""
    return click.option(
        name, type=duration, default=default, show_default=True, metavar="TIME", help=help
    )


def count_option(
    name: str, help: str, default: int | None = None, most: int | None = None, least: int = 1
) -> Callable[[Command], Command]:
    """An option that takes a number."""
    return click.option(
        name,
        type=click.IntRange(least, most),
        default=default,
        show_default=True,
        metavar="N",
        help=help,
    )


def percent_option(name: str, default: float, help: str) -> Callable[[Command], Command]:
    """An option that takes a share in percent."""
    return click.option(
        name,
        type=click.FloatRange(0, 100),
        default=default,
        show_default=True,
        metavar="PERCENT",
        help=help,
    )


def tries_option(help: str) -> Callable[[Command], Command]:
    """The number of replays."""
    return count_option("--tries", help, 1)


def jobs_option(help: str, default: int | None = 1) -> Callable[[Command], Command]:
    """The number of processes that work at a time."""
    return count_option("--jobs", help, default, 1024)


def seed_option(help: str, default: str | None = None) -> Callable[[Command], Command]:
    """A seed of random choices."""
    return click.option(
        "--seed", type=seed, default=default, show_default=True, metavar="N", help=help
    )


def judges_option(help: str, **more: Any) -> Callable[[Command], Command]:
    """Other solvers that are asked."""
    return click.option(
        "--cross-check", "judges", type=judge_names, metavar=TARGETS, help=help, **more
    )


def format_option(help: str, *more: str) -> Callable[[Command], Command]:
    """What is printed, with the formats `more` beside those of every table."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json", "csv", *more]),
        default="text",
        show_default=True,
        help=help,
    )
