"""The terms of a script, and its size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from murxpy.logic.sorts import Sort, components
from murxpy.logic.terms import VALUE, Term
from murxpy.smtlib import commands as c
from murxpy.smtlib.commands import Command

Commands = tuple[Command, ...]


def roots(command: Command) -> Sequence[Term]:
    """The terms that a command holds, without those of a function that has variables."""
    if isinstance(command, c.CheckSatAssuming):
        return command.assumptions
    if isinstance(command, c.DefineFunsRec):
        return (
            *command.functions,
            *(variable for some in command.variables for variable in some),
            *command.bodies,
        )
    if isinstance(command, c.DefineFun) and command.function is None:
        return (command.body,)
    return (command.term,) if isinstance(command, c.Assert) else ()


def changed(command: Command, new: Callable[[Term], Term]) -> Command:
    """A command with other terms."""
    if isinstance(command, c.Assert):
        return replace(command, term=new(command.term))
    if isinstance(command, c.CheckSatAssuming):
        return replace(command, assumptions=tuple(map(new, command.assumptions)))
    if isinstance(command, c.DefineFun) and command.function is None:
        return replace(command, body=new(command.body))
    if isinstance(command, c.DefineFunsRec):
        variables = tuple(tuple(map(new, some)) for some in command.variables)
        return c.DefineFunsRec(
            tuple(map(new, command.functions)), variables, tuple(map(new, command.bodies))
        )
    return command


def terms(commands: Commands) -> dict[Term, None]:
    """The different terms in a script."""
    seen: dict[Term, None] = {}
    stack = [term for command in commands for term in roots(command)]
    while stack:
        term = stack.pop()
        if term not in seen:
            seen[term] = None
            stack.extend(term.args)
    return seen


def largest_first(commands: Commands) -> Iterator[Term]:
    """The terms of a script, each behind all terms that it is in."""
    return iter(sorted(terms(commands), key=lambda term: -term.serial))


def order(text: str, commands: Commands) -> tuple[int, int, int, int]:
    """A key to sort scripts by: terms, commands, bits of widths and numerals, characters."""
    found = terms(commands)
    widths = {part: _width(part) for term in found for part in components(term.sort)}
    return len(found), len(commands), sum(widths.values()) + sum(map(_bits, found)), len(text)


def _width(sort: Sort) -> int:
    """The bits of a bit-vector or floating-point number; 0 for other sorts."""
    wide = sort.kind in ("SORT_BV", "SORT_FP")
    return sum(n for n in sort.params if isinstance(n, int)) if wide else 0


def _bits(term: Term) -> int:
    """The bits of a numeral; 0 for other terms."""
    value = term.indices[0] if term.op == VALUE else None
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        return 0
    return value.numerator.bit_length() + value.denominator.bit_length() - 1 + (value < 0)
