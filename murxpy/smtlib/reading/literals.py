"""Reads literals of scripts: those of SMT-LIB 2.7, section 3.1, and those of the theories of
bit-vectors, fields and strings.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from fractions import Fraction

from murxpy.errors import InputError
from murxpy.logic.sorts import MAX_WIDTH, probably_prime
from murxpy.logic.terms import Term
from murxpy.logic.values import MAX_CODE_POINT, MAX_DIGITS, from_escapes
from murxpy.smtlib.tables import Tables

_PYTHONS = 4300  # digits that Python converts while its own limit is as it starts

# cvc5 prints numbers with a sign, and quotients
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+|/[1-9][0-9]*)?")
_FIELD = re.compile(r"#f(-?[0-9]+)m([0-9]+)")
_FF = re.compile(r"ff(-?[0-9]+)")


def literal(tables: Tables, token: str, reals: bool) -> Term | None:
    """Return the literal that a token is, or None if it is no literal. `reals` says that numerals
    are reals. Raises InputError.
    """
    reader = _READERS.get(token[0])
    if reader is not None:
        return reader(tables, token)
    found = _NUMBER.fullmatch(token) if token[0] in "-0123456789" and token.isascii() else None
    if found is None:
        return None
    if len(token) > MAX_DIGITS:
        raise InputError(f"a number of {len(token)} digits, expected {MAX_DIGITS} at most")
    if found[1] is not None:
        return tables.value(tables.real, Fraction(lifted(token)))
    return tables.value(tables.real if reals else tables.int, decimal(token))


def lifted(text: str) -> str:
    """Return the text of a number. If it is too long for Python's own limit, the limit is lifted in
    this process, because whoever reads such a number also prints it.
    """
    if len(text) > _PYTHONS // 2:
        sys.set_int_max_str_digits(0)
    return text


def decimal(text: str) -> int:
    """Return the integer that up to MAX_DIGITS decimal digits stand for."""
    return int(lifted(text))


def _string(tables: Tables, token: str) -> Term:
    text = from_escapes(token[1:-1].replace('""', '"'))
    if text and max(text) > chr(MAX_CODE_POINT):
        raise InputError(
            f"a string with the character U+{ord(max(text)):X}, expected U+{MAX_CODE_POINT:X} at most"
        )
    return tables.value(tables.string, text)


def _sharp(tables: Tables, token: str) -> Term:
    field = _FIELD.fullmatch(token)
    if field is not None and len(token) < MAX_DIGITS:
        order = decimal(field[2])
        if not probably_prime(order):
            raise InputError(f"expected a prime as the order of a field, found {field[2][:40]}")
        return tables.value(tables.sort("SORT_FF", order), decimal(field[1]) % order)
    base, digits = {"#b": (2, 1), "#x": (16, 4)}.get(token[:2], (0, 0))
    width = digits * (len(token) - 2)
    if not base or not 0 < width <= MAX_WIDTH or "_" in token:
        raise InputError(f"expected a literal such as #b01 or #x0f, found '{token[:60]}'")
    try:
        return bit_vector(tables, int(token[2:], base), width)
    except ValueError:
        raise InputError(f"expected digits of base {base}, found '{token[:60]}'") from None


def bit_vector(tables: Tables, value: int, width: int) -> Term:
    """Return a literal of a bit-vector. Raises InputError if the number does not fit."""
    if not 0 < width <= MAX_WIDTH or value.bit_length() > width:
        raise InputError(
            f"expected a width that holds {str(value)[:40]}, 1 to {MAX_WIDTH}; found {str(width)[:40]}"
        )
    return tables.value(tables.sort("SORT_BV", width), value)


def field_element(tables: Tables, token: str, order: int) -> Term | None:
    """Return the element of a field that `ffN` stands for, or None if the token is something else."""
    found = _FF.fullmatch(token) if len(token) < MAX_DIGITS else None
    return tables.value(tables.sort("SORT_FF", order), decimal(found[1]) % order) if found else None


_READERS: dict[str, Callable[[Tables, str], Term]] = {'"': _string, "#": _sharp}
