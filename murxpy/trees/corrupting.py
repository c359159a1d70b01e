"""Malformed texts for parsers: a script with one fault in one of its lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.machine.random import Stream
from murxpy.smtlib.reading.scripts import read_script

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ODD = ('"', "|", "\\", ";", "#", ":", "\x00", "é", "😀", "'", "{", "~!@")
_NUMBER = "9" * 400
_TRIES = 100
_UNKNOWN = "unknown command"
_TOKEN = re.compile(r"[^\s()]+")


@dataclass(frozen=True, slots=True)
class Corrupted:
    """A malformed text, and what was done to the script."""

    text: str
    fault: str


def corrupted(text: str, stream: Stream, catalogue: Catalogue) -> Corrupted:
    """The script with one fault, so that our reader refuses it. Raises InputError where no fault was
    found that does that.
    """
    for _ in range(_TRIES):
        name = stream.choose(list(_FAULTS))
        made = _FAULTS[name](text, stream)
        if made != text and malformed(made, catalogue):
            return Corrupted(made, name)
    raise InputError("no fault was found that makes the script malformed")


def malformed(text: str, catalogue: Catalogue) -> bool:
    """Whether our reader refuses a text, for more than a command that it does not know: solvers may
    answer `unsupported` to such a command, and go on (SMT-LIB 2.7, section 4.1.2).
    """
    try:
        read_script(text, "script", catalogue)
    except InputError as error:
        return not error.reason.startswith(_UNKNOWN)
    return False


def _at(text: str, stream: Stream) -> int:
    """A place in a declaration or an assertion."""
    lines = [found.span() for found in re.finditer(r"^\((?:declare|assert).*$", text, re.M)]
    begin, end = stream.choose(lines or [(0, len(text))])
    return stream.between(begin, end - 1)


def _letter(text: str, stream: Stream) -> str:
    at = _at(text, stream)
    return text[:at] + stream.choose(_LETTERS) + text[at:]


def _gone(text: str, stream: Stream) -> str:
    at = _at(text, stream)
    return text[:at] + text[at + 1 :]


def _odd(text: str, stream: Stream) -> str:
    at = _at(text, stream)
    return text[:at] + stream.choose(_ODD) + text[at:]


def _parenthesis(text: str, stream: Stream) -> str:
    at = _at(text, stream)
    return text[:at] + stream.choose("()") + text[at:]


def _cut(text: str, stream: Stream) -> str:
    return text[: _at(text, stream)]


def _swapped(text: str, stream: Stream) -> str:
    spans = [found.span() for found in _TOKEN.finditer(text)]
    one, other = sorted(stream.sample(spans, 2))
    first, second = text[slice(*one)], text[slice(*other)]
    return text[: one[0]] + second + text[one[1] : other[0]] + first + text[other[1] :]


def _number(text: str, stream: Stream) -> str:
    spans = [found.span() for found in _TOKEN.finditer(text)]
    begin, end = stream.choose(spans)
    return text[:begin] + _NUMBER + text[end:]


# What the original does is the first; the others are new.
_FAULTS: dict[str, Callable[[str, Stream], str]] = {
    "a letter more": _letter,
    "a character less": _gone,
    "an odd character": _odd,
    "a parenthesis more": _parenthesis,
    "the end is missing": _cut,
    "two words swapped": _swapped,
    "a long number": _number,
}
