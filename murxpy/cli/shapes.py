"""The options that say what random scripts of full trees look like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from murxpy.cli.completing import theories
from murxpy.cli.options import count_option, listed
from murxpy.cli.params import NameList, names
from murxpy.sources.trees.universe import ARITY, Shape

_FLAGS = {
    "--quantifiers": "Also quantify formulas, and bind variables in lambdas and comprehensions.",
    "--linear": "Multiply and divide integers and reals by literals alone.",
    "--difference": "Only compare integers and reals, as difference logic does: two constants, or the difference of two "
    "and a literal.",
    "--extensions": "Also use operators that only some solvers have.",
}
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
    found: tuple[str, ...] = names()(text)
    if not found:
        raise click.BadParameter("expected at least one theory")
    return found


_WEIGHTS = (
    click.option(
        "--ban",
        type=names(),
        default="",
        metavar="OPERATORS",
        help="Leave these operators out.",
    ),
    click.option(
        "--weight",
        "weights",
        type=weight,
        multiple=True,
        metavar="OPERATOR=W",
        help="Draw this operator W times as often as others; repeatable.",
    ),
)


def shape_options() -> list[click.Parameter]:
    """The options, for a command that makes such scripts."""
    return listed(
        click.option(
            "--theories",
            type=NameList(_theories, theories),
            required=True,
            metavar="NAMES",
            help="Theories whose operators occur, from 'murxpy theories'.",
        ),
        count_option("--assertions", "Assertions of a script.", 5, 1000),
        count_option("--depth", "Operators on each path from an assertion to a leaf.", 3, 12),
        count_option("--variables", "Constants of each sort.", 5, 1000),
        click.option(
            "--widths",
            type=widths,
            default="32",
            show_default=True,
            metavar="BITS",
            help="Bits of bit-vectors and floats, with commas between them.",
        ),
        count_option("--uninterpreted", "Uninterpreted functions.", 0, 100, 0, to="functions"),
        count_option("--arity", "Arguments of an uninterpreted function, at most.", ARITY, 20),
        *(click.option(name, is_flag=True, help=text) for name, text in _FLAGS.items()),
        *_WEIGHTS,
    )


def shape_of(given: Mapping[str, Any]) -> Shape:
    """The shape that the options of `shape_options` say. Raises TypeError for another option."""
    own = {name: value for name, value in given.items() if name not in ("weights", "ban")}
    return Shape(weights={**dict(given["weights"]), **dict.fromkeys(given["ban"], 0.0)}, **own)
