"""The words of a trace line (references, numbers, words, quoted texts, Python values), and how they
are read and printed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from murxpy.errors import InputError
from murxpy.logic.values import from_codes, to_codes
from murxpy.machine.pyvalues import print_value, read_value


class Ref(NamedTuple):
    """An id, which names the one object that one line returned. The letter is the kind of object: s
    sort, t term, o solver, c context, m model, x any other object.
    """

    letter: str
    number: int

    def __str__(self) -> str:
        return f"{self.letter}{self.number}"


class Quoted(NamedTuple):
    """A quoted text: a symbol or a string, as code points."""

    text: str

    def __str__(self) -> str:
        return quote(self.text)


class FieldSort(NamedTuple):
    """The sort of a datatype's field that has no id: `s(nil)` (the datatype itself), `s"p"` (a
    parameter), `s<"d">` (another datatype of the same declaration).
    """

    form: str  # self | param | other
    name: str

    def __str__(self) -> str:
        if self.form == "self":
            return "s(nil)"
        return f"s{quote(self.name)}" if self.form == "param" else f"s<{quote(self.name)}>"


class Python(NamedTuple):
    """A Python value as an argument: None, a bool, an int, a float, a str, bytes, or a list, tuple
    or dict of such.
    """

    value: Any

    def __str__(self) -> str:
        return f"py:{print_value(self.value)}"


Token = Ref | Quoted | FieldSort | Python | bool | int | str

_WORD = re.compile(
    r"""\s*(?:
      (?P<field>s\(nil\)|s<"(?P<other>[^"]*)">|s"(?P<param>[^"]*)")
    | py:(?P<python>(?:[^\s"]|"[^"]*")*)
    | "(?P<quoted>[^"]*)"
    | (?P<word>[^\s"]+)
    )(?=\s|$)""",
    re.VERBOSE | re.ASCII,
)
_RUN = re.compile(r"\S+", re.ASCII)
_REF = re.compile(r"([a-z])(0|[1-9][0-9]{0,8})")
# a number in another form (007) is a word, and stays as it is
_INT = re.compile(r"0|-?[1-9][0-9]{0,3999}")
_BARE = re.compile(r"[A-Za-z+.:_-][A-Za-z0-9+.:_-]*")


def quote(text: str) -> str:
    r"""`text` in quotes. Every code point outside printable ASCII, every quote and every backslash
    becomes `\u{...}`.
    """
    return f'"{to_codes(text)}"'


def as_word(text: str) -> str:
    """`text` itself if it is read back as the same word; otherwise `text` in quotes."""
    bare = _INT.fullmatch(text) or (_BARE.fullmatch(text) and not text.startswith("py:"))
    return text if bare else quote(text)


def read_tokens(text: str, file: str, line: int) -> list[Token]:
    """The tokens of a line. Raises InputError if a quote is not closed, or a word cannot be read."""
    if '"' not in text and "py:" not in text and "s(nil)" not in text:  # nearly every line
        # the copy has no spare room, which a list that grew has
        return [_word(word) for word in _RUN.findall(text.rstrip())][:]
    tokens: list[Token] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _WORD.match(text, at)
        if found is None:
            raise InputError(
                f"cannot read '{text[at:].strip()[:20]}', expected a word or a closed quote",
                file=file,
                line=line,
            )
        tokens.append(_token(found, file, line))
        at = found.end()
    return tokens[:]


def _token(found: re.Match[str], file: str, line: int) -> Token:
    word = found.group("word")
    if word is not None:
        return _word(word)
    if found.group("quoted") is not None:
        return Quoted(from_codes(found.group("quoted")))
    if found.group("python") is not None:
        return _python(found.group("python"), file, line)
    if found.group("other") is not None:
        return FieldSort("other", from_codes(found.group("other")))
    if found.group("param") is not None:
        return FieldSort("param", from_codes(found.group("param")))
    return FieldSort("self", "")


# Equal words of a trace are stored once, because lines often name what was made shortly before.
@lru_cache(maxsize=1 << 16)
def _word(word: str) -> Token:
    ref = _REF.fullmatch(word)
    if ref is not None:
        return Ref(ref.group(1), int(ref.group(2)))
    if _INT.fullmatch(word):
        return int(word)
    if word in ("true", "false"):
        return word == "true"
    return word


def _python(text: str, file: str, line: int) -> Python:
    try:
        return Python(read_value(text))
    except ValueError:
        message = f"'py:{text[:40]}' is no Python value, expected none, true, false, a number, a text, bytes or a list of such"
        raise InputError(message, file=file, line=line) from None


def print_token(token: Token) -> str:
    """A token as a trace writes it."""
    if token is True:
        return "true"
    if token is False:
        return "false"
    return str(token)
