"""Reads the values and models that a program prints, as plain data. The file imports only the
standard library.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from smt2_process import Reply, shown

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_BITS = {"#b": (1, 2), "#x": (4, 16)}  # bits of a digit, and the base


class Value:
    """A value that the program printed, as an S-expression, with the sort of the term."""

    def __init__(self, data: Reply, sort: str) -> None:
        self.data = data
        self.sort = sort


def read_value(value: Value) -> tuple[Any, ...] | None:
    """A value of a standard sort as plain data; None for any other."""
    return literal(value.data, value.sort)


def literal(data: Reply, sort: str) -> tuple[Any, ...] | None:
    """A literal as plain data; None for anything else. Some programs print a number that is whole
    without a point, also where it is real.
    """
    if data in ("true", "false"):
        return ("bool", data == "true")
    if isinstance(data, str) and data[:2] in _BITS:
        bits, base = _BITS[data[:2]]
        return ("bv", bits * (len(data) - 2), int(data[2:], base))
    if isinstance(data, list) and data[:1] == ["_"] and re.fullmatch("bv[0-9]+", str(data[1])):
        return ("bv", int(data[2]), int(data[1][2:]))
    found = number(data)
    if found is None:
        return None
    if sort == "Int" and found.denominator == 1:
        return ("int", found.numerator)
    return ("real", found.numerator, found.denominator)


def number(data: Reply) -> Fraction | None:
    """The number that an S-expression says; None for anything else."""
    if isinstance(data, str):
        return Fraction(data) if _NUMBER.fullmatch(data) else None
    if data[:1] not in (["-"], ["/"]):
        return None
    parts = [number(part) for part in data[1:]]
    if None in parts or len(parts) != (1 if data[0] == "-" else 2):
        return None
    first, *rest = [part for part in parts if part is not None]
    return first / rest[0] if rest and rest[0] else None if rest else -first


def read_values(values: list[Value]) -> dict[str, Any]:
    """Values as rows."""
    rows = [read_value(value) or ("unknown", shown([value.data])) for value in values]
    return {"rows": rows, "roots": list(range(len(rows))), "partial": {}}
