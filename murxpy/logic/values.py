"""Literals: their Python values by sort kind, and how a trace writes them.

BOOL a bool, BV an int in 0..2^w-1, INT an int, REAL a Fraction, FP an int (the IEEE bits), FF an int in 0..p-1, STRING a str whose
characters are SMT-LIB code points (0 to 0x2FFFF, surrogates included).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.sorts import Sort

LITERAL_KINDS = ("SORT_BOOL", "SORT_BV", "SORT_INT", "SORT_REAL", "SORT_FP", "SORT_FF", "SORT_STRING")
MAX_CODE_POINT = 0x2FFFF


class BadValue(InputError):
    """A literal that its sort does not have."""


def read_value(sort: Sort, words: list[Any]) -> Any:
    """The value that the arguments of a `mk-value` line denote (`true`, `"v"`, `"n" "d"`, `"v" base`); raises BadValue."""
    try:
        return _READERS[sort.kind](sort, words)
    except KeyError:
        raise BadValue(f"{sort} has no literals") from None
    except (ValueError, IndexError, ZeroDivisionError, TypeError):
        raise BadValue(f"{' '.join(map(str, words))} is no literal of {sort}") from None


def write_value(sort: Sort, value: Any) -> list[Any]:
    """The arguments of the `mk-value` line of a value: words (bool), strings, and the base as an int."""
    kind = sort.kind
    if kind == "SORT_BOOL":
        return [bool(value)]
    if kind == "SORT_BV":
        return [format(value, f"0{sort.width}b"), 2]
    if kind == "SORT_FP":
        return [format(value, f"0{sort.number(0) + sort.number(1)}b")]
    if kind == "SORT_REAL":
        return [str(value.numerator), str(value.denominator)] if value.denominator != 1 else [str(value.numerator)]
    return [str(value)]


def _read_bool(sort: Sort, words: list[Any]) -> bool:
    if len(words) != 1 or not isinstance(words[0], bool):
        raise ValueError
    return words[0]


def _read_bv(sort: Sort, words: list[Any]) -> int:
    text, base = words
    number = int(text, base)
    if base not in (2, 10, 16) or not -(1 << (sort.width - 1)) <= number < 1 << sort.width:
        raise ValueError
    return number % (1 << sort.width)


def _read_int(sort: Sort, words: list[Any]) -> int:
    (text,) = words
    return int(text)


def _read_real(sort: Sort, words: list[Any]) -> Fraction:
    if len(words) == 2:
        return Fraction(int(words[0]), int(words[1]))
    (text,) = words
    return Fraction(text)


def _read_fp(sort: Sort, words: list[Any]) -> int:
    text = words[0]
    if len(text) != sort.number(0) + sort.number(1):
        raise ValueError
    return int(text, 2)


def _read_ff(sort: Sort, words: list[Any]) -> int:
    return int(words[0]) % sort.width


def _read_string(sort: Sort, words: list[Any]) -> str:
    (text,) = words
    if any(ord(c) > MAX_CODE_POINT for c in text):
        raise ValueError
    return str(text)


_READERS = {
    "SORT_BOOL": _read_bool,
    "SORT_BV": _read_bv,
    "SORT_INT": _read_int,
    "SORT_REAL": _read_real,
    "SORT_FP": _read_fp,
    "SORT_FF": _read_ff,
    "SORT_STRING": _read_string,
}


def to_codes(text: str) -> str:
    """`text` in printable ASCII: quotes, backslashes and all else as `\\u{...}`, as SMT-LIB 2.7 writes code points."""
    return "".join(c if " " <= c <= "~" and c not in '"\\' else f"\\u{{{ord(c):x}}}" for c in text)


def special_value(name: str, sort: Sort) -> Any:
    """The value of a special value where it is a literal's (`bv.ones`, `ff.one`), else None."""
    if sort.kind == "SORT_BV":
        top = 1 << (sort.width - 1)
        numbers = {"bv.zero": 0, "bv.one": 1, "bv.ones": 2 * top - 1, "bv-min-signed": top, "bv-max-signed": top - 1}
        return numbers.get(name)
    if sort.kind == "SORT_FF":
        return {"ff.zero": 0, "ff.one": 1, "ff.negone": sort.width - 1}.get(name)
    return None
