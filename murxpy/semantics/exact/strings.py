"""Strings of code points: SMT-LIB 2.7, theory UnicodeStrings, and the operators that solvers add."""

from __future__ import annotations

from murxpy.logic.values import MAX_CODE_POINT
from murxpy.semantics.values import check_length

_DIGITS = frozenset("0123456789")
# digits that are converted at a time, because Python refuses to convert more than 4,300
_CHUNK = 4000


def at(text: str, position: int) -> str:
    """`str.at`: one character, or the empty string if the position is outside."""
    return text[position] if 0 <= position < len(text) else ""


def substring(text: str, start: int, length: int) -> str:
    """`str.substr`: the empty string if `start` is outside or `length` is not positive."""
    return text[start : start + length] if 0 <= start < len(text) and length > 0 else ""


def index_of(text: str, part: str, start: int) -> int:
    """`str.indexof`: the first position from `start` on, or -1. The empty string occurs at `start`."""
    return text.find(part, start) if 0 <= start <= len(text) else -1


def last_index_of(text: str, part: str) -> int:
    """`str.last_indexof` of z3: the last position, or -1. The empty string occurs at the end."""
    return text.rfind(part)


def replace(text: str, part: str, by: str) -> str:
    """`str.replace`: replace the first occurrence. The empty string occurs at the start."""
    return text.replace(part, by, 1)


def replace_all(text: str, part: str, by: str) -> str:
    """`str.replace_all`: replace each occurrence, from the left. The empty string is not replaced."""
    check_length(len(text) * len(by))
    return text.replace(part, by) if part else text


def update(text: str, position: int, part: str) -> str:
    """`str.update` of cvc5: write `part` over `text` from `position` on. The text gets no longer by
    that.
    """
    if not 0 <= position < len(text):
        return text
    return (text[:position] + part + text[position + len(part) :])[: len(text)]


def is_digit(text: str) -> bool:
    """`str.is_digit`: whether the string is one of the ten digits of ASCII."""
    return text in _DIGITS


def to_code(text: str) -> int:
    """`str.to_code`: the code point of a single character, else -1."""
    return ord(text) if len(text) == 1 else -1


def from_code(number: int) -> str:
    """`str.from_code`: the character of a code point, or the empty string if there is none."""
    return chr(number) if 0 <= number <= MAX_CODE_POINT else ""


def to_int(text: str) -> int:
    """`str.to_int`: the natural number that the digits write, or -1 for any other string."""
    if not text or not _DIGITS.issuperset(text):
        return -1
    number = 0
    for k in range(0, len(text), _CHUNK):
        part = text[k : k + _CHUNK]
        number = number * 10 ** len(part) + int(part)
    return number


def from_int(number: int) -> str:
    """`str.from_int`: the digits of a natural number, or the empty string for a negative number."""
    return decimal(number) if number >= 0 else ""


def decimal(number: int) -> str:
    """Return the digits of an integer of any length, with `-` in front of them if it is negative."""
    rest, parts = abs(number), []
    while rest >= 10**_CHUNK:
        rest, part = divmod(rest, 10**_CHUNK)
        parts.append(str(part).zfill(_CHUNK))
    return ("-" if number < 0 else "") + str(rest) + "".join(reversed(parts))


def to_lower(text: str) -> str:
    """`str.to_lower` of cvc5, which changes letters of ASCII only."""
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in text)


def to_upper(text: str) -> str:
    """`str.to_upper` of cvc5, which changes letters of ASCII only."""
    return "".join(chr(ord(c) - 32) if "a" <= c <= "z" else c for c in text)
