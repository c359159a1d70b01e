"""The words of a trace line: references, numbers, words, quoted texts, Python values; reading and printing them."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Union

from murxpy.errors import InputError
from murxpy.logic.values import to_codes


class Ref(NamedTuple):
    """An id: the one object that one line returned. The letter says of what: s sort, t term, o solver, c context, m model."""

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
    """The sort of a datatype's field that is no id: `s(nil)` (itself), `s"p"` (a parameter), `s<"d">` (another one declared with it)."""

    form: str  # self | param | other
    name: str

    def __str__(self) -> str:
        if self.form == "self":
            return "s(nil)"
        return f"s{quote(self.name)}" if self.form == "param" else f"s<{quote(self.name)}>"


class Python(NamedTuple):
    """A Python value as an argument: None, a bool, an int, a float or a str."""

    value: Any

    def __str__(self) -> str:
        value = self.value
        if isinstance(value, bool) or value is None:
            return f"py:{str(value).lower()}"
        if isinstance(value, float):
            return f"py:{value.hex()}f"
        return f"py:{quote(value)}" if isinstance(value, str) else f"py:{value}"


Token = Union[Ref, Quoted, FieldSort, Python, bool, int, str]

_ESCAPE = re.compile(r"\\u\{([0-9a-fA-F]{1,6})\}|\\u([0-9a-fA-F]{4})")
_WORD = re.compile(
    r"""\s*(?:
      (?P<field>s\(nil\)|s<"(?P<other>[^"]*)">|s"(?P<param>[^"]*)")
    | py:"(?P<pytext>[^"]*)"
    | "(?P<quoted>[^"]*)"
    | (?P<word>[^\s"]+)
    )(?=\s|$)""",
    re.VERBOSE,
)
_REF = re.compile(r"([a-z])(\d{1,9})")
_INT = re.compile(r"-?\d{1,5000}")


def quote(text: str) -> str:
    """`text` in quotes, every code point outside printable ASCII, quotes and backslashes as `\\u{...}`."""
    return f'"{to_codes(text)}"'


def unquote(text: str) -> str:
    """The code points that the inside of a quoted text stands for."""
    return _ESCAPE.sub(_code_point, text) if "\\" in text else text


def _code_point(found: re.Match[str]) -> str:
    number = int(found.group(1) or found.group(2), 16)
    return chr(number) if number <= 0x10FFFF else found.group(0)


def read_tokens(text: str, file: str, line: int) -> list[Token]:
    """The tokens of a line; InputError where a quote is not closed or a word cannot be read."""
    tokens: list[Token] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _WORD.match(text, at)
        if found is None:
            raise InputError(f"cannot read '{text[at:].strip()[:20]}', expected a word or a closed quote", file=file, line=line)
        tokens.append(_token(found, file, line))
        at = found.end()
    return tokens


def _token(found: re.Match[str], file: str, line: int) -> Token:
    word = found.group("word")
    if word is not None:
        return _word(word, file, line)
    if found.group("quoted") is not None:
        return Quoted(unquote(found.group("quoted")))
    if found.group("pytext") is not None:
        return Python(unquote(found.group("pytext")))
    if found.group("other") is not None:
        return FieldSort("other", unquote(found.group("other")))
    if found.group("param") is not None:
        return FieldSort("param", unquote(found.group("param")))
    return FieldSort("self", "")


def _word(word: str, file: str, line: int) -> Token:
    ref = _REF.fullmatch(word)
    if ref is not None:
        return Ref(ref.group(1), int(ref.group(2)))
    if _INT.fullmatch(word):
        return int(word)
    if word in ("true", "false"):
        return word == "true"
    if word.startswith("py:"):
        return _python(word[3:], file, line)
    return word


def _python(text: str, file: str, line: int) -> Python:
    named = {"none": None, "true": True, "false": False}
    if text in named:
        return Python(named[text])
    try:
        return Python(float.fromhex(text[:-1]) if text.endswith("f") else int(text))
    except ValueError:
        raise InputError(f"'py:{text}' is no Python value, expected none, true, false, a number or a text", file=file, line=line) from None


def print_token(token: Token) -> str:
    """A token as a trace writes it."""
    if token is True:
        return "true"
    if token is False:
        return "false"
    return str(token)
