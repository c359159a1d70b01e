"""The options that say what random scripts of full trees look like."""

from __future__ import annotations

from typing import Any

import click

from murxpy.cli.params import names
from murxpy.trees.shape import Shape

_LARGEST = 4096  # bits of a bit-vector


def widths(text: str) -> tuple[int, ...]:
    """Numbers of bits with commas between them. Raises BadParameter."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and 1 <= int(part) <= _LARGEST for part in parts):
        raise click.BadParameter(
            f"'{text}': expected numbers of bits from 1 to {_LARGEST}, such as 8,32"
        )
    return tuple(dict.fromkeys(int(part) for part in parts))


def weight(text: str) -> tuple[str, float]:
    """An operator and its weight, such as `bvmul=3`. Raises BadParameter."""
    name, sign, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if not sign or not name or not 0 <= value <= 1e6:
        raise click.BadParameter(f"'{text}': expected an operator and its weight, such as bvmul=3")
    return name, value


def _theories(text: str) -> tuple[str, ...]:
    found = names()(text)
    if not found:
        raise click.BadParameter("expected at least one theory")
    return found


def shape_options() -> list[click.Parameter]:
    """The options, for a command that makes such scripts."""
    count = click.IntRange
    return [
        click.Option(
            ["--theories"],
            type=_theories,
            required=True,
            metavar="NAMES",
            help="Theories whose operators occur, from 'murxpy theories'.",
        ),
        _number("--assertions", count(1, 1000), 5, "Assertions of a script."),
        _number("--depth", count(1, 12), 3, "Operators on each path from an assertion to a leaf."),
        _number("--variables", count(1, 1000), 5, "Constants of each sort."),
        click.Option(
            ["--widths"],
            type=widths,
            default="32",
            show_default=True,
            metavar="BITS",
            help="Bits of bit-vectors and floats, with commas between them.",
        ),
        _number("--functions", count(0, 100), 0, "Uninterpreted functions."),
        _flag(
            "--quantifiers",
            "Also quantify formulas, and bind variables in lambdas and comprehensions.",
        ),
        _flag("--linear", "Multiply and divide integers and reals by literals alone."),
        _flag("--extensions", "Also use operators that only some solvers have."),
        *_weights(),
    ]


def _weights() -> list[click.Parameter]:
    return [
        click.Option(
            ["--ban"],
            type=names(),
            default="",
            metavar="OPERATORS",
            help="Leave these operators out.",
        ),
        click.Option(
            ["--weight", "weights"],
            type=weight,
            multiple=True,
            metavar="OPERATOR=W",
            help="Draw this operator W times as often as others; repeatable.",
        ),
    ]


def _flag(name: str, text: str) -> click.Option:
    return click.Option([name], is_flag=True, help=text)


def _number(name: str, kind: click.IntRange, default: int, text: str) -> click.Option:
    return click.Option(
        [name], type=kind, default=default, show_default=True, metavar="N", help=text
    )


def shape_of(wishes: dict[str, Any]) -> Shape:
    """The shape that the options say; they are taken out of `wishes`."""
    weights = {**dict(wishes.pop("weights")), **dict.fromkeys(wishes.pop("ban"), 0.0)}
    own = {name: wishes.pop(name) for name in Shape.__dataclass_fields__ if name != "weights"}
    return Shape(weights=weights, **own)
