"""Strings of code points: SMT-LIB 2.7, theory UnicodeStrings, and the operators that solvers add to
it.
"""

from __future__ import annotations

from murxpy.logic.values import MAX_CODE_POINT
from murxpy.semantics.values import check_length

_DIGITS = frozenset("0123456789")
_CHUNK = 4000  # digits at a time: Python itself refuses to convert more than 4,300


def at(text: str, position: int) -> str:
    """`str.at`: the empty string outside."""
    return text[position] if 0 <= position < len(text) else ""


def substring(text: str, start: int, length: int) -> str:
    """`str.substr`: the empty string where `start` is outside or `length` is not positive."""
    return text[start : start + length] if 0 <= start < len(text) and length > 0 else ""


def index_of(text: str, part: str, start: int) -> int:
    """`str.indexof`: the first position from `start` on, -1 where there is none; the empty string
    is at `start`.
    """
    return text.find(part, start) if 0 <= start <= len(text) else -1


def last_index_of(text: str, part: str) -> int:
    """`str.last_indexof` of z3: the last position, -1 where there is none; the empty string is at
    the end.
    """
    return text.rfind(part)


def replace(text: str, part: str, by: str) -> str:
    """`str.replace`: the first occurrence; the empty string occurs at the start."""
    return text.replace(part, by, 1)


def replace_all(text: str, part: str, by: str) -> str:
    """`str.replace_all`: each occurrence, from the left; the empty string is not replaced."""
    check_length(len(text) * len(by))
    return text.replace(part, by) if part else text


def update(text: str, position: int, part: str) -> str:
    """`str.update` of cvc5: `part` written over `text` from `position` on, no further than its end."""
    if not 0 <= position < len(text):
        return text
    return (text[:position] + part + text[position + len(part) :])[: len(text)]


def is_digit(text: str) -> bool:
    """`str.is_digit`: one of the ten digits of ASCII."""
    return text in _DIGITS


def to_code(text: str) -> int:
    """`str.to_code`: the code point of a single character, else -1."""
    return ord(text) if len(text) == 1 else -1


def from_code(number: int) -> str:
    """`str.from_code`: the character, the empty string where there is none."""
    return chr(number) if 0 <= number <= MAX_CODE_POINT else ""


def to_int(text: str) -> int:
    """`str.to_int`: the natural number that digits write, -1 of any other string."""
    if not text or not _DIGITS.issuperset(text):
        return -1
    number = 0
    for k in range(0, len(text), _CHUNK):
        part = text[k : k + _CHUNK]
        number = number * 10 ** len(part) + int(part)
    return number


def from_int(number: int) -> str:
    """`str.from_int`: the digits of a natural number, the empty string of a negative one."""
    return decimal(number) if number >= 0 else ""


def decimal(number: int) -> str:
    """The digits of an integer, with `-` where it is negative, however long it is."""
    rest, parts = abs(number), []
    while rest >= 10**_CHUNK:
        rest, part = divmod(rest, 10**_CHUNK)
        parts.append(str(part).zfill(_CHUNK))
    return ("-" if number < 0 else "") + str(rest) + "".join(reversed(parts))


def to_lower(text: str) -> str:
    """`str.to_lower` of cvc5: the letters of ASCII only."""
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in text)


def to_upper(text: str) -> str:
    """`str.to_upper` of cvc5: the letters of ASCII only."""
    return "".join(chr(ord(c) - 32) if "a" <= c <= "z" else c for c in text)
