"""Printing literals and special values."""

from __future__ import annotations

import re
from fractions import Fraction

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.logic.values import special_value, to_codes
from murxpy.smtlib.printing.forms import filled, known
from murxpy.smtlib.printing.sorts import SortPrinter

_QUOTIENT = re.compile(r"\(/ (\d+)\.0 (\d+)\.0\)")
_NUMBER = re.compile(r"[0-9.]+|\(- [0-9.]+\)|(\(- )?\(/ [0-9.]+ [0-9.]+\)\)?")


def literal(printer: SortPrinter, sort: Sort, value: object) -> str:
    """Return the text of a literal of a sort."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{to_codes(value)}"'
    if isinstance(value, Fraction):
        return _real(value)
    assert isinstance(value, int)
    if sort.kind == "SORT_INT":
        return str(value) if value >= 0 else f"(- {-value})"
    if sort.kind == "SORT_REAL":
        return _real(Fraction(value))
    if sort.kind == "SORT_FF":
        return f"(as ff{value} {printer.sort(sort)})"
    if sort.kind == "SORT_BV":
        return f"#b{value:0{sort.width}b}"
    bits = f"{value:0{sort.number(0) + sort.number(1)}b}"
    middle = 1 + sort.number(0)
    return f"(fp #b{bits[0]} #b{bits[1:middle]} #b{bits[middle:]})"


def special(printer: SortPrinter, term: Term) -> str:
    """Return the text of a special value such as `fp.nan`. Raises Unsayable if the dialect cannot
    say it.
    """
    name = str(term.indices[0])
    number = special_value(name, term.sort)
    if number is not None:
        return literal(printer, term.sort, number)
    spelling = known(printer.words.special_values, name, printer.dialect)
    return filled(spelling, {"sort": printer.sort(term.sort)}, term.sort)


def signed(text: str) -> str:
    """Return a number as a single literal. Some parsers recognize values by their syntax: for them
    `(- 5)` and `(/ 1.0 3.0)` are applications, and `-5` and `1/3` are values.
    """
    return (
        _QUOTIENT.sub(r"\1/\2", text).replace("(- ", "-").rstrip(")")
        if _NUMBER.fullmatch(text)
        else text
    )


def _real(value: Fraction) -> str:
    text = f"{abs(value.numerator)}.0"
    if value.denominator != 1:
        text = f"(/ {text} {value.denominator}.0)"
    return f"(- {text})" if value < 0 else text
