"""Literals: their Python values by kind of sort, and how a trace writes them.

The value of a BOOL is a bool, of a BV an int in 0..2^w-1, of an INT an int, of a REAL a Fraction,
of an FP an int (the IEEE bits), of an FF an int in 0..p-1, and of a STRING a str whose characters
are code points of SMT-LIB (0 to 0x2FFFF, surrogates included).
"""

from __future__ import annotations

import re
import sys
from fractions import Fraction
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.sorts import Sort

LITERAL_KINDS = (
    "SORT_BOOL",
    "SORT_BV",
    "SORT_INT",
    "SORT_REAL",
    "SORT_FP",
    "SORT_FF",
    "SORT_STRING",
)
MAX_CODE_POINT = 0x2FFFF

# in traces, whose names may have any code points
_ESCAPE = re.compile(r"\\u\{([0-9a-fA-F]{1,6})\}|\\u([0-9a-fA-F]{4})")
# in SMT-LIB
_LITERAL_ESCAPE = re.compile(r"\\u\{([0-9a-fA-F]{1,4}|[0-2][0-9a-fA-F]{4})\}|\\u([0-9a-fA-F]{4})")
_CODED = re.compile(r"[^ -~]|[\"\\]")  # what is written as `\u{...}`
_DIGITS = {2: re.compile("-?[01]+"), 10: re.compile("-?[0-9]+"), 16: re.compile("-?[0-9a-fA-F]+")}
_DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


# the Python types of the values that have literals; int where a kind is not listed
_TYPES: dict[str, type | tuple[type, ...]] = {
    "SORT_BOOL": bool,
    "SORT_REAL": (int, Fraction),
    "SORT_STRING": str,
}


# digits of a number; converting one of this length takes 0.13 s, and the time grows with the square
# of the length
MAX_DIGITS = 100_000
_PYTHONS = 4300  # digits that Python converts while its own limit is as it starts


def convertible(text: str) -> str:
    """Return the text of a number. If it is too long for Python's own limit, the limit is lifted in
    this process, because whoever reads such a number also prints it.
    """
    if len(text) > _PYTHONS // 2:
        sys.set_int_max_str_digits(0)
    return text


def decimal(text: str) -> int:
    """Return the integer that up to MAX_DIGITS decimal digits stand for."""
    return int(convertible(text))


class BadValue(InputError):
    """The sort has no such literal."""


def read_value(sort: Sort, words: list[Any]) -> Any:
    """Return the value that the arguments of a `mk-value` line denote: `true`, `"v"`, `"n" "d"`, or
    `"v" base`. Raises BadValue.
    """
    reader = _READERS.get(sort.kind)
    if reader is None:
        raise BadValue(f"{sort} has no literals")
    if sort.kind != "SORT_STRING" and words[1:] not in ([2], [16]):
        for word in words:
            if isinstance(word, str) and len(word) > MAX_DIGITS:
                raise BadValue(f"a number of {len(word)} digits, expected {MAX_DIGITS} at most")
    try:
        return reader(sort, words)
    except (ValueError, LookupError, ZeroDivisionError, TypeError, AttributeError):
        raise BadValue(
            f"expected a literal of {sort}, found '{' '.join(map(str, words))[:60]}'"
        ) from None


def is_literal(sort: Sort, value: Any) -> bool:
    """Return whether a literal of `sort` can denote a value. No literal denotes an irrational
    number, nor any value of a sort without literals.
    """
    types = _TYPES.get(sort.kind, int if sort.kind in LITERAL_KINDS else ())
    return isinstance(value, types) and isinstance(value, bool) == (sort.kind == "SORT_BOOL")


def write_value(sort: Sort, value: Any) -> list[Any]:
    """Return the arguments of the `mk-value` line for a value: a word for a bool, strings, and the
    base as an int. Raises BadValue for a value that no literal denotes.
    """
    kind = sort.kind
    if not is_literal(sort, value):
        raise BadValue(f"no literal of {sort} denotes a value of type {type(value).__name__}")
    if kind == "SORT_BOOL":
        return [bool(value)]
    if kind == "SORT_BV":
        return [format(value, f"0{sort.width}b"), 2]
    if kind == "SORT_FP":
        return [format(value, f"0{sort.number(0) + sort.number(1)}b")]
    if kind == "SORT_REAL":
        return (
            [str(value.numerator), str(value.denominator)]
            if value.denominator != 1
            else [str(value.numerator)]
        )
    return [str(value)]


def _read_bool(sort: Sort, words: list[Any]) -> bool:
    if len(words) != 1 or not isinstance(words[0], bool):
        raise ValueError
    return words[0]


def _number(text: Any, base: int = 10) -> int:
    if not isinstance(text, str) or not _DIGITS[base].fullmatch(text):
        raise ValueError
    return int(convertible(text), base)


def _read_bv(sort: Sort, words: list[Any]) -> int:
    text, base = words
    number = _number(text, base)
    if number.bit_length() > sort.width or number < -(1 << (sort.width - 1)):
        raise ValueError
    return number % (1 << sort.width)


def _read_int(sort: Sort, words: list[Any]) -> int:
    (text,) = words
    return _number(text)


def _read_real(sort: Sort, words: list[Any]) -> Fraction:
    if len(words) == 1 and isinstance(words[0], str) and _DECIMAL.fullmatch(words[0]):
        return Fraction(convertible(words[0]))
    numerator, denominator = words if len(words) == 2 else words[0].split("/")
    return Fraction(_number(numerator), _number(denominator))


def _read_fp(sort: Sort, words: list[Any]) -> int:
    (text,) = words
    if len(text) != sort.number(0) + sort.number(1):
        raise ValueError
    return _number(text, 2)


def _read_ff(sort: Sort, words: list[Any]) -> int:
    (text,) = words
    return _number(text) % sort.width


def _read_string(sort: Sort, words: list[Any]) -> str:
    (text,) = words
    if not isinstance(text, str) or any(ord(c) > MAX_CODE_POINT for c in text):
        raise ValueError
    return text


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
    r"""Return `text` in printable ASCII. Quotes, backslashes and all other characters become
    `\u{...}`, as SMT-LIB 2.7 writes code points.
    """
    return _CODED.sub(lambda found: f"\\u{{{ord(found[0]):x}}}", text)


def from_codes(text: str) -> str:
    r"""Return the code points that a quoted text of a trace stands for. Each `\u{...}` with up to
    six digits and each `\uXXXX` is one code point.
    """
    return _ESCAPE.sub(_code_point, text) if "\\" in text else text


def from_escapes(text: str) -> str:
    """The string that a literal of SMT-LIB denotes (theory UnicodeStrings), given what stands
    between its quotes.

    An escape is `\\uXXXX`, or `\\u{...}` with one to five digits, of five the first at most 2. All
    else denotes itself: `\\u{000061}` is ten letters and `\\u{30000}` nine.
    """
    return _LITERAL_ESCAPE.sub(_code_point, text) if "\\" in text else text


def _code_point(found: re.Match[str]) -> str:
    number = int(found.group(1) or found.group(2), 16)
    return chr(number) if number <= 0x10FFFF else found.group(0)


def special_value(name: str, sort: Sort) -> Any:
    """Return the value of a special value that is also a literal, such as `bv.ones` and `ff.one`,
    else None.
    """
    if sort.kind == "SORT_BV":
        top = 1 << (sort.width - 1)
        numbers = {
            "bv.zero": 0,
            "bv.one": 1,
            "bv.ones": 2 * top - 1,
            "bv-min-signed": top,
            "bv-max-signed": top - 1,
        }
        return numbers.get(name)
    if sort.kind == "SORT_FF":
        return {"ff.zero": 0, "ff.one": 1, "ff.negone": sort.width - 1}.get(name)
    return None
